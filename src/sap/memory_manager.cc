#include "sap/memory_manager.hh"

#include "core/kernel/registry.hh"

#include <algorithm>

namespace memsim::sap {

using protocol::UpcomingAccesses;

static const Registration<MemoryManager> memory_manager {
    "Queries warp schedulers and sends hints for upcoming accesses to the memory below (SAP)."};

void MemoryManager::init() {
    unit_ = static_cast<std::uint64_t>(params.unit->raw);
    period_ = Clock(params.clock()).cycles(params.period());
    state.answers.resize(params.sms);
    over_slices_ = {static_cast<std::uint64_t>(params.interleave->raw), params.slices};
    if (params.trigger() == Trigger::period && !port.hints)
        refuse("trigger", "hints each period require a memory: bind hints");
    if (params.trigger() == Trigger::miss && port.hints && !port.misses)
        refuse("trigger", "hints at a miss require a memory that reports misses: bind misses, or "
                          "set trigger=period");
    for (auto [ports, caches] : {std::pair {&port.l1, &l1_}, std::pair {&port.l2, &l2_}}) {
        caches->resize(ports->size());
        for (unsigned i = 0; i < ports->size(); ++i)
            if (!((*caches)[i] = protocol::probed((*ports)[i])))
                refuse((*ports)[i].name(), "it must be bound to port control[0] of a cache");
    }
    if (!port.hints && port.recorded.size() == 0)
        refuse("hints", "no component receives the recorded units: bind hints or recorded");
}

/// Caches know their addresses after init().
void MemoryManager::start() {
    for (std::uint64_t chunk = 0; !l2_.empty() && chunk < 4 * l2_.size(); ++chunk) {
        const std::uint64_t address = chunk * static_cast<std::uint64_t>(params.interleave->raw);
        const auto& looks = port.l2[over_slices_.way(address)];
        if (!protocol::probed(looks)->sees(address))
            refuse("interleave", "address " + std::to_string(address) + " is looked up by " +
                                     looks.name() + " in " + looks.neighbour_path() +
                                     ", which does not serve it: give both the same");
    }
    arm(state.next, state.look_at);
}

void MemoryManager::wake() {
    for (std::uint32_t sm = 0; sm < params.sms; ++sm) take_answers(sm);
    while (port.misses && !port.misses->empty()) {
        port.misses->pop();
        ++stat.misses;
        if (params.trigger() == Trigger::miss) queue_recorded();
    }
    if (may_query()) query_schedulers();
    send_hints();
}

bool MemoryManager::may_query() const {
    return std::ranges::any_of(state.answers,
                               [](const Answer& a) { return a.query == Query::none; });
}

/// Queries the SMs that have answered, each period.
void MemoryManager::query_schedulers() {
    if (now() < state.look_at) return arm(state.next, state.look_at);
    if (params.trigger() == Trigger::period) queue_new();
    for (unsigned i = 0; i < params.sms; ++i) {
        if (state.answers[i].query != Query::none) continue;
        port.queries[i].send({params.lookahead(), true});
        state.answers[i].query = Query::asked;
        ++stat.looks;
    }
    state.look_at = now() + period_ - now() % period_;
}

void MemoryManager::take_answers(std::uint32_t sm) {
    for (auto& answers = port.upcoming[sm]; !answers.empty() && listeners_ready();) {
        UpcomingAccesses a = answers.pop();
        Answer& answer = state.answers[sm];
        if (answer.query == Query::asked) answer.units.take_all([](std::uint64_t) {});
        answer.query = a.last ? Query::none : Query::answering;
        record(sm, a);
    }
}

/// Records the lines that no cache holds.
void MemoryManager::record(std::uint32_t sm, UpcomingAccesses& a) {
    const auto seen = static_cast<std::uint8_t>(a.announced().size());
    a.count = 0;
    stat.lines += seen;
    for (std::uint8_t i = 0; i < seen; ++i) {
        const std::uint64_t line = a.lines[i];
        if (cached(sm, line)) continue;
        a.lines[a.count++] = line;
        stat.dropped_units += state.record.add(line / unit_, params.record);
        if (params.trigger() == Trigger::period)
            state.answers[sm].units.add(line / unit_, params.record);
    }
    stat.cached_lines += seen - a.count;
    stat.recorded.set(now(), state.record.size());
    if (a.count == 0) return;
    for (unsigned i = 0; i < params.listeners; ++i) port.recorded[i].send(a);
}

bool MemoryManager::listeners_ready() const {
    for (unsigned i = 0; i < params.listeners; ++i)
        if (!port.recorded[i].can_send()) return false;
    return true;
}

bool MemoryManager::cached(std::uint32_t sm, std::uint64_t line) const {
    if (!params.looks_into_caches()) return false;
    protocol::SectorProbe probe;
    probe.address = line;
    for (const protocol::Probed* cache : {l1_[sm], l2_[over_slices_.way(line)]}) {
        cache->probe(probe);
        if (probe.valid || probe.dirty) return true;
    }
    return false;
}

/// Queues a unit for a hint. For a memory that accepts few hints, at most one record's worth of
/// units waits.
void MemoryManager::queue_hint(std::uint64_t unit) {
    if (port.hints) stat.dropped_units += state.asking.add(unit, params.record);
}

void MemoryManager::queue_recorded() {
    state.record.take_all([this](std::uint64_t unit) { queue_hint(unit); });
    stat.recorded.set(now(), 0);
}

/// Requests each unit once while it remains valid. Units of an SM that has not answered again
/// remain valid.
void MemoryManager::queue_new() {
    for (const Answer& a : state.answers)
        for (std::uint32_t i = 0; a.query == Query::asked && i < a.units.size(); ++i)
            stat.dropped_units += state.record.add(a.units.units[i], params.record);
    for (std::uint32_t i = 0; i < state.record.size(); ++i)
        if (const std::uint64_t unit = state.record.units[i]; !state.before.noted.find(unit))
            queue_hint(unit);
    state.before.take_all([](std::uint64_t) {});
    std::swap(state.before, state.record);
    stat.recorded.set(now(), 0);
}

void MemoryManager::send_hints() {
    for (; port.hints && !state.asking.empty() && port.hints->can_send(); ++stat.hints)
        port.hints->send(
            protocol::hint(state.asking.take() * unit_, static_cast<std::uint32_t>(unit_)));
}

void MemoryManager::check_loaded(Loader& l) const {
    l.check(state.record.sound() && state.before.sound() && state.asking.sound() &&
                std::ranges::all_of(state.answers, [](const Answer& a) { return a.units.sound(); }),
            "has a record whose order and index differ");
}

} // namespace memsim::sap
