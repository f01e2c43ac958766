#include "cxl_gpu/deterministic_store.hh"

#include "core/kernel/registry.hh"
#include "cxl_gpu/stored_bytes.hh"

namespace memsim::cxl_gpu {

using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<DeterministicStore> deterministic_store {
    "Completes stores to a CXL endpoint with a copy in GPU memory."};
/// Search in the tree of lines of the reserve.
static const Stage lookup {"reserve_lookup"};

void DeterministicStore::init() {
    line_ = static_cast<std::uint64_t>(params.line->raw);
    const Bytes end {params.reserve_base->raw + params.reserve->raw};
    if (params.local_memory->raw && end > params.local_memory())
        refuse("reserve", "it ends at " + Text<Bytes>::show(end) +
                              ", beyond the end of the memory at " + params.local_memory.text());
    const auto lines = static_cast<std::uint64_t>(params.reserve->raw) / line_;
    state.reserve.resize(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(lines, params.entries())));
    state.jobs.resize(params.requests());
}

void DeterministicStore::wake() {
    auto& in = port.cpu_side;
    hear();
    while (!port.local_side.empty()) come_back(port.local_side.pop(), true);
    while (!port.mem_side.empty()) come_back(port.mem_side.pop(), false);
    if (state.gate.due(now()) && (state.reserve.stacked() || !in.empty()))
        state.gate.judge_load(params.suspend_at(), now(), params.poll->raw);
    bool more = true;
    while (more) {
        more = write_lines();
        more |= flush();
        for (; !in.empty() && accept(in.front()); more = true) in.pop();
    }
    if (state.gate.suspended && (state.reserve.stacked() || !in.empty()) && !state.poll.armed())
        arm(state.poll, state.gate.look_at);
    stat.suspended.set(now(), state.gate.suspended);
    stat.reserve.set(now(), state.reserve.size());
    stat.stacked.set(now(), state.reserve.stacked());
}

void DeterministicStore::hear() {
    if (!port.telemetry) return;
    while (!port.telemetry->empty()) {
        const protocol::DevLoad load = port.telemetry->pop().load;
        const bool suspended = state.gate.suspended;
        state.gate.report(load, params.suspend_at(), now(), params.poll->raw);
        ++stat.reports[load];
        stat.suspensions += state.gate.suspended && !suspended;
    }
}

// ---- requests --------------------------------------------------------------------------------

/// Returns false if the request must wait.
bool DeterministicStore::accept(const MemRequest& r) {
    if (r.is_hint()) return ++(port.mem_side.offer(r) ? stat.hints : stat.hints_dropped), true;
    if (line_of(r.address) != line_of(r.address + r.bytes - 1))
        refuse("line", "a request of " + std::to_string(r.bytes) + " bytes at " +
                           std::to_string(r.address) + " does not lie within one line of " +
                           params.line.text());
    switch (r.command) {
    case Command::read:
        return load(r);
    case Command::write:
        return store(r);
    default:
        return atomic(r);
    }
}

bool DeterministicStore::load(const MemRequest& r) {
    const std::uint32_t e = state.reserve.find(line_of(r.address)), first = first_sector(r);
    std::uint32_t stored = 0, missing = 0;
    for_each_sector(r, [&](std::uint64_t, std::uint32_t i) {
        const std::uint32_t sector = 1u << (first + i);
        const bool here = e != Reserve::none && state.reserve[e].sectors & sector;
        stored |= here ? sector : 0;
        missing |= here && state.reserve[e].whole & sector ? 0 : sector;
    });
    if (state.jobs.free() == 0 || (stored && !port.local_side.can_send()) ||
        (missing && !port.mem_side.can_send()))
        return false;
    look_up(r);
    const bool both = stored && missing;
    const std::uint32_t tag = state.jobs.add(both ? Kind::both : Kind::load, r, now());
    Job& job = state.jobs[tag];
    job.waits_for = both ? 2 : 1;
    if (stored) {
        std::copy(state.reserve[e].known.begin() + first, state.reserve[e].known.end(),
                  job.known.begin());
        MemRequest copy = at(e, r);
        if (both) copy.stamps = {};
        send(port.local_side, copy, tag);
    }
    if (missing) send(port.mem_side, r, tag);
    ++stat.loads[both ? LoadPath::both : stored ? LoadPath::reserve : LoadPath::endpoint];
    return true;
}

