#include "gpu/sm/sm.hh"

#include "core/kernel/registry.hh"

namespace memsim::gpu {

using gpu_program::WarpOpKind;

static const Registration<Sm> sm {"A streaming multiprocessor, without its L1."};
static const DebugFlag sm_flag {"Sm", "Instructions issued and answers received by SMs"};

void Sm::init() {
    if (static_cast<bool>(port.queries) != static_cast<bool>(port.upcoming))
        refuse(port.queries ? "upcoming" : "queries",
               "is not connected: a component that queries upcoming accesses needs both ports");
    const AccessParams& memory = params.memory;
    unit_.emplace(LoadStoreUnit::Config {static_cast<std::uint32_t>(memory.line->raw),
                                         static_cast<std::uint32_t>(memory.sector->raw),
                                         memory.accesses(), memory.outstanding(), memory.atomics()},
                  port.mem_side, sim_ref(), stat.memory, state.accesses);
    copies_.emplace(params.copy, clock_, *unit_, state.shared, stat.copies, state.copies);
    dispatcher_ = &port.blocks.interface<protocol::HasBlocks>();
    dispatcher_->counts_instructions(*this);
    watched_ = dispatcher_->watches_issue();
    state.warps.resize(params.warp_slots());
    state.blocks.resize(params.block_slots());
    slots_ = IssueSlots(params.schedulers(), params.issue_width(), params.arithmetic_latency(),
                        state.issue_free);
    state.last.resize(params.schedulers());
    own_.assign(params.schedulers(), {});
    for (std::uint32_t w = 0; w < params.warp_slots(); ++w) own_[w % params.schedulers()].add(w);
    state.tensor.cores.resize(params.schedulers());
    arithmetic_ = ArithmeticUnits(params.arithmetic, params.schedulers(), params.warp_slots(),
                                  state.arithmetic);
    const auto book = [this](BookedCycles& busy, const std::int64_t& until) {
        busy.count_ahead([this, &until](Tick now) {
            const std::int64_t next = clock_.at_or_after(now).cycle;
            return static_cast<std::uint64_t>(std::max(until - next, std::int64_t {0}));
        });
    };
    book(stat.shared_passes, state.shared.free_at);
    for (unsigned i = 0; i < params.tensor_cores(); ++i)
        book(stat.tensor.tensor_busy[i], state.tensor.cores[i].free_at);
    for (unsigned i = 0; i < stat.arithmetic.unit_busy.size(); ++i)
        stat.arithmetic.unit_busy[i].count_ahead(
            [this, i](Tick now) { return arithmetic_.occupied(i, clock_.at_or_after(now).cycle); });
}

void Sm::wake() {
    const ReadyWarps::Sets ready = state.ready.sets;
    const bool room = unit_->room();
    while (!port.mem_side.empty()) {
        const LoadStoreUnit::Sent sent = unit_->answered(port.mem_side.pop());
        if (sent.into != Into::registers) [[unlikely]]
            stat.shared_passes += copies_->write(sent, clock_.at_or_after(state.edge, now()));
        else if (sent.result != LoadStoreUnit::no_result)
            result(sent.warp, sent.result);
    }
    const auto arrived = [this](std::uint32_t w, std::uint32_t r) { result(w, r); };
    state.shared.finish(now(), arrived);
    state.tensor.finish(now(), arrived);
    copies_->finish(now(), arrived, [this](std::uint32_t w) { classify(w, cycle()); });
    while (!port.blocks.empty()) start_block(port.blocks.pop());
    copies_->send(now());
    // While the same warps may issue, the time of the next issue is known.
    if (!state.next.armed() || assists() || state.ready.sets != ready || unit_->room() != room)
        schedule();
    if (copies_->active()) arm(state.copies.next, copies_->next(now()));
    if (state.blocks.any_ended()) report_ends();
    if (port.queries) [[unlikely]]
        answer_queries();
}

// ---- scheduling ------------------------------------------------------------------------------

void Sm::schedule() {
    ClockEdge edge;
    if (state.ready.any() || assists()) {
        edge = clock_.at_or_after(state.edge, now());
        const bool at_edge = edge.tick == now(); // operations issue at clock edges
        if (at_edge && assists() &&
            state.assist.serve(*port.helper, slots_, edge.cycle, stat.assist_instructions))
            state.edge = edge;
        state.ready.wake(at_edge ? edge.cycle : edge.cycle - 1,
                         [&](std::uint32_t w) { classify(w, edge.cycle); });
        if (at_edge) issue_all(edge);
        copies_->send(now());
    }
    arm_next(edge);
}

/// A memory operation requires enough queue space for any number of accesses.
WarpSet Sm::candidates(std::int64_t cycle, std::uint32_t scheduler) const {
    const ReadyWarps::Sets& sets = state.ready.sets;
    WarpSet ready = sets.compute;
    if (sets.arithmetic) ready = ready | (sets.arithmetic & arithmetic_.ready(scheduler, cycle));
    if (sets.matrix && state.tensor.free(scheduler, cycle)) ready = ready | sets.matrix;
    if (state.load_store_free <= cycle) {
        if (unit_->room()) ready = ready | sets.memory;
        if (state.shared.free(cycle)) ready = ready | sets.shared;
    }
    return ready & own_[scheduler];
}

void Sm::issue_all(const ClockEdge& edge) {
    for (std::uint32_t s = 0; s < own_.size(); ++s)
        for (unsigned k = 0; k < params.issue_width(); ++k) {
            const WarpSet ready = candidates(edge.cycle, s);
            if (!ready) break;
            const std::size_t slot = slots_.find(s, edge.cycle);
            if (slot == IssueSlots::none) break;
            state.edge = edge;
            const std::uint32_t w =
                choose_warp(params.scheduler(), ready, state.last[s],
                            [this](std::uint32_t i) { return state.warps[i].age; });
            state.last[s] = w;
            issue(w, edge.cycle, slot);
            stat.issued[s] += op_.instructions;
        }
}

void Sm::issue(std::uint32_t w, std::int64_t cycle, std::size_t slot) {
    Warp& warp = state.warps[w];
    ResidentBlock& block = state.blocks[warp.block];
    const std::uint64_t begin = warp.position;
    gpu_program::WarpStreamReader(warp.stream, warp.position).next(op_);
    if (arithmetic_.take(w, op_)) warp.position = begin; // its other instructions follow
    debug(sm_flag, "warp ", w, " issues ", op_.kind, " (instructions ", op_.instructions, ", pc ",
          op_.pc, ")");
    state.ready.take(w);
    state.upcoming.changed = true;
    stat.warp_instructions += op_.instructions;
    const std::uint64_t instructions = op_.thread_instructions();
    stat.thread_instructions += instructions;
    state.executed[block.application] += instructions;
    if (watched_) [[unlikely]]
        dispatcher_->issued(instructions);
    const std::uint32_t cycles = op_.instructions * passes(op_.mask, params.lanes());
    slots_.hold(slot, cycle, cycles);
    switch (op_.kind) {
    case WarpOpKind::compute:
        state.ready.sleep(w, cycle + std::int64_t {cycles} * params.arithmetic_latency());
        return;
    case WarpOpKind::barrier:
        state.ready.sleep(block.arrive(w), cycle + 1);
        return;
    case WarpOpKind::exit:
        warp.exited = true;
        state.ready.sleep(block.exit(), cycle + 1);
        if (!warp.results.outstanding) end_warp(w);
        return;
    case WarpOpKind::load:
    case WarpOpKind::store:
    case WarpOpKind::atomic:
    case WarpOpKind::reduce:
        state.load_store_free = cycle + cycles;
        copies_->count(op_);
        unit_->access(block, w, warp.results, op_);
        break;
    case WarpOpKind::shared:
    case WarpOpKind::arrive:
        state.load_store_free = cycle + cycles;
        access_shared(w, op_, cycle);
        break;
    case WarpOpKind::matrix:
        multiply(w, op_, cycle);
        break;
    case WarpOpKind::bulk_copy:
        copies_->begin(op_, block, {warp.block, w}, warp.results.begin(1, true), state.edge);
        break;
    case WarpOpKind::await:
        if (copies_->arrived(op_, {warp.block, w}, now())) state.ready.sleep(w, cycle + 1);
        return;
    case WarpOpKind::arithmetic:
        ++stat.arithmetic.unit_instructions[op_.unit];
        stat.arithmetic.unit_busy[op_.unit] += arithmetic_.begin(w, op_.unit, cycle);
        break;
    }
    classify(w, cycle + (params.issue_width() == 1));
}

void Sm::access_shared(std::uint32_t w, const gpu_program::WarpOp& op, std::int64_t cycle) {
    ++stat.shared_instructions;
    stat.shared_passes += op.passes;
    state.shared.access(cycle, op.passes);
    if (op.kind == WarpOpKind::arrive)
        state.ready.sleep(copies_->arrive(op, state.warps[w].block, now()), cycle + 1);
    if (!op.has_result) return;
    const ClockEdge ready = clock_.advance(state.edge, op.passes + params.shared_latency());
    state.shared.load({ready.tick, w, state.warps[w].results.begin(1)});
}

void Sm::multiply(std::uint32_t w, const gpu_program::WarpOp& op, std::int64_t cycle) {
    const std::uint32_t core = w % params.schedulers();
    // Each lane multiplies and adds two values in a cycle.
    std::uint32_t cycles = (op.products + params.lanes() - 1) / params.lanes();
    std::uint32_t latency = params.arithmetic_latency();
    if (params.tensor_cores()) {
        cycles = state.shared.operands(cycle, op.passes, params.tensor.cycles(op.products));
        stat.shared_passes += op.passes;
        latency = params.tensor.tensor_latency();
        ++stat.tensor.matrix_operations[core];
        stat.tensor.tensor_busy[core] += cycles;
    }
    const ClockEdge ready = clock_.advance(state.edge, cycles + latency);
    state.tensor.begin(core, cycle, cycles, {ready.tick, w, state.warps[w].results.begin(1)});
}

void Sm::classify(std::uint32_t w, std::int64_t from) {
    Warp& warp = state.warps[w];
    const gpu_program::WarpOpHead next = gpu_program::peek(warp.stream, warp.position);
    warp.results.waits_since = now();
    if (warp.results.holds(next)) return;
    if (const std::int64_t available = arithmetic_.operands(w, next); available > from) {
        state.ready.sleep(w, available);
        return;
    }
    const WarpOpKind kind = arithmetic_.kind(next);
    if (kind == WarpOpKind::arithmetic)
        stat.arithmetic.unit_stalls[next.unit] += arithmetic_.add(w, next.unit, from);
    state.ready.add(w, kind);
}

void Sm::result(std::uint32_t w, std::uint32_t place) {
    Warp& warp = state.warps[w];
    MEMSIM_ASSERT(warp.live, "a response that no warp expects");
    state.upcoming.changed = true;
    if (!warp.results.answered(place)) return;
    if (warp.exited) {
        if (!warp.results.outstanding) end_warp(w);
    } else if (warp.results.releases(place, now(), state.copies.waited))
        classify(w, cycle());
}

/// Arms the timer for the next edge at which an operation can issue, or for the completion of a
/// shared-memory load. `edge`: the first one at or after now, if any warp is ready or asleep.
void Sm::arm_next(const ClockEdge& edge) {
    const ReadyWarps::Sets& ready = state.ready.sets;
    std::int64_t next = state.ready.next_awake();
    const WarpSet memory = unit_->room() ? ready.memory : WarpSet {};
    const bool any = bool(ready.compute | memory | ready.shared | ready.matrix | ready.arithmetic);
    Tick at = never;
    if (any || next != IssueSlots::never || assists()) {
        const std::int64_t from = edge.tick == now() ? edge.cycle + 1 : edge.cycle;
        const std::int64_t unit = std::max(from, state.load_store_free);
        for (std::uint32_t s = 0; any && s < own_.size(); ++s) {
            std::int64_t first = IssueSlots::never;
            if (ready.shared & own_[s]) first = std::max(unit, state.shared.free_at);
            if (memory & own_[s]) first = std::min(first, unit);
            if (ready.matrix & own_[s])
                first = std::min(first, std::max(from, state.tensor.cores[s].free_at));
            if (ready.arithmetic & own_[s])
                first = std::min(first, arithmetic_.next(s, own_[s], from));
            if (ready.compute & own_[s]) first = std::min(first, from);
            if (first < next) next = std::min(next, slots_.next(s, first));
        }
        if (assists()) next = std::min(next, state.assist.next(slots_, from));
        if (next != IssueSlots::never) at = clock_.advance(edge, next - edge.cycle).tick;
    }
    arm(state.next, std::min({at, state.shared.next(), state.tensor.next()}));
}

// ---- blocks ----------------------------------------------------------------------------------

void Sm::start_block(const protocol::BlockStart& start) {
    if (start.application >= state.launches.size()) {
        state.launches.resize(start.application + 1);
        state.executed.resize(start.application + 1);
    }
    if (start.launch > state.launches[start.application]) { // launches may overlap
        state.launches[start.application] = start.launch;
        if (params.empty_l1()) unit_->empty_l1(start.application);
    }
    const std::uint32_t b = state.blocks.place(start);
    if (b == ResidentBlocks::none)
        throw ConfigError(path() + ".block_slots: the dispatcher sends more blocks than the " +
                          std::to_string(params.block_slots()) +
                          " that this SM holds; give both the same block_slots");
    state.copies.barriers.clear(b);
    dispatcher_->take_block(start.application, start.launch, start.block, streams_);
    std::uint32_t w = 0;
    for (auto& stream : streams_) { // an old buffer returns with the next block
        w = state.warps.place(w, b, stream);
        if (w == WarpSlots::none)
            throw ConfigError(path() + ".warp_slots: the dispatcher sends more warps than the " +
                              std::to_string(params.warp_slots()) +
                              " that this SM holds; give both the same warp_slots");
        arithmetic_.begin_warp(w);
        classify(w, cycle());
    }
    state.upcoming.changed = true;
    stat.resident.set(now(), state.warps.live());
}

void Sm::end_warp(std::uint32_t w) {
    state.warps.leave(w);
    state.blocks.warp_ended(state.warps[w].block);
}

void Sm::report_ends() {
    while (state.blocks.any_ended() && port.blocks.can_send()) {
        const ResidentBlock& block = state.blocks.take_ended();
        ++stat.blocks;
        stat.resident.set(now(), state.warps.live());
        port.blocks.send({block.launch, block.number, block.application});
    }
}

/// Whether no warp can issue before a response of the memory arrives.
bool Sm::waits_for_memory() const {
    const ReadyWarps::Sets& ready = state.ready.sets;
    const WarpSet memory = unit_->room() ? ready.memory : WarpSet {};
    return !ready.beside_memory() && !bool(ready.asleep | memory) && state.shared.next() == never &&
           state.tensor.next() == never && state.copies.arrivals.empty();
}

void Sm::answer_queries() {
    UpcomingAnswers& answers = state.upcoming;
    const auto quiet = [&] {
        return state.blocks.live() == 0 || (!answers.changed && waits_for_memory());
    };
    answers.serve(*port.queries, *port.upcoming, quiet, [&] {
        for (std::uint32_t w = 0; w < state.warps.size(); ++w) {
            const Warp& warp = state.warps[w];
            if (!warp.live || warp.exited) continue;
            answers.add({warp.stream, warp.position, warp.results.outstanding, warp.results.latest},
                        w, state.blocks[warp.block], answers.query.operations, *unit_,
                        static_cast<std::uint64_t>(params.memory.line->raw), op_);
        }
    });
}

// ---- reports ---------------------------------------------------------------------------------

void Sm::check_loaded(Loader& l) const {
    const std::size_t warps = state.warps.size(), places = Scoreboard::places;
    state.ready.check_loaded(l, warps);
    state.warps.check_loaded(l, state.blocks.size());
    state.blocks.check_loaded(l, warps);
    state.upcoming.check_loaded(l);
    state.tensor.check_loaded(l, warps, places);
    arithmetic_.check_loaded(l, state.ready.sets.arithmetic);
    l.indices("last", state.last, warps);
    state.shared.check_loaded(l, warps, places);
    unit_->check_loaded(l, warps, state.copies.copies.size());
    copies_->check_loaded(l, warps, state.blocks.size());
    l.within("edge", [&] {
        l.check(clock_.has(state.edge) && state.edge.tick <= l.now(), "is not a clock edge");
    });
}

void Sm::waits_on(WaitReport& report) const {
    if (const std::uint64_t live = state.warps.live())
        report.add(path() + " has " + std::to_string(live) + " warps, of which " +
                   std::to_string(state.warps.waiting()) + " wait for the memory");
    copies_->waits_on(path(), report);
    if (unit_->queued())
        report.add(path() + " has " + std::to_string(unit_->queued()) +
                   " accesses that the L1 has not accepted");
}

} // namespace memsim::gpu
