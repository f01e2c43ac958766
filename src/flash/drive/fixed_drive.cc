#include "flash/drive/fixed_drive.hh"

#include "core/kernel/registry.hh"

namespace memsim::flash {

using protocol::BlockOp;

static const Registration<FixedDrive> fixed_drive {"A drive of fixed latency and bandwidth."};
static const Stage in_queue {"drive_queue"}, in_drive {"drive"};

void FixedDrive::wake() {
    auto& in = port.requests;
    while (!state.done.empty() && in.can_send()) {
        in.send(state.done.pop());
        --state.serving;
    }
    run_task();
    while (!in.empty() && state.free_at <= now()) {
        begin(in.pop());
        run_task();
    }
    if (!in.empty()) arm(state.ready, state.free_at);
}

void FixedDrive::begin(const protocol::BlockRequest& r) {
    const bool read = r.op == BlockOp::read, moves = read || r.op == BlockOp::write;
    const auto bytes = moves ? static_cast<std::uint32_t>(r.sectors) * block_bytes() : 0;
    if (moves) ++(read ? stat.reads : stat.writes);
    stat.bytes += bytes;
    state.writes += r.op == BlockOp::write && params.task_writes();
    if (state.free_at < now()) state.remainder = state.write_remainder = 0; // not back to back
    state.free_at = now() + (read ? read_wire_.take(bytes, state.remainder)
                                  : write_wire_.take(bytes, state.write_remainder));
    if (moves) state.free_at += (read ? params.read_time : params.write_time)->raw;
    const Tick latency = (read ? params.read_latency : params.write_latency)->raw;
    ++state.serving;
    sim().stamps().mark(r.stamps, in_queue, now());
    sim().stamps().mark(r.stamps, in_drive, state.free_at + latency);
    after<&FixedDrive::served>(Time {state.free_at + latency - now()},
                               {r.sectors, move_contents(r), r.tag, r.op});
}

/// Begins a due task if its announcement is old enough, and reports the load.
void FixedDrive::run_task() {
    if (task_due() && (!port.load || state.load.may_begin(now(), params.announce()))) {
        state.writes = 0;
        ++stat.tasks;
        state.free_at = state.task_until = std::max(state.free_at, now()) + params.task_time->raw;
    }
    if (!port.load) return;
    const bool working = state.task_until > now();
    state.load.report(*port.load, working || task_due(), stat.announcements);
    if (task_due())
        arm(state.load.due, state.load.since + params.announce->raw);
    else if (working)
        arm(state.load.due, state.task_until);
}

/// Stores the contents of a write; returns the contents of a read.
Contents::Id FixedDrive::move_contents(const protocol::BlockRequest& r) {
    Contents& contents = sim().contents();
    if (!contents.enabled()) return {};
    const std::uint64_t first = r.sector * block_bytes() / SectorBytes::size;
    const std::uint64_t count = r.sectors * block_bytes() / SectorBytes::size;
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