bool DeterministicStore::store(const MemRequest& r) {
    std::uint32_t e = state.reserve.find(line_of(r.address));
    if (e == Reserve::none && state.reserve.full()) {
        if (!through(r)) return false;
        ++stat.stores[StorePath::waited];
        return true;
    }
    if (state.jobs.free() < 2 || !port.local_side.can_send()) return false;
    look_up(r);
    StorePath path = StorePath::merged;
    if (e == Reserve::none) {
        const bool dual = !state.gate.suspended && state.writing == 0 && port.mem_side.can_send();
        path = dual ? StorePath::dual : StorePath::stacked;
        e = state.reserve.claim(line_of(r.address), r.application,
                                dual ? Reserve::Phase::leaving : Reserve::Phase::stacked);
    } else
        state.reserve[e].again = state.reserve[e].phase == Reserve::Phase::leaving;
    Reserve::Entry& entry = state.reserve[e];
    MemRequest copy = at(e, r);
    copy.contents = stored_bytes::copy(sim().contents(), entry, r.contents, first_sector(r));
    entry.record_store(r, first_sector(r));
    send(port.local_side, copy, state.jobs.add(Kind::store, r, now()));
    if (path == StorePath::dual) {
        MemRequest write = r;
        write.stamps = {}; // its time is attributed to the copy
        const std::uint32_t tag = state.jobs.add(Kind::dual, r, now());
        state.jobs[tag].entry = e;
        send(port.mem_side, write, tag);
        ++state.writing;
    } else
        sim().contents().release(r.contents);
    ++stat.stores[path];
    return true;
}

/// Sends a request to the endpoint, whose answer completes it.
bool DeterministicStore::through(const MemRequest& r) {
    if (state.jobs.free() == 0 || !port.mem_side.can_send()) return false;
    look_up(r);
    send(port.mem_side, r, state.jobs.add(Kind::through, r, now()));
    ++state.writing;
    return true;
}

bool DeterministicStore::atomic(const MemRequest& r) {
    const std::uint32_t e = state.reserve.find(line_of(r.address));
    if (e == Reserve::none) {
        if (!through(r)) return false;
        ++stat.atomics;
        return true;
    }
    if (state.reserve[e].phase == Reserve::Phase::stacked) {
        state.reserve.raise(e);
        if (state.writing < params.flushes() && state.jobs.free() && port.local_side.can_send())
            start_flush();
    }
    return false;
}

// ---- the stack -------------------------------------------------------------------------------

bool DeterministicStore::flush() {
    bool any = false;
    for (; state.reserve.stacked() && state.writing < params.flushes() && state.jobs.free() &&
           port.local_side.can_send();
         any = true) {
        if (state.gate.suspended) {
            if (!state.gate.probe || state.writing) break;
            state.gate.probe = false;
            ++stat.probes;
        }
        start_flush();
    }
    return any;
}

/// Reads the newest line of the stack, in order to write it to the endpoint.
void DeterministicStore::start_flush() {
    const std::uint32_t e = state.reserve.leave();
    const Reserve::Entry& entry = state.reserve[e];
    const std::uint32_t first = entry.first_sector();
    MemRequest r = entry.read(line_);
    const MemRequest copy = at(e, r);
    r.command = Command::write;
    r.partial = static_cast<std::uint16_t>((entry.sectors & ~entry.whole) >> first);
    const std::uint32_t tag = state.jobs.add(Kind::flush, r, now());
    send(port.local_side, copy, tag);
    Job& job = state.jobs[tag];
    job.entry = e;
    std::copy(entry.known.begin() + first, entry.known.end(), job.known.begin());
    job.moved = static_cast<std::uint16_t>(entry.moved >> first);
    ++state.writing;
    ++stat.flushes;
}

/// Writes lines that were read from the reserve to the endpoint.
bool DeterministicStore::write_lines() {
    bool any = false;
    for (; !state.to_write.empty() && port.mem_side.can_send(); any = true) {
        const std::uint32_t tag = state.to_write.pop();
        Job& job = state.jobs[tag];
        MemRequest r = job.request;
        r.contents = std::exchange(job.found, {});
        send(port.mem_side, r, tag);
    }
    return any;
}

// ---- answers ---------------------------------------------------------------------------------

