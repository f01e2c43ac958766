#include "link/block_adapter.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"
#include "device_parts/record_part.hh"

namespace memsim::link {

using protocol::block_sector_bytes;
using protocol::BlockOp;
using protocol::BlockRequest;
using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<BlockAdapter> block_adapter {
    "Makes a memory appear as a drive: divides block requests into memory requests."};
static const Stage adapting {"block_adapter"};

void BlockAdapter::init() {
    state.jobs.resize(params.jobs());
    for (std::uint32_t i = params.jobs(); i-- > 0;) state.free.push_back(i);
}

void BlockAdapter::wake() {
    while (!port.mem_side.empty()) part_answered(port.mem_side.pop());
    for (bool more = true; more;) {
        while (!port.requests.empty() && !state.free.empty()) accept(port.requests.pop());
        more = send();
        more |= answer();
    }
}

void BlockAdapter::accept(const BlockRequest& r) {
    const bool moves = r.op == BlockOp::read || r.op == BlockOp::write;
    if (r.op == BlockOp::trim)
        refuse("requests",
               "accepts reads, writes and flushes, not trims: " + port.mem_side.neighbour_path() +
                   " is a memory; write zeros instead");
    if (moves && (r.sectors == 0 || r.sectors > BlockRequest::most_sectors))
        refuse("requests", "a request of " + std::to_string(r.sectors) + " sectors from sector " +
                               std::to_string(r.sector) + ": send 1 to " +
                               std::to_string(BlockRequest::most_sectors));
    const std::uint32_t tag = state.free.back();
    state.free.pop_back();
    const std::uint32_t left = moves ? parts_of(r) : state.writing;
    state.jobs[tag] = {r, now(), state.accepted++, 0, left, {}};
    if (moves) {
        state.writing += r.op == BlockOp::write;
        (r.urgent ? state.urgent : state.others).push(tag);
    } else
        (left ? state.flushes : state.done).push(tag);
}

bool BlockAdapter::send() {
    bool any = false;
    for (; port.mem_side.can_send(); any = true) {
        Fifo<std::uint32_t>& from = state.urgent.empty() ? state.others : state.urgent;
        if (from.empty()) break;
        const std::uint32_t tag = from.front();
        send_part(tag);
        Job& job = state.jobs[tag];
        if (job.sent < parts_of(job.request)) continue;
        sim().contents().release(std::exchange(job.request.contents, {}));
        from.drop();
    }
    return any;
}

void BlockAdapter::send_part(std::uint32_t tag) {
    Job& job = state.jobs[tag];
    const bool write = job.request.op == BlockOp::write;
    MemRequest r;
    r.address = address_of(job.request) + std::uint64_t {job.sent} * block();
    r.bytes = block();
    r.command = write ? Command::write : Command::read;
    r.tag = tag;
    if (Contents& contents = sim().contents(); write && contents.enabled()) {
        const std::uint32_t pieces = block() / SectorBytes::size;
        r.contents =
            device_parts::part_of(contents, job.request.contents, job.sent * pieces, pieces);
        contents[r.contents].moves = true; // a drive's write replaces whatever was there
    }
    if (job.sent++ == 0) { // later parts are outstanding together with the first one
        sim().stamps().mark(job.request.stamps, adapting, now() + params.latency->raw);
        r.stamps = job.request.stamps;
    }
    port.mem_side.send(r);
    ++stat.parts;
    (write ? stat.write_bytes : stat.read_bytes) += block();
}

void BlockAdapter::part_answered(const MemResponse& r) {
    Job& job = device_parts::named(state.jobs, r.tag);
    const std::uint64_t offset = r.address - address_of(job.request);
    MEMSIM_ASSERT(job.left && offset < job.request.sectors * block_sector_bytes,
                  "a memory answers a request that was not sent");
    if (r.contents) {
        Contents& contents = sim().contents();
        if (!job.contents) job.contents = contents.create();
        device_parts::add_part(contents, job.contents,
                               static_cast<std::uint32_t>(offset / SectorBytes::size), r.contents);
    }
    if (--job.left) return;
    if (job.contents) device_parts::sort_parts(sim().contents(), job.contents);
    state.done.push(r.tag);
    if (job.request.op == BlockOp::write) written(job);
}

/// The memory has answered all parts of a write: completes the flushes that waited for it alone.
void BlockAdapter::written(const Job& write) {
    --state.writing;
    for (std::uint32_t i = 0; i < state.flushes.size(); ++i) {
        Job& flush = state.jobs[state.flushes[i]];
        if (flush.number > write.number) --flush.left;
    }
    // A later flush waits for all that an earlier one waits for.
    while (!state.flushes.empty() && state.jobs[state.flushes.front()].left == 0)
        state.done.push(state.flushes.pop());
}

/// Returns true if that has freed a job.
bool BlockAdapter::answer() {
    bool any = false;
    for (; !state.done.empty() && port.requests.can_send(); any = true) {
        const std::uint32_t tag = state.done.pop();
        Job& job = state.jobs[tag];
        const BlockRequest& r = job.request;
        ++(r.op == BlockOp::read    ? stat.reads
           : r.op == BlockOp::write ? stat.writes
                                    : stat.flushes);
        stat.latency.sample(Time {now() - job.since});
        // After the stages of the first part, the request waited for its last part.
        sim().stamps().mark(r.stamps, adapting, now() + params.latency->raw);
        port.requests.send({r.sectors, std::exchange(job.contents, {}), r.tag, r.op});
        job = {};
        state.free.push_back(tag);
    }
    return any;
}

/// Calls f(contents, piece) for each write that holds data of this address and has not sent them.
template <class F>
void BlockAdapter::each_waiting_write(std::uint64_t address, F&& f) {
    for (const Fifo<std::uint32_t>* from : {&state.urgent, &state.others})
        for (std::uint32_t i = from->size(); i-- > 0;) { // the youngest first
            const Job& job = state.jobs[(*from)[i]];
            const std::uint64_t offset = address - address_of(job.request);
            if (job.request.contents && offset >= std::uint64_t {job.sent} * block() &&
                offset < job.request.sectors * block_sector_bytes)
                f(job.request.contents, static_cast<std::uint32_t>(offset / SectorBytes::size));
        }
}

/// Accesses the memory, and writes whose data have not been sent to it.
void BlockAdapter::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t address = access.address;
    access.address += static_cast<std::uint64_t>(params.base->raw);
    Contents& contents = sim().contents();
    each_waiting_write(access.address, [&](Contents::Id held, std::uint32_t piece) {
        if (access.write) {
            device_parts::write_sector(contents, held, piece, access.data);
            return;
        }
        SectorBytes found;
        device_parts::read_sector(contents, held, piece, found);
        access.data.fill(found);
    });
    if (!access.complete()) look_through(port.mem_side, access);
    access.address = address;
}

void BlockAdapter::check_loaded(Loader& l) const {
    const std::size_t n = state.jobs.size();
    l.indices("urgent", state.urgent, n);
    l.indices("others", state.others, n);
    l.indices("flushes", state.flushes, n);
    l.indices("done", state.done, n);
    for (const Fifo<std::uint32_t>* from : {&state.urgent, &state.others})
        for (std::uint32_t i = 0; i < from->size(); ++i) {
            const Job& job = state.jobs[(*from)[i]];
            l.within("jobs", [&] {
                l.check(job.request.sectors <= BlockRequest::most_sectors &&
                            job.sent < parts_of(job.request),
                        "has a request without parts to send");
            });
        }
}

void BlockAdapter::waits_on(WaitReport& report) const {
    if (pending())
        report.add(path() + ": " + std::to_string(state.jobs.size() - state.free.size()) +
                   " block requests wait for " + port.mem_side.neighbour_path());
}

std::optional<std::string> BlockAdapter::imbalance() const {
    if (pending()) return "block requests were not answered";
    return {};
}

} // namespace memsim::link
