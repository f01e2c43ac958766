#include "mem/page_cache/paged_dram.hh"

#include "device_parts/named.hh"
#include "device_parts/record_part.hh"

namespace memsim::mem {

using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

PagedDram::PagedDram(const Config& config, SimulationRef sim, State& state, Owner& owner)
    : config_(config), sim_(sim), state_(state), owner_(owner) {
    state_.requests.resize(config_.requests);
    for (std::uint32_t i = config_.requests; i-- > 0;) state_.free.push_back(i);
}

std::string PagedDram::refusal(const MemRequest& r, const std::string& page) {
    if (protocol::for_a_cache(r.command))
        return "accepts reads, writes and atomics, not commands to a cache";
    return "a request of " + std::to_string(r.bytes) + "B at address " + std::to_string(r.address) +
           " does not lie within one " + page;
}

std::uint32_t PagedDram::take(const MemRequest& r, std::uint32_t frame) {
    const std::uint32_t slot = state_.free.back();
    state_.free.pop_back();
    state_.requests[slot] = {r, sim_.now(), frame, none};
    state_.stalled = false;
    return slot;
}

void PagedDram::wait(Transfer& t, std::uint32_t request) {
    (t.head == none ? t.head : state_.requests[t.tail].next) = request;
    t.tail = request;
}

Stamps::Id PagedDram::stamps_of(const Transfer& t) const {
    for (std::uint32_t r = t.head; r != none; r = state_.requests[r].next)
        if (const Stamps::Id id = state_.requests[r].request.stamps) return id;
    return {};
}

std::optional<MemResponse> PagedDram::answer_passing(Transfer& t, Distribution& latency) {
    if (t.head == none) return {};
    const std::uint32_t slot = t.head;
    const Request q = device_parts::named(state_.requests, slot);
    if (q.request.command != Command::read) return {};
    t.head = q.next;
    if (t.head == none) t.tail = none;
    latency.sample(Time {sim_.now() - q.since});
    MemResponse answer = protocol::answer(q.request);
    if (Contents& contents = sim_.contents(); t.in) {
        answer.contents = contents.create();
        const std::uint64_t first = q.request.address % config_.page / SectorBytes::size;
        for_each_sector(q.request, [&](std::uint64_t, std::uint32_t i) {
            SectorBytes data;
            device_parts::read_sector(contents, t.in, static_cast<std::uint32_t>(first + i), data);
            contents[answer.contents].pieces.push_back({i, data});
        });
    }
    state_.free.push_back(slot);
    return answer;
}

void PagedDram::copy_out(std::uint32_t frame) {
    Transfer& t = owner_.transfer(frame);
    t.left = config_.page / config_.line;
    if (sim_.contents().enabled()) t.out = sim_.contents().create();
    state_.copies.push({frame, 0, false});
}

MemRequest PagedDram::next() {
    const bool copy = state_.demand.empty() || (!state_.copies.empty() && state_.copy_next);
    state_.copy_next = !state_.copy_next;
    return copy ? next_line() : next_request();
}

MemRequest PagedDram::next_request() {
    const std::uint32_t slot = state_.demand.pop();
    const Request& q = state_.requests[slot];
    MemRequest r = q.request;
    r.address = address(q.frame, r.address % config_.page);
    r.tag = slot;
    r.source = 0;
    sim_.stamps().mark(r.stamps, static_cast<std::size_t>(protocol::Stage::queue), sim_.now());
    owner_.sent(q.frame);
    if (r.posted) {
        owner_.done(q.frame);
        state_.free.push_back(slot);
    }
    return r;
}

MemRequest PagedDram::next_line() {
    Copy& c = state_.copies.front();
    MemRequest r;
    r.address = address(c.frame, std::uint64_t {c.line} * config_.line);
    r.bytes = config_.line;
    r.command = c.in ? Command::write : Command::read;
    r.posted = c.in;
    r.tag = config_.requests + c.frame;
    Contents& contents = sim_.contents();
    if (c.in && contents.enabled()) {
        const std::uint32_t sectors = config_.line / SectorBytes::size;
        r.contents =
            device_parts::part_of(contents, owner_.transfer(c.frame).in, c.line * sectors, sectors);
        contents[r.contents].moves = true; // the frame held another page before
    }
    if (++c.line * config_.line < config_.page) return r;
    const Copy done = state_.copies.pop();
    if (done.in) {
        contents.release(std::exchange(owner_.transfer(done.frame).in, {}));
        owner_.copied_in(done.frame);
    }
    return r;
}

std::optional<MemResponse> PagedDram::answered(const MemResponse& r, Distribution& latency) {
    if (r.tag >= config_.requests) {
        const std::uint32_t frame = r.tag - config_.requests;
        Transfer& t = owner_.transfer(frame);
        MEMSIM_ASSERT(t.left, "the DRAM answers a read that was not sent");
        device_parts::add_part(
            sim_.contents(), t.out,
            static_cast<std::uint32_t>((r.address - address(frame, 0)) / SectorBytes::size),
            r.contents);
        if (--t.left == 0) {
            if (t.out) device_parts::sort_parts(sim_.contents(), t.out);
            owner_.copied_out(frame);
        }
        return {};
    }
    const Request& q = device_parts::named(state_.requests, r.tag);
    latency.sample(Time {sim_.now() - q.since});
    owner_.done(q.frame);
    MemResponse answer = protocol::answer(q.request);
    answer.contents = r.contents;
    state_.free.push_back(r.tag);
    return answer;
}

void PagedDram::waits_on(WaitReport& report, const std::string& component,
                         const std::string& dram) const {
    if (const std::size_t under_way = state_.requests.size() - state_.free.size())
        report.add(component + ": " + std::to_string(under_way) + " requests are outstanding, " +
                   std::to_string(state_.demand.size()) + " wait for " + dram);
}

void PagedDram::check_loaded(Loader& l, std::uint64_t frames) const {
    const std::size_t requests = state_.requests.size();
    for (const Request& r : state_.requests) {
        if (r.frame != none) l.index("dram.requests.frame", r.frame, frames);
        if (r.next != none) l.index("dram.requests.next", r.next, requests);
    }
    l.indices("dram.demand", state_.demand, requests);
    for (std::uint32_t i = 0; i < state_.demand.size(); ++i)
        l.index("dram.demand", state_.requests[state_.demand[i]].frame, frames);
    for (std::uint32_t i = 0; i < state_.copies.size(); ++i) {
        l.index("dram.copies", state_.copies[i].frame, frames);
        l.index("dram.copies.line", state_.copies[i].line, config_.page / config_.line);
    }
}

void PagedDram::check_loaded(Loader& l, std::string_view field, const Transfer& t) const {
    std::uint32_t r = t.head, last = none;
    for (std::size_t left = state_.requests.size(); r != none && left; --left) {
        l.index(field, r, state_.requests.size());
        last = r, r = state_.requests[r].next;
    }
    l.within(field,
             [&] { l.check(r == none && last == t.tail, "is not a list of requests that ends"); });
}

} // namespace memsim::mem