void DeterministicStore::come_back(const MemResponse& r, bool reserved) {
    Job& job = state.jobs.waiting(r.tag);
    Contents& contents = sim().contents();
    if (reserved && job.kind != Kind::store) stored_bytes::narrow(contents, job, r.contents);
    Contents::Id found = r.contents;
    switch (job.kind) {
    case Kind::store:
    case Kind::load:
        break;
    case Kind::both:
        if (--job.waits_for) {
            job.found = r.contents;
            return;
        }
        found = reserved ? stored_bytes::lay_over(contents, job.found, r.contents)
                         : stored_bytes::lay_over(contents, r.contents, job.found);
        break;
    case Kind::through:
        --state.writing;
        break;
    case Kind::flush:
        if (reserved) {
            job.found = r.contents;
            return state.to_write.push(r.tag);
        }
        stat.flush_time.sample(Time {now() - job.since});
        [[fallthrough]];
    case Kind::dual:
        --state.writing;
        state.reserve.left(job.entry);
        sim().contents().release(r.contents);
        return state.jobs.end(r.tag);
    }
    const bool read = job.request.command == Command::read;
    (read ? stat.load_latency : stat.store_latency).sample(Time {now() - job.since});
    if (job.request.needs_response()) {
        MemResponse answer = protocol::answer(job.request);
        answer.packed = r.packed;
        answer.contents = found;
        sim().stamps().mark(answer.stamps, lookup, now() + params.latency->raw);
        port.cpu_side.send(answer);
    } else
        sim().contents().release(found);
    state.jobs.end(r.tag);
}

// ---- helpers ---------------------------------------------------------------------------------

void DeterministicStore::look_up(const MemRequest& r) {
    const Time depth {params.level_time->raw * state.reserve.levels()};
    state.looked_up = std::max(state.looked_up, now() + depth.raw);
    sim().stamps().mark(r.stamps, lookup, state.looked_up);
}

/// Sends a message not before the last search ends, so that both sides see the same order.
void DeterministicStore::send(Requester<Mem>& side, MemRequest r, std::uint32_t tag) {
    r.tag = tag;
    r.source = 0;
    r.posted = false;
    side.send_ahead(r, Time {std::max(state.looked_up - now(), Tick {0})});
}

std::uint32_t DeterministicStore::first_sector(const MemRequest& r) const {
    return static_cast<std::uint32_t>(r.address % line_ / SectorBytes::size);
}

/// The address of an entry's line in GPU memory.
std::uint64_t DeterministicStore::place(std::uint32_t entry) const {
    return static_cast<std::uint64_t>(params.reserve_base->raw) + entry * line_;
}

/// The request redirected to the line of an entry, without the program's bytes.
MemRequest DeterministicStore::at(std::uint32_t entry, MemRequest r) const {
    r.address = place(entry) + r.address % line_;
    r.contents = {};
    return r;
}

// ---- functional accesses, reports ------------------------------------------------------------

void DeterministicStore::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint32_t e = state.reserve.find(line_of(access.address));
    if (e != Reserve::none) {
        FunctionalAccess copy = access;
        copy.address = place(e) + access.address % line_;
        const std::uint32_t stored =
            device_parts::named(state.reserve[e].known, access.address % line_ / SectorBytes::size);
        if (access.write) copy.data.known &= stored;
        look_through(port.local_side, copy);
        if (!access.write) {
            copy.data.known &= stored;
            access.data.fill(copy.data);
        }
    }
    look_through(port.mem_side, access);
}

std::vector<MemoryUse> DeterministicStore::memory_uses() const {
    return {{"its reserve", static_cast<std::uint64_t>(params.reserve_base->raw),
             static_cast<std::uint64_t>(params.reserve->raw)}};
}

void DeterministicStore::check_loaded(Loader& l) const {
    state.jobs.check_loaded(l, state.reserve.capacity());
    l.indices("to_write", state.to_write, state.jobs.size());
}

void DeterministicStore::waits_on(WaitReport& report) const {
    if (state.jobs.under_way() || state.reserve.stacked())
        report.add(path() + " has " + std::to_string(state.jobs.under_way()) +
                   " messages outstanding and " + std::to_string(state.reserve.stacked()) +
                   " lines to write to the endpoint");
}

std::optional<std::string> DeterministicStore::imbalance() const {
    if (state.reserve.size() == 0 && state.jobs.under_way() == 0) return {};
    return "the endpoint lacks " + std::to_string(state.reserve.size()) + " lines, and " +
           std::to_string(state.jobs.under_way()) + " messages are outstanding";
}

} // namespace memsim::cxl_gpu
