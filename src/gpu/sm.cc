#include "gpu/sm.hh"

#include "core/registry.hh"

namespace memsim::gpu {

using program::WarpOpKind;

static const Registration<Sm> registered {"A streaming multiprocessor, without its L1."};
static const DebugFlag flag {"Sm", "Instructions issued and answers received by SMs"};

namespace {
constexpr std::uint64_t bit(std::uint32_t i) { return std::uint64_t {1} << i; }
} // namespace

void Sm::init() {
    coalescer_ = Coalescer(static_cast<std::uint32_t>(params.line->raw),
                           static_cast<std::uint32_t>(params.sector->raw));
    dispatcher_ = dynamic_cast<protocol::HasBlocks*>(&port.blocks.peer()->owner());
    MEMSIM_ASSERT(dispatcher_, "a Dispatch requester must offer its blocks");
    state.warps.resize(params.warp_slots());
    state.blocks.resize(params.block_slots());
    state.sent.resize(params.outstanding());
    for (std::uint32_t tag = params.outstanding(); tag-- > 0;) state.free_tags.push_back(tag);
    slots_ = IssueSlots(params.schedulers(), params.issue_width(), params.arithmetic_latency(),
                        state.issue_free);
    state.last.resize(params.schedulers());
    own_.assign(params.schedulers(), 0);
    for (std::uint32_t w = 0; w < params.warp_slots(); ++w) own_[w % params.schedulers()] |= bit(w);
}

void Sm::wake() {
    const Issuable before = issuable();
    while (!port.mem_side.empty()) answer(port.mem_side.pop());
    finish_shared_loads();
    while (!port.blocks.empty()) place(port.blocks.pop());
    if (!state.accesses.empty()) send_accesses();
    // As long as the same may issue, it is known when.
    if (!state.next.armed() || assists() || issuable() != before) schedule();
    report_ends();
    if (port.queries.size()) [[unlikely]]
        answer_queries();
}

// ---- scheduling ------------------------------------------------------------------------------

void Sm::schedule() {
    ClockEdge edge;
    if (state.asleep | state.ready_compute | state.ready_memory | state.ready_shared | assists()) {
        edge = clock_.at_or_after(state.edge, now());
        if (assists() && edge.tick == now()) assist(edge);
        if (state.asleep) wake_sleepers(edge.tick == now() ? edge.cycle : edge.cycle - 1);
        if (edge.tick == now()) issue_all(edge); // operations issue at edges of the clock
        if (!state.accesses.empty()) send_accesses();
    }
    arm_next(edge);
}

void Sm::wake_sleepers(std::int64_t cycle) {
    if (state.first_awake > cycle) return;
    state.first_awake = IssueSlots::never;
    for (std::uint64_t rest = state.asleep; rest; rest &= rest - 1) {
        const auto w = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (state.warps[w].awake > cycle) {
            state.first_awake = std::min(state.first_awake, state.warps[w].awake);
            continue;
        }
        state.asleep &= ~bit(w);
        settle(w);
    }
}

/// The warps whose next operation may issue in this cycle. A warp that may access memory does so
/// only when its accesses surely fit the queue.
std::uint64_t Sm::candidates(std::int64_t cycle) const {
    std::uint64_t ready = state.ready_compute;
    if (state.load_store_free > cycle) return ready;
    if (room_for_accesses()) ready |= state.ready_memory;
    if (state.shared_free <= cycle) ready |= state.ready_shared;
    return ready;
}

void Sm::issue_all(const ClockEdge& edge) {
    for (std::uint32_t s = 0; s < own_.size(); ++s)
        for (unsigned k = 0; k < params.issue_width(); ++k) {
            const std::uint64_t ready = candidates(edge.cycle) & own_[s];
            if (!ready) break;
            const std::size_t slot = slots_.find(s, edge.cycle);
            if (slot == IssueSlots::none) break;
            state.edge = edge;
            const std::uint32_t w = choose(ready, state.last[s]);
            state.last[s] = w;
            issue(w, edge.cycle, slot);
            stat.issued[s] += op_.instructions;
        }
}

void Sm::assist(const ClockEdge& edge) {
    if (state.assist_end && state.assist_end <= edge.cycle) {
        port.helper[0].pop();
        port.helper[0].send({});
        state.assist_end = 0;
        state.edge = edge;
    } else if (const std::size_t slot = slots_.find(0, edge.cycle);
               state.assist_end == 0 && slot != IssueSlots::none) {
        const std::uint32_t n = port.helper[0].front().instructions;
        slots_.hold(slot, edge.cycle, n);
        state.assist_end = edge.cycle + std::int64_t {n} * params.arithmetic_latency();
        state.edge = edge;
        stat.assist_instructions += n;
    }
}

std::uint32_t Sm::choose(std::uint64_t ready, std::uint32_t last) const {
    if (params.scheduler() == Scheduler::loose_round_robin) {
        const unsigned from = (last + 1) & 63;
        const auto ahead = std::countr_zero(std::rotr(ready, static_cast<int>(from)));
        return (static_cast<unsigned>(ahead) + from) & 63;
    }
    if (ready & bit(last)) return last;
    auto oldest = static_cast<std::uint32_t>(std::countr_zero(ready));
    for (std::uint64_t rest = ready & (ready - 1); rest; rest &= rest - 1) {
        const auto w = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (state.warps[w].age < state.warps[oldest].age) oldest = w;
    }
    return oldest;
}

void Sm::issue(std::uint32_t w, std::int64_t cycle, std::size_t slot) {
    Warp& warp = state.warps[w];
    Block& block = state.blocks[warp.block];
    program::WarpStreamReader(warp.stream, warp.position).next(op_);
    debug(flag, "warp ", w, " issues ", op_.instructions, " of kind ",
          static_cast<unsigned>(op_.kind), ", pc ", op_.pc);
    state.ready_compute &= ~bit(w);
    state.ready_memory &= ~bit(w);
    state.ready_shared &= ~bit(w);
    stat.warp_instructions += op_.instructions;
    stat.thread_instructions += op_.thread_instructions();
    slots_.hold(slot, cycle, op_.instructions);
    switch (op_.kind) {
    case WarpOpKind::compute:
        sleep(w, cycle + std::int64_t {op_.instructions} * params.arithmetic_latency());
        break;
    case WarpOpKind::load:
    case WarpOpKind::store:
    case WarpOpKind::atomic:
    case WarpOpKind::reduce:
        state.load_store_free = cycle + 1;
        access(w, op_);
        settle(w);
        break;
    case WarpOpKind::shared:
        state.load_store_free = cycle + 1;
        access_shared(w, op_, cycle);
        settle(w);
        break;
    case WarpOpKind::barrier:
        ++block.arrived;
        block.at_barrier |= bit(w);
        check_barrier(block, cycle);
        break;
    case WarpOpKind::exit:
        warp.exited = true;
        --block.running;
        check_barrier(block, cycle);
        if (!warp.outstanding) end(w);
        break;
    }
}

void Sm::sleep(std::uint32_t w, std::int64_t until) {
    state.warps[w].awake = until;
    state.first_awake = state.asleep ? std::min(state.first_awake, until) : until;
    state.asleep |= bit(w);
}

void Sm::settle(std::uint32_t w) {
    Warp& warp = state.warps[w];
    const program::WarpOpHead next = program::peek(warp.stream, warp.position);
    warp.needs = std::rotl(next.waits, warp.latest);
    if (next.has_result) warp.needs |= bit((warp.latest - 1u) & 63); // whose place it takes
    warp.needs &= warp.outstanding;
    if (warp.needs) return;
    (next.kind == WarpOpKind::shared ? state.ready_shared
     : touches_memory(next.kind)     ? state.ready_memory
                                     : state.ready_compute) |= bit(w);
}

/// At the next edge at which something can issue, or when a load from shared memory is there.
/// `edge` is the first at or after now, if anything is ready or asleep.
void Sm::arm_next(const ClockEdge& edge) {
    constexpr std::int64_t never_cycle = IssueSlots::never;
    std::int64_t next = state.asleep ? state.first_awake : never_cycle;
    const std::uint64_t memory = room_for_accesses() ? state.ready_memory : 0;
    const std::uint64_t any = state.ready_compute | memory | state.ready_shared;
    Tick at = never;
    if (any || next != never_cycle || assists()) {
        const std::int64_t from = edge.tick == now() ? edge.cycle + 1 : edge.cycle;
        const std::int64_t unit = std::max(from, state.load_store_free);
        for (std::uint32_t s = 0; any && s < own_.size(); ++s) {
            std::int64_t first = never_cycle;
            if (state.ready_shared & own_[s]) first = std::max(unit, state.shared_free);
            if (memory & own_[s]) first = std::min(first, unit);
            if (state.ready_compute & own_[s]) first = std::min(first, from);
            if (first < next) next = std::min(next, slots_.next(s, first));
        }
        if (assists())
            next = std::min(next, state.assist_end ? state.assist_end : slots_.next(0, from));
        if (next != never_cycle) at = clock_.advance(edge, next - edge.cycle).tick;
    }
    if (!state.shared_loads.empty()) at = std::min(at, state.shared_loads.front().ready);
    arm(state.next, at);
}

// ---- blocks ----------------------------------------------------------------------------------

void Sm::place(const protocol::BlockStart& start) {
    if (start.application >= state.launches.size()) state.launches.resize(start.application + 1);
    if (start.launch != state.launches[start.application]) {
        state.launches[start.application] = start.launch;
        protocol::MemRequest empty_l1;
        empty_l1.command = protocol::Command::invalidate;
        empty_l1.posted = true;
        empty_l1.application = start.application;
        if (params.empty_l1()) state.accesses.push({empty_l1, now(), 0});
    }
    std::uint32_t b = 0;
    while (b < state.blocks.size() && state.blocks[b].live) ++b;
    if (b == state.blocks.size())
        throw ConfigError(path() + ".block_slots: the dispatcher sends more blocks than the " +
                          std::to_string(params.block_slots()) +
                          " that this SM holds; give both the same block_slots");
    state.blocks[b] = {true,
                       start.application,
                       start.launch,
                       start.block,
                       start.base,
                       start.stores_before,
                       start.warps,
                       start.warps,
                       0,
                       0,
                       start.local,
                       start.local_warp,
                       start.local_row};
    dispatcher_->take_block(start.application, start.block, streams_);
    std::uint32_t w = 0;
    for (auto& stream : streams_) {
        while (w < state.warps.size() && state.warps[w].live) ++w;
        if (w == state.warps.size())
            throw ConfigError(path() + ".warp_slots: the dispatcher sends more warps than the " +
                              std::to_string(params.warp_slots()) +
                              " that this SM holds; give both the same warp_slots");
        Warp& warp = state.warps[w];
        warp.live = true;
        warp.exited = false;
        warp.block = static_cast<std::uint8_t>(b);
        warp.outstanding = warp.needs = 0;
        warp.age = state.arrivals++;
        warp.position = 0;
        warp.stream.swap(stream); // the old buffer goes back with the next block
        settle(w);
    }
    count_residents();
}

void Sm::count_residents() {
    std::uint64_t resident = 0;
    for (const Warp& warp : state.warps) resident += warp.live;
    stat.resident.set(now(), resident);
}

void Sm::check_barrier(Block& block, std::int64_t cycle) {
    if (block.arrived == 0 || block.arrived < block.running) return;
    for (std::uint64_t rest = block.at_barrier; rest; rest &= rest - 1)
        sleep(static_cast<std::uint32_t>(std::countr_zero(rest)), cycle + 1);
    block.arrived = 0;
    block.at_barrier = 0;
}

void Sm::end(std::uint32_t w) {
    Warp& warp = state.warps[w];
    warp.live = false;
    warp.stream.clear();
    if (--state.blocks[warp.block].warps == 0) state.ended.push(warp.block);
}

void Sm::report_ends() {
    while (!state.ended.empty() && port.blocks.can_send()) {
        Block& block = state.blocks[state.ended.pop()];
        block.live = false;
        ++stat.blocks;
        count_residents();
        port.blocks.send({block.launch, block.number, block.application});
    }
}

unsigned Sm::live_blocks() const {
    unsigned n = 0;
    for (const Block& b : state.blocks) n += b.live;
    return n;
}

void Sm::check_loaded(Loader& l) const {
    const std::size_t warps = state.warps.size(), places = 64; // of results
    for (const std::uint64_t set :
         {state.ready_compute, state.ready_memory, state.ready_shared, state.asleep})
        l.bits("ready", set, warps);
    for (const Warp& warp : state.warps) {
        l.index("warps.block", warp.block, state.blocks.size());
        l.index("warps.latest", warp.latest, places);
    }
    for (const Block& block : state.blocks) l.bits("blocks.at_barrier", block.at_barrier, warps);
    for (std::uint32_t i = 0; i < state.upcoming.size(); ++i)
        l.index("upcoming.count", state.upcoming[i].count,
                protocol::UpcomingAccesses::most_lines + 1);
    l.indices("last", state.last, warps);
    l.indices("ended", state.ended, state.blocks.size());
    const auto expected = [&](std::string_view field, std::uint32_t warp, std::uint32_t result) {
        l.index(field, warp, warps);
        if (result != ~0u) l.index(field, result, places);
    };
    for (std::uint32_t i = 0; i < state.shared_loads.size(); ++i)
        expected("shared_loads", state.shared_loads[i].warp, state.shared_loads[i].result);
    for (std::uint32_t i = 0; i < state.accesses.size(); ++i)
        expected("accesses", state.accesses[i].request.warp, state.accesses[i].result);
    for (const Sent& sent : state.sent) expected("sent", sent.warp, sent.result);
    l.within("edge", [&] {
        const ClockEdge edge = clock_.edge(state.edge.cycle);
        l.check(edge.tick == state.edge.tick && edge.remainder == state.edge.remainder &&
                    edge.tick <= l.now(),
                "is no edge of the clock");
    });
}

void Sm::waits_on(WaitReport& report) const {
    unsigned waiting = 0, live = 0;
    for (const Warp& w : state.warps) {
        live += w.live;
        waiting += w.live && w.outstanding;
    }
    if (live)
        report.add(path() + " has " + std::to_string(live) + " warps, of which " +
                   std::to_string(waiting) + " wait for the memory");
    if (!state.accesses.empty())
        report.add(path() + " has " + std::to_string(state.accesses.size()) +
                   " accesses that the L1 has not taken");
}

/// The dispatcher's look through the machine goes by an SM, as its blocks do.
void Sm::functional(const PortBase&, FunctionalAccess& access) {
    look_through(port.mem_side, access);
}

std::optional<std::string> Sm::imbalance() const {
    if (state.free_tags.size() == state.sent.size() && state.accesses.empty()) return {};
    return "loads are unanswered at the end";
}

} // namespace memsim::gpu
