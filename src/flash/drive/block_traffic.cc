#include "flash/drive/block_traffic.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"
#include "protocol/block_size.hh"

#include <algorithm>

namespace memsim::flash {

static const Registration<BlockTraffic> block_traffic {
    "Sends sequential, random or recorded block requests to a drive."};

using protocol::block_sector_bytes;
using protocol::BlockOp;
static_assert(input_files::block_trace_sector == block_sector_bytes);

void BlockTraffic::init() {
    if (params.pattern == BlockPattern::trace) {
        if (params.trace().empty())
            refuse("trace", "the pattern is a trace: give the path of its file");
        if (params.trace_unit->raw == 0)
            refuse("trace_unit", "the trace does not define the unit of its arrival times: give "
                                 "1ns, 1us or similar (MQSim's default is 1ns)");
        if (params.period->raw)
            refuse("period", "requests have the times of the trace: leave it at 0fs");
        if (params.read_share() != 100_pct)
            refuse("read_share", "the trace states which requests are reads: leave it at 100%");
        try {
            trace_.emplace(std::make_unique<input_files::InputFile>(params.trace()));
        } catch (const ConfigError& e) {
            refuse("trace", e.what());
        }
    } else {
        const std::string advice =
            "the pattern is " + params.pattern.text() + ": set pattern to trace";
        if (!params.trace().empty()) refuse("trace", advice);
        if (params.trace_unit->raw) refuse("trace_unit", advice + ", or leave the unit at 0fs");
        if (params.fold()) refuse("fold", advice + ", or fold to false");
    }
    if (params.range < params.sectors)
        refuse("range", params.range.text() + " sectors are fewer than one request of " +
                            params.sectors.text());
    const auto period = static_cast<std::uint64_t>(params.period->raw);
    if (!trace_ && period && params.until->raw == 0 && params.requests > never / period + 1)
        refuse("period", "the last of " + params.requests.text() + " requests, one every " +
                             params.period.text() + ", is beyond the maximum simulated time");
    protocol::check_block_sectors(port.drive);
    // Each unanswered request has a command in flight, except the one being sent.
    state.requests.assign(params.outstanding + 1, {});
    state.request_of.assign(params.outstanding, 0);
    state.free_requests.clear();
    state.free_tags.clear();
    for (unsigned i = params.outstanding + 1; i-- > 0;) state.free_requests.push_back(i);
    for (unsigned i = params.outstanding; i-- > 0;) state.free_tags.push_back(i);
}

std::vector<std::string> BlockTraffic::inputs() const {
    return params.pattern() == BlockPattern::trace ? std::vector {params.trace()}
                                                   : std::vector<std::string> {};
}

void BlockTraffic::start() {
    if (trace_) read_record();
    arm(state.next, state.due);
}

void BlockTraffic::wake() {
    auto& drive = port.drive;
    while (!drive.empty()) answer(drive.pop());
    while (state.rest.sectors || (more() && state.due <= now())) {
        if (!drive.can_send()) break;
        if (!state.rest.sectors) begin_request();
        send_command();
    }
    if (more() && state.due > now()) arm(state.next, state.due);
}

void BlockTraffic::answer(const protocol::BlockResponse& r) {
    const std::uint32_t at = device_parts::named(state.request_of, r.tag);
    sim().contents().release(r.contents);
    state.free_tags.push_back(r.tag);
    Request& request = state.requests[at];
    request.bytes += r.sectors * block_sector_bytes;
    if (--request.commands || !request.whole) return;
    state.free_requests.push_back(at);
    const Time taken {now() - request.due};
    stat.bytes += request.bytes;
    stat.latency.sample(taken);
    if (r.op == BlockOp::read) {
        ++stat.reads;
        stat.read_latency.sample(taken);
    } else {
        ++stat.writes;
        stat.write_latency.sample(taken);
    }
}

void BlockTraffic::begin_request() {
    protocol::BlockRequest& r = state.rest;
    r.sectors = params.sectors;
    r.urgent = params.urgent;
    bool write = false;
    switch (params.pattern()) {
    case BlockPattern::sequential:
        r.sector = state.offset;
        state.offset += params.sectors;
        if (state.offset + params.sectors > params.range) state.offset = 0;
        break;
    case BlockPattern::random: {
        const std::uint64_t step = params.align ? params.align() : params.sectors();
        const std::uint64_t places = (params.range - params.sectors) / step + 1;
        r.sector = state.rng.below(places) * step;
        break;
    }
    case BlockPattern::trace:
        r.sector = state.record.sector;
        r.sectors = state.record.sectors;
        write = state.record.write;
        if (params.fold && r.sector + r.sectors > params.range) {
            r.sector %= params.range();
            if (r.sector + r.sectors > params.range) r.sector = 0;
        }
        break;
    }
    if (!trace_ && params.read_share() != 100_pct)
        write = !state.rng.chance(params.read_share->raw);
    r.op = write ? BlockOp::write : BlockOp::read;
    state.sending = state.free_requests.back();
    state.free_requests.pop_back();
    // As fast as possible: a request is due when it can be sent.
    const bool timed = trace_ || params.period->raw;
    state.requests[state.sending] = {timed ? state.due : now()};
}

/// Sends the next command of the started request, of at most the drive's maximum size.
void BlockTraffic::send_command() {
    constexpr std::uint64_t most = protocol::BlockRequest::most_sectors;
    protocol::BlockRequest& rest = state.rest;
    if (params.fold && rest.sector >= params.range) rest.sector %= params.range();
    protocol::BlockRequest r = rest;
    r.sector += params.base;
    if (r.sectors > most) r.sectors = most - r.sector % most;
    if (params.fold) r.sectors = std::min(r.sectors, params.range - rest.sector);
    rest.sector += r.sectors;
    rest.sectors -= r.sectors;
    r.tag = state.free_tags.back();
    state.free_tags.pop_back();
    state.request_of[r.tag] = state.sending;
    Request& request = state.requests[state.sending];
    ++request.commands;
    request.whole = rest.sectors == 0;
    port.drive.send(r);
    if (!request.whole) return;
    ++state.sent;
    if (trace_)
        read_record();
    else if (params.period->raw) // never: simulated time ends before
        state.due += std::min(params.period->raw, never - state.due);
    else
        state.due = now();
}

void BlockTraffic::read_record() {
    try {
        const auto record = trace_->next(state.place);
        state.ended = !record;
        if (!record) return;
        state.record = *record;
        if (state.first < 0) state.first = params.from_first ? state.record.arrival : 0;
        const std::int64_t units = state.record.arrival - state.first,
                           unit = params.trace_unit->raw;
        if (units >= never / unit) trace_->refuse("the time is beyond the maximum simulated time");
        state.due = 1 + units * unit;
    } catch (const ConfigError& e) {
        refuse("trace", e.what());
    }
}

void BlockTraffic::check_loaded(Loader& l) const {
    l.indices("request_of", state.request_of, state.requests.size());
    l.index("sending", state.sending, state.requests.size());
}

std::vector<Work> BlockTraffic::work() const {
    if (params.requests == 0) return {};
    return {{path(), "requests sent", state.sent, params.requests, true}};
}

/// Only traffic with an end can be pending.
bool BlockTraffic::pending() const {
    return state.rest.sectors || ((params.requests != 0 || trace_) && more());
}

} // namespace memsim::flash
