#include "flash/block_traffic.hh"

#include "core/registry.hh"

namespace memsim::flash {

static const Registration<BlockTraffic> registered {
    "Sends sequential, random or recorded block requests to a drive."};

using protocol::block_sector_bytes;
using protocol::BlockOp;
static_assert(parts::block_trace_sector == block_sector_bytes);

void BlockTraffic::init() {
    if (params.pattern == BlockPattern::trace) {
        if (params.trace().empty())
            refuse("trace", "the pattern is a trace: give the path of its file");
        if (params.trace_unit->raw == 0)
            refuse("trace_unit", "a trace does not say what its arrivals count: give 1ns, 1us or "
                                 "the like (MQSim's default is 1ns)");
        try {
            trace_.emplace(std::make_unique<parts::InputFile>(params.trace()),
                           protocol::BlockRequest::most_sectors);
        } catch (const ConfigError& e) {
            refuse("trace", e.what());
        }
    } else if (!params.trace().empty())
        refuse("trace", "the pattern is " + params.pattern.text() + ": set pattern to trace");
    if (params.range < params.sectors)
        refuse("range", params.range.text() + " sectors do not hold one request of " +
                            params.sectors.text());
    state.due_at.assign(params.outstanding, 0);
    state.free_tags.clear();
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
    while (!drive.empty()) {
        const protocol::BlockResponse r = drive.pop();
        const Time taken {now() - state.due_at[r.tag]};
        state.free_tags.push_back(r.tag);
        stat.bytes += r.sectors * block_sector_bytes;
        stat.latency.sample(taken);
        if (r.op == BlockOp::read) {
            ++stat.reads;
            stat.read_latency.sample(taken);
        } else {
            ++stat.writes;
            stat.write_latency.sample(taken);
        }
    }
    while (more() && state.due <= now() && drive.can_send()) send_one();
    if (more() && state.due > now()) arm(state.next, state.due);
}

void BlockTraffic::send_one() {
    protocol::BlockRequest r;
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
    r.sector += params.base;
    if (!trace_ && params.read_share() != 100_pct)
        write = !state.rng.chance(params.read_share->raw);
    r.op = write ? BlockOp::write : BlockOp::read;
    r.version = state.sent + 1;
    r.tag = state.free_tags.back();
    state.free_tags.pop_back();
    // As fast as possible: a request is due when it can be sent.
    const bool timed = trace_ || params.period->raw;
    state.due_at[r.tag] = timed ? state.due : now();
    port.drive.send(r);
    ++state.sent;
    if (trace_)
        read_record();
    else if (params.period->raw)
        state.due += params.period->raw;
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
        if (units >= never / unit) trace_->refuse("the time is beyond the end of simulated time");
        state.due = 1 + units * unit;
    } catch (const ConfigError& e) {
        refuse("trace", e.what());
    }
}

/// Only what has an end must be done.
bool BlockTraffic::pending() const {
    return (params.requests != 0 || trace_) && more() && !state.ended;
}

} // namespace memsim::flash
