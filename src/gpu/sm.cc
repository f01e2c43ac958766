#include "gpu/sm.hh"

#include "core/registry.hh"

namespace memsim::gpu {

using protocol::Command;
using protocol::Stage;
using protocol::WarpOpKind;

static const Registration<Sm> registered {"A streaming multiprocessor, without its L1."};
static const DebugFlag flag {"Sm", "Instructions issued and answers received by SMs"};

namespace {
constexpr std::uint64_t bit(std::uint32_t i) { return std::uint64_t {1} << i; }
bool power_of_two(Bytes b) { return std::has_single_bit(static_cast<std::uint64_t>(b.raw)); }
} // namespace

void Sm::init() {
    if (!power_of_two(params.line()) || !power_of_two(params.sector()) ||
        params.sector() > params.line())
        refuse("sector", "line and sector must be powers of two, and a sector no larger than a "
                         "line of " +
                             Text<Bytes>::show(params.line()));
    coalescer_ = Coalescer(static_cast<std::uint32_t>(params.line->raw),
                           static_cast<std::uint32_t>(params.sector->raw));
    dispatcher_ = dynamic_cast<protocol::HasBlocks*>(&port.blocks.peer()->owner());
    MEMSIM_ASSERT(dispatcher_, "a Dispatch requester must offer its blocks");
    state.warps.resize(params.warp_slots());
    state.blocks.resize(params.block_slots());
    state.sent.resize(params.outstanding());
    for (std::uint32_t tag = params.outstanding(); tag-- > 0;) state.free_tags.push_back(tag);
}

void Sm::wake() {
    while (!port.mem_side.empty()) answer(port.mem_side.pop());
    finish_shared_loads();
    while (!port.blocks.empty()) place(port.blocks.pop());
    send_accesses();
    // Instructions issue at edges of the clock: now, if the scheduler is free, else at the next
    // one.
    for (int warp = choose(); warp >= 0; warp = choose()) {
        if (state.issue.tick < now()) state.issue = clock_.at_or_after(state.issue, now());
        if (state.issue.tick > now()) {
            arm(state.next, state.issue.tick);
            break;
        }
        issue(static_cast<std::uint32_t>(warp));
    }
    send_accesses();
    report_ends();
    const Tick load = state.shared_loads.empty() ? never : state.shared_loads.front().ready;
    const Tick free = state.ready_shared ? state.shared_free.tick : never;
    if (const Tick next = std::min(load, free > now() ? free : never); next != never)
        arm(state.shared_ready, next);
}

/// A warp that may issue a memory instruction does so only when its accesses surely fit the queue.
int Sm::choose() const {
    std::uint64_t ready = state.ready_compute;
    if (state.accesses.size() + protocol::warp_lanes <= params.accesses())
        ready |= state.ready_memory;
    if (state.shared_free.tick <= now()) ready |= state.ready_shared;
    if (ready == 0) return -1;
    if (params.scheduler() == Scheduler::loose_round_robin) {
        const unsigned from = (state.last + 1) & 63;
        return static_cast<int>(
            (static_cast<unsigned>(std::countr_zero(std::rotr(ready, static_cast<int>(from)))) +
             from) &
            63);
    }
    if (ready & bit(state.last)) return static_cast<int>(state.last);
    int oldest = std::countr_zero(ready);
    for (std::uint64_t rest = ready & (ready - 1); rest; rest &= rest - 1) {
        const int w = std::countr_zero(rest);
        if (state.warps[static_cast<std::size_t>(w)].age <
            state.warps[static_cast<std::size_t>(oldest)].age)
            oldest = w;
    }
    return oldest;
}

void Sm::issue(std::uint32_t w) {
    Warp& warp = state.warps[w];
    protocol::WarpStreamReader(warp.stream, warp.position).next(op_);
    debug(flag, "warp ", w, " issues ", op_.instructions, " of kind ",
          static_cast<unsigned>(op_.kind), ", pc ", op_.pc);
    state.last = w;
    state.ready_compute &= ~bit(w);
    state.ready_memory &= ~bit(w);
    state.ready_shared &= ~bit(w);
    stat.warp_instructions += op_.instructions;
    stat.thread_instructions += op_.thread_instructions();
    state.issue = clock_.advance(state.issue, op_.instructions);
    switch (op_.kind) {
    case WarpOpKind::compute:
        settle(w);
        break;
    case WarpOpKind::load:
    case WarpOpKind::store:
    case WarpOpKind::atomic:
    case WarpOpKind::reduce:
        access(w, op_);
        settle(w);
        break;
    case WarpOpKind::shared:
        access_shared(w, op_);
        settle(w);
        break;
    case WarpOpKind::barrier:
        arrive_at_barrier(w);
        break;
    case WarpOpKind::exit:
        state.warps[w].exited = true;
        if (!state.warps[w].outstanding) end(w);
        break;
    }
}

void Sm::settle(std::uint32_t w) {
    Warp& warp = state.warps[w];
    const protocol::WarpOpHead next = protocol::peek(warp.stream, warp.position);
    warp.needs = std::rotl(next.waits, warp.latest);
    if (next.has_result) warp.needs |= bit((warp.latest - 1u) & 63); // whose place it takes
    warp.needs &= warp.outstanding;
    if (warp.needs) return;
    (next.kind == WarpOpKind::shared ? state.ready_shared
     : touches_memory(next.kind)     ? state.ready_memory
                                     : state.ready_compute) |= bit(w);
}

/// The place of a result that so many answers make.
std::uint32_t Sm::begin_result(Warp& warp, std::uint32_t answers) {
    warp.latest = (warp.latest - 1u) & 63;
    warp.answers[warp.latest] = static_cast<std::uint8_t>(answers);
    warp.outstanding |= bit(warp.latest);
    return warp.latest;
}

void Sm::result(std::uint32_t w, std::uint32_t place) {
    Warp& warp = state.warps[w];
    MEMSIM_ASSERT(warp.live && warp.answers[place], "an answer that no warp expects");
    if (--warp.answers[place]) return;
    warp.outstanding &= ~bit(place);
    if (warp.exited) {
        if (!warp.outstanding) end(w);
    } else if (warp.needs && !(warp.needs &= ~bit(place)))
        settle(w);
}

void Sm::access_shared(std::uint32_t w, const protocol::WarpOp& op) {
    ++stat.shared_instructions;
    stat.shared_passes += op.passes;
    state.shared_free = clock_.advance(clock_.at_or_after(state.shared_free, now()), op.passes);
    if (!op.has_result) return;
    const Tick ready = clock_.advance(state.shared_free, params.shared_latency()).tick;
    state.shared_loads.push({ready, w, begin_result(state.warps[w], 1)});
}

void Sm::finish_shared_loads() {
    while (!state.shared_loads.empty() && state.shared_loads.front().ready <= now()) {
        const SharedLoad load = state.shared_loads.pop();
        result(load.warp, load.result);
    }
}

void Sm::access(std::uint32_t w, const protocol::WarpOp& op) {
    coalescer_.run(op);
    const std::uint32_t result =
        op.has_result ? begin_result(state.warps[w], coalescer_.size()) : 0;
    ++stat.memory_instructions;
    stat.requests += coalescer_.size();
    if (op.kind == WarpOpKind::load) stat.read_requests += coalescer_.size();
    for (std::uint32_t i = 0; i < coalescer_.size(); ++i) {
        protocol::MemRequest r;
        r.address = coalescer_[i].address;
        r.bytes = coalescer_[i].bytes;
        r.sectors = coalescer_[i].sectors;
        r.command = op.kind == WarpOpKind::load    ? Command::read
                    : op.kind == WarpOpKind::store ? Command::write
                                                   : Command::atomic;
        r.posted = !op.has_result;
        r.pc = op.pc;
        r.warp = w;
        r.stamps = r.posted ? Stamps::Id {} : sim().stamps().open(now());
        stat.bytes += r.payload();
        state.accesses.push({r, now(), result});
    }
    if (state.accesses.size() + protocol::warp_lanes > params.accesses())
        ++stat.stalled_by_accesses;
}

void Sm::send_accesses() {
    while (!state.accesses.empty() && port.mem_side.can_send()) {
        Access a = state.accesses.pop();
        if (!a.request.posted) {
            a.request.tag = state.free_tags.back(); // the port lets no more than `outstanding` out
            state.free_tags.pop_back();
            state.sent[a.request.tag] = {a.queued, a.request.warp, a.result};
            sim().stamps().mark(a.request.stamps, static_cast<std::size_t>(Stage::sm), now());
        }
        port.mem_side.send(a.request);
    }
}

void Sm::answer(const protocol::MemResponse& response) {
    const Sent& sent = state.sent[response.tag];
    stat.load_latency.sample(Time {now() - sent.queued});
    state.free_tags.push_back(response.tag);
    sim().stamps().close(response.stamps, static_cast<std::size_t>(Stage::response), now());
    result(sent.warp, sent.result);
}

void Sm::place(const protocol::BlockStart& start) {
    if (start.launch != state.launch) {
        protocol::MemRequest empty_l1;
        empty_l1.command = Command::invalidate;
        empty_l1.posted = true;
        state.accesses.push({empty_l1, now(), 0});
        state.launch = start.launch;
    }
    std::uint32_t b = 0;
    while (b < state.blocks.size() && state.blocks[b].live) ++b;
    MEMSIM_ASSERT(b < state.blocks.size(), "an SM was given more blocks than it has slots");
    state.blocks[b] = {true, start.launch, start.block, start.warps, 0, 0};
    dispatcher_->take_block(start.block, streams_);
    std::uint32_t w = 0;
    for (auto& stream : streams_) {
        while (w < state.warps.size() && state.warps[w].live) ++w;
        if (w == state.warps.size())
            throw ConfigError(path() + ".warp_slots: the dispatcher sends more warps than the " +
                              std::to_string(params.warp_slots()) +
                              " that this SM holds; give both the same warp_slots");
        Warp& warp = state.warps[w];
        warp.live = true;
        warp.block = static_cast<std::uint8_t>(b);
        warp.exited = false;
        warp.outstanding = warp.needs = 0;
        warp.age = state.arrivals++;
        warp.position = 0;
        warp.stream.swap(stream); // the old buffer goes back with the next block
        settle(w);
    }
    std::uint64_t resident = 0;
    for (const Warp& warp : state.warps) resident += warp.live;
    stat.resident.set(now(), resident);
}

void Sm::arrive_at_barrier(std::uint32_t w) {
    Block& block = state.blocks[state.warps[w].block];
    block.at_barrier |= bit(w);
    if (++block.arrived < block.warps) return;
    for (std::uint64_t rest = block.at_barrier; rest; rest &= rest - 1)
        settle(static_cast<std::uint32_t>(std::countr_zero(rest)));
    block.arrived = 0;
    block.at_barrier = 0;
}

void Sm::end(std::uint32_t w) {
    Warp& warp = state.warps[w];
    warp.live = false;
    warp.stream.clear();
    Block& block = state.blocks[warp.block];
    if (--block.warps == 0) state.ended.push(warp.block);
    MEMSIM_ASSERT(block.warps == 0 || block.arrived < block.warps,
                  "a warp ended while all others of its block wait at a barrier");
}

void Sm::report_ends() {
    while (!state.ended.empty() && port.blocks.can_send()) {
        Block& block = state.blocks[state.ended.pop()];
        block.live = false;
        ++stat.blocks;
        std::uint64_t resident = 0;
        for (const Warp& warp : state.warps) resident += warp.live;
        stat.resident.set(now(), resident);
        port.blocks.send({block.launch, block.number});
    }
}

unsigned Sm::live_blocks() const {
    unsigned n = 0;
    for (const Block& b : state.blocks) n += b.live;
    return n;
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

std::optional<std::string> Sm::imbalance() const {
    if (state.free_tags.size() == state.sent.size() && state.accesses.empty()) return {};
    return "loads are unanswered at the end";
}

} // namespace memsim::gpu
