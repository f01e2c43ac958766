#include "cxl_gpu/queue_logic.hh"

#include "core/kernel/registry.hh"

namespace memsim::cxl_gpu {

using protocol::Command;
using protocol::MemRequest;

static const Registration<QueueLogic> queue_logic {
    "The queues of a CXL root port, with speculative reads."};
/// Time in both queues and of the look-up.
static const Stage queued {"cxl_queue"};

namespace {

std::uint64_t line_of(const MemRequest& r) { return Lines(r).first * Lines::bytes; }

} // namespace

void QueueLogic::init() {
    rule_ = {static_cast<std::uint32_t>(params.least->raw),
             static_cast<std::uint32_t>(params.most->raw),
             static_cast<std::uint32_t>(params.step->raw), params.period->raw};
    state.read_ahead.make(params.read_ahead, *this, "read_ahead");
    state.control.granularity = rule_.least;
    state.ring.resize(params.ring());
    state.sr_queue.reserve(params.sr_queue());
    state.memory_queue.resize(params.memory_queue());
    prior_.reserve(params.memory_queue());
    upcoming_.reserve(params.sr_queue());
    if (state.read_ahead->speculates() && !port.mem_side.takes_hints())
        refuse("read_ahead", "'" + params.read_ahead.text() + "' sends speculative reads, which " +
                                 port.mem_side.neighbour_path() +
                                 " does not accept: bind mem_side to a root port, or choose none");
    if (state.read_ahead->heeds_load() && !port.telemetry)
        refuse("read_ahead",
               "'" + params.read_ahead.text() +
                   "' depends on the endpoint's load: bind telemetry to the root port, "
                   "or choose naive, fixed or none");
}

void QueueLogic::wake() {
    profile();
    while (!port.mem_side.empty()) answer(port.mem_side.pop());
    bool more = true;
    while (more) { // oldest requests first
        more = issue_speculative_reads();
        more |= move_loads();
        more |= take_requests();
        more |= send();
    }
    count_levels();
}

// ---- load reports ----------------------------------------------------------------------------

void QueueLogic::profile() {
    if (!port.telemetry) return;
    while (!port.telemetry->empty()) {
        const protocol::DevLoad load = port.telemetry->pop().load;
        const bool halted = state.control.halted;
        state.control.report(load, rule_, now());
        ++stat.reports[load];
        stat.halts += state.control.halted && !halted && state.read_ahead->heeds_load();
    }
}

void QueueLogic::answer(const protocol::MemResponse& r) {
    const MemoryQueue::Entry& e = state.memory_queue.sent(r.tag);
    const bool read = e.request.command == Command::read;
    (read ? stat.read_latency : stat.write_latency).sample(Time {now() - e.since});
    if (e.request.needs_response()) {
        protocol::MemResponse to = protocol::answer(e.request);
        to.packed = r.packed;
        to.contents = r.contents;
        sim().stamps().mark(to.stamps, queued, now() + params.answer_latency->raw);
        port.cpu_side.send(to);
    } else
        sim().contents().release(r.contents);
    state.memory_queue.release(r.tag);
}

// ---- inputs ----------------------------------------------------------------------------------

bool QueueLogic::take_requests() {
    bool any = false;
    for (; !port.cpu_side.empty() && accept(port.cpu_side.front()); any = true) port.cpu_side.pop();
    return any;
}

/// Returns false if the request must wait.
bool QueueLogic::accept(const MemRequest& r) {
    if (r.is_hint()) return accept_hint(r), true;
    const bool load = r.command == Command::read;
    if (load && state.read_ahead->speculates()) {
        if (state.sr_queue.size() >= usable()) return false;
        state.sr_queue.push({r, now(), 0, RequestPath::halted});
        return true;
    }
    if (state.memory_queue.full() || state.memory_queue.conflicts(r)) return false;
    const Lines lines(r);
    for (std::uint32_t i = 0; i < state.sr_queue.size(); ++i)
        if (lines.overlap(Lines(state.sr_queue[i].request))) return false;
    enqueue(r, now(), load ? RequestPath::plain : RequestPath::store);
    return true;
}

std::uint32_t QueueLogic::usable() const {
    if (!state.read_ahead->heeds_load()) return params.sr_queue();
    return state.control.usable(params.sr_queue(), params.least_sr_queue(), rule_);
}

// ---- the reader ------------------------------------------------------------------------------

/// Issues speculative reads for loads without one, while the memory queue has room.
bool QueueLogic::issue_speculative_reads() {
    if (state.read_ahead->heeds_load() && state.control.halted) return false;
    bool any = false;
    for (std::uint32_t i = 0; i < state.sr_queue.size(); ++i) {
        Waiting& w = state.sr_queue[i];
        if (w.path != RequestPath::halted) continue;
        if (!state.read_ahead->blind() && state.ring.covers(w.request.address, w.request.bytes)) {
            w.path = RequestPath::covered;
            continue;
        }
        if (state.memory_queue.full()) break;
        speculate(i);
        any = true;
    }
    return any;
}

void QueueLogic::speculate(std::uint32_t load) {
    if (state.read_ahead->looks_around()) {
        prior_.clear(), upcoming_.clear();
        state.memory_queue.for_each_request(
            [&](const MemRequest& r) { prior_.push_back(line_of(r)); });
        for (std::uint32_t i = 0; i < state.sr_queue.size(); ++i)
            if (i != load) upcoming_.push_back(line_of(state.sr_queue[i].request));
    }
    Waiting& w = state.sr_queue[load];
    const SpecRead ahead = state.read_ahead->window(line_of(w.request), state.control.granularity,
                                                    {prior_, upcoming_});
    issue(ahead, w.request.application);
    w.path = RequestPath::speculated;
    w.read_at = now();
}

/// Adds a speculative read to the memory queue. Requires room.
void QueueLogic::issue(const SpecRead& ahead, std::uint16_t application) {
    MemRequest hint = protocol::hint(ahead.address, ahead.bytes);
    hint.application = application;
    state.memory_queue.add(hint, now());
    state.ring.add(ahead.address, ahead.bytes);
    const auto length = ahead.bytes / SpecRead::unit;
    ++stat.speculative_reads[length ? length - 1 : static_cast<unsigned>(SpecLength::line)];
    stat.speculative_bytes += ahead.bytes;
}

void QueueLogic::accept_hint(const MemRequest& hint) {
    SpecRead ahead;
    ahead.address = hint.address / SpecRead::unit * SpecRead::unit;
    const std::uint64_t end = hint.address + hint.bytes;
    const std::uint64_t units = (end - ahead.address + SpecRead::unit - 1) / SpecRead::unit;
    ahead.bytes = SpecRead::unit * static_cast<std::uint32_t>(std::min<std::uint64_t>(units, 4));
    const bool halted = state.read_ahead->heeds_load() && state.control.halted;
    if (!port.mem_side.takes_hints() || halted || state.memory_queue.full() ||
        state.ring.covers(ahead.address, ahead.bytes)) {
        ++stat.hints_dropped;
        return;
    }
    ++stat.hints;
    issue(ahead, hint.application);
}

bool QueueLogic::move_loads() {
    bool any = false;
    for (std::uint32_t i = 0; i < state.sr_queue.size() && !state.memory_queue.full();) {
        const Waiting& w = state.sr_queue[i];
        if (state.memory_queue.conflicts(w.request)) {
            ++i;
            continue;
        }
        stat.sr_wait.sample(Time {now() - w.since});
        if (w.path == RequestPath::speculated) stat.lead.sample(Time {now() - w.read_at});
        enqueue(w.request, w.since, w.path);
        state.sr_queue.erase(i);
        any = true;
    }
    return any;
}

// ---- the memory queue ------------------------------------------------------------------------

void QueueLogic::enqueue(const MemRequest& r, Tick since, RequestPath path) {
    state.memory_queue.add(r, since);
    ++stat.requests[path];
}

bool QueueLogic::send() {
    bool any = false;
    for (; port.mem_side.can_send(); any = true) {
        const bool loads = !params.loads_at_once() ||
                           state.memory_queue.outstanding_loads() < params.loads_at_once();
        if (!state.memory_queue.any_unsent(loads)) break;
        MemRequest r = state.memory_queue.send(loads);
        r.source = 0;
        if (r.is_hint()) {
            port.mem_side.offer(r);
            continue;
        }
        r.posted = false;
        sim().stamps().mark(r.stamps, queued, now() + params.latency->raw);
        port.mem_side.send(r);
    }
    return any;
}

void QueueLogic::count_levels() {
    stat.halted.set(now(), state.control.halted && state.read_ahead->heeds_load());
    stat.sr_queue.set(now(), state.sr_queue.size());
    stat.memory_queue.set(now(), state.memory_queue.size());
}

// ---- functional accesses, reports ------------------------------------------------------------

void QueueLogic::functional(const PortBase&, FunctionalAccess& access) {
    look_through(port.mem_side, access);
}

void QueueLogic::check_loaded(Loader& l) const {
    l.within("control", [&] {
        l.check(state.control.granularity >= rule_.least && state.control.granularity <= rule_.most,
                "has a granularity outside its range");
    });
    l.within("sr_queue",
             [&] { l.check(state.sr_queue.size() <= params.sr_queue(), "is too long"); });
}

void QueueLogic::waits_on(WaitReport& report) const {
    if (state.memory_queue.size() || !state.sr_queue.empty())
        report.add(path() + " has " + std::to_string(state.memory_queue.size()) +
                   " requests outstanding at " + port.mem_side.neighbour_path() + ", and " +
                   std::to_string(state.sr_queue.size()) +
                   " loads in the queue of speculative reads");
}

std::optional<std::string> QueueLogic::imbalance() const {
    if (state.memory_queue.size() == 0 && state.sr_queue.empty()) return {};
    return std::to_string(state.memory_queue.size() + state.sr_queue.size()) +
           " requests were not answered";
}

} // namespace memsim::cxl_gpu
