#include "gpu/sm/copy_unit.hh"

namespace memsim::gpu {

CopyUnit::CopyUnit(const CopyParams& params, const Clock& clock, LoadStoreUnit& unit,
                   SharedMemory& shared, CopyStats& stats, State& state)
    : params_(params), clock_(clock), unit_(unit), shared_(shared), state_(state) {
    stats.copies.gather([&state] { return state.issued; });
    stats.bulk_copies.gather([&state] { return state.bulk_issued; });
    stats.arrivals.gather([&state] { return state.threads_arrived; });
    stats.copied_bytes.gather([&state] { return state.copied; });
    stats.copy_waits.gather([&state] { return state.waited; });
}

void CopyUnit::begin(const gpu_program::WarpOp& op, const ResidentBlock& block, Slots slots,
                     std::uint32_t result, const ClockEdge& edge) {
    std::uint32_t number = 0;
    while (number < state_.copies.size() && state_.copies[number].live) ++number;
    if (number == state_.copies.size()) state_.copies.emplace_back();
    Copy& c = state_.copies[number] = {};
    c.tile = op.tile;
    c.tile.address += block.base;
    c.live = true;
    c.slots = slots;
    c.application = block.application;
    c.pc = op.pc;
    c.result = result;
    c.start = clock_.advance(edge, params_.bulk_latency()).tick;
    state_.queue.push(number);
    ++state_.bulk_issued;
}

bool CopyUnit::arrived(const gpu_program::WarpOp& op, Slots slots, Tick now) {
    if (state_.barriers.reached(slots.block, op.tile.barrier, op.awaited)) return true;
    state_.barriers.waiting.push_back({op.awaited, now, op.tile.barrier, slots.block, slots.warp});
    return false;
}

void CopyUnit::send_both(Tick now) {
    while (due(now)) {
        if (!unit_.accepts()) return;
        if (unit_.queued() && !state_.engine_turn) {
            unit_.send_first();
            state_.engine_turn = true;
        } else {
            access(now);
            state_.engine_turn = false;
        }
    }
    unit_.send();
}

/// Accesses the next line of the first copy.
void CopyUnit::access(Tick now) {
    const std::uint32_t number = state_.queue.front();
    Copy& c = state_.copies[number];
    const std::uint64_t address = c.tile.address + c.row * c.tile.pitch + c.at;
    const std::uint32_t bytes = std::min(unit_.left_of_line(address), c.tile.row_bytes - c.at);
    protocol::MemRequest r;
    r.pc = c.pc;
    r.warp = static_cast<std::uint8_t>(c.slots.warp);
    r.application = c.application;
    unit_.send_line(r, {address, bytes}, number);
    ++c.outstanding;
    c.at += bytes;
    if (c.at == c.tile.row_bytes) ++c.row, c.at = 0;
    if (c.row == c.tile.rows) state_.queue.drop();
    state_.next_access = clock_.advance(clock_.at_or_after(now), 1).tick;
}

std::uint32_t CopyUnit::write(const LoadStoreUnit::Sent& sent, const ClockEdge& edge) {
    constexpr std::uint32_t bytes_a_cycle = 128; // 32 banks of 4 bytes
    const std::uint32_t passes = (sent.bytes + bytes_a_cycle - 1) / bytes_a_cycle;
    const std::int64_t start = std::max(edge.cycle, shared_.free_at);
    shared_.access(start, passes);
    state_.arrivals.push({clock_.advance(edge, start + passes - edge.cycle).tick, sent});
    return passes;
}

Tick CopyUnit::next(Tick now) const {
    Tick first = state_.arrivals.empty() ? never : state_.arrivals.front().ready;
    if (!state_.queue.empty() && start() > now) first = std::min(first, start());
    return first;
}

void CopyUnit::waits_on(const std::string& sm, WaitReport& report) const {
    if (const std::size_t n = state_.barriers.waiting.size())
        report.add(sm + " has " + std::to_string(n) + " warps that wait at transaction barriers");
}

void CopyUnit::check_loaded(Loader& l, std::size_t warps, std::size_t blocks) const {
    for (std::uint32_t i = 0; i < state_.arrivals.size(); ++i)
        unit_.check(l, "arrivals", state_.arrivals[i].sent, warps, state_.copies.size());
    for (const Copy& c : state_.copies) {
        l.index("copies.warp", c.slots.warp, warps);
        l.index("copies.block", c.slots.block, state_.barriers.arrived.size());
        l.index("copies.result", c.result, std::size_t {Scoreboard::places});
        l.index("copies.barrier", c.tile.barrier,
                std::size_t {gpu_program::most_transaction_barriers});
    }
    l.indices("queue", state_.queue, state_.copies.size());
    for (std::uint32_t i = 0; i < state_.queue.size(); ++i) {
        const Copy& c = state_.copies[state_.queue[i]];
        l.check(c.live && c.row < c.tile.rows && c.at < c.tile.row_bytes,
                "has a bulk copy with no line to access");
    }
    l.check(state_.barriers.arrived.size() <= blocks, "has barriers of more blocks than slots");
    state_.barriers.check_loaded(l, warps);
}

} // namespace memsim::gpu
