#include "link/fixed_drive.hh"

#include "core/registry.hh"

namespace memsim::link {

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
                                   {r.sectors, 0, r.tag, r.op});
    }
    if (!in.empty()) arm(state.ready, state.free_at);
}

void FixedDrive::served(const protocol::BlockResponse& r) { state.done.push(r); }

} // namespace memsim::link
