#include "flash/fixed_drive.hh"

#include "core/registry.hh"

namespace memsim::flash {

using protocol::BlockOp;

static const Registration<FixedDrive> registered {"A drive of fixed latency and bandwidth."};

void FixedDrive::wake() {
    auto& in = port.requests;
    while (!state.done.empty() && in.can_send()) {
        in.send(state.done.pop());
        --state.serving;
    }
    while (!in.empty() && state.free_at <= now()) {
        const protocol::BlockRequest r = in.pop();
        const bool read = r.op == BlockOp::read, moves = read || r.op == BlockOp::write;
        const auto bytes =
            moves ? static_cast<std::uint32_t>(r.sectors) * protocol::block_sector_bytes : 0;
        if (moves) ++(read ? stat.reads : stat.writes);
        stat.bytes += bytes;
        if (state.free_at < now()) state.remainder = 0; // not back to back
        state.free_at = now() + wire_.take(bytes, state.remainder);
        const Tick latency = (read ? params.read_latency : params.write_latency)->raw;
        ++state.serving;
        after<&FixedDrive::served>(Time {state.free_at + latency - now()},
                                   {r.sectors, move_contents(r), r.tag, r.op});
    }
    if (!in.empty()) arm(state.ready, state.free_at);
}

/// Takes what a write brings; gives what a read finds.
Contents::Id FixedDrive::move_contents(const protocol::BlockRequest& r) {
    Contents& contents = sim().contents();
    if (!contents.enabled()) return {};
    const std::uint64_t first = r.sector * protocol::block_sector_pieces;
    const std::uint64_t count = r.sectors * protocol::block_sector_pieces;
    if (r.op == BlockOp::write || r.op == BlockOp::trim) state.contents.forget(first, count);
    if (r.contents) state.contents.write(contents, first, r.contents);
    if (r.op != BlockOp::read) return {};
    const Contents::Id found = contents.create();
    for (std::uint32_t i = 0; i < count; ++i) {
        SectorBytes s;
        state.contents.read(first + i, s);
        if (s.known) contents[found].pieces.push_back({i, s});
    }
    return found;
}

void FixedDrive::served(const protocol::BlockResponse& r) { state.done.push(r); }

} // namespace memsim::flash
