#include "mem/dram/controller.hh"

#include "core/kernel/registry.hh"
#include "mem/dram/device/command_log.hh"
#include "protocol/traffic.hh"

namespace memsim::mem {

static const Registration<DramController> dram_controller {
    "One channel of DRAM behind an FR-FCFS controller."};

using protocol::Command;

namespace {
constexpr std::uint32_t no_request = ~std::uint32_t {0};
} // namespace

unsigned DramController::banks_of(const void* params) {
    try {
        const DramTiming t = timing_of(*static_cast<const Params*>(params));
        return t.ranks * t.banks();
    } catch (const ConfigError&) {
        return 1;
    }
}

void DramController::init() {
    try {
        timing_ = timing_of(params);
    } catch (const ConfigError& e) {
        refuse("timing", params.timing->name() + ": " + e.what());
    }
    if (const auto fault = fault_of(params, timing_)) refuse(fault->parameter, fault->why);
    try {
        map_.emplace(address_map());
    } catch (const ConfigError& e) {
        refuse("map", e.what());
    }
    share();
    const Rate rate = params.channel_rate->raw ? params.channel_rate() : timing_.rate;
    pseudo_.emplace(params.pseudo_channels(), timing_.ranks / params.pseudo_channels(),
                    DataBus::Config {rate, timing_.tRTRS, params.channel_latency, timing_.tRTW},
                    state.buses);
    device_.emplace(timing_, pseudo_->transfer_time(timing_.burst), state.device);
    dram_.emplace(DramScheduler::Config {.read_queue = params.read_queue,
                                         .write_queue = params.write_queue,
                                         .write_high = params.write_high,
                                         .write_low = params.write_low,
                                         .read_batch = params.read_batch,
                                         .write_batch = params.write_batch,
                                         .write_idle = params.write_idle->raw,
                                         .page = params.page(),
                                         .most_accesses = params.most_accesses,
                                         .order = params.order(),
                                         .refresh = params.refresh(),
                                         .bank_queue = params.bank_queue},
                  *device_, pseudo_->buses(), state.scheduler,
                  DramCounters {stat.activates, stat.precharges, stat.refreshes, stat.row_hits,
                                stat.row_misses, stat.row_conflicts, stat.forwarded, stat.bus_bytes,
                                stat.bus_busy},
                  std::nullopt,
                  DramBankCounters {stat.bank_reads, stat.bank_writes, stat.bank_activates,
                                    stat.bank_row_hits});
    state.bank_hash.make(params.bank_hash, *this, "bank_hash");
    if (!state.bank_hash->fits(timing_.banks()))
        refuse("bank_hash", params.bank_hash.text() + " does not fit " +
                                std::to_string(timing_.banks()) +
                                " banks of a rank: their number must be a power of two");
    dram_->init(path(), sim().seed());
    check_policies();
    // A request holds one place until its last piece is done. Pieces wait in the queues; reads also
    // occupy the wires. Twice the capacity of the queues is always enough.
    const std::uint32_t places = 2 * dram_->places();
    state.requests.assign(places, {});
    state.packed.assign(places, {});
    state.stages.assign(places, {});
    contents_.emplace(sim().contents(), state.requests, state.contents);
    state.free.clear();
    for (std::uint32_t i = places; i-- > 0;) state.free.push_back(i);
}

/// Refuses policies that do not fit together, or not the timing table.
void DramController::check_policies() const {
    if (params.bank_queue == 0 && dram_->traits().mixed)
        refuse("bank_queue", "is 0, but order " + params.order.text() +
                                 " has a queue for each bank: set it to at least 1");
    if (params.bank_queue && dram_->traits().plans_ahead)
        refuse("bank_queue", "a committed order considers all requests: set it to 0");
    if (params.write_idle->raw && dram_->traits().mixed)
        refuse("write_idle", "order " + params.order.text() +
                                 " has an `idle` of its own: set that one, and leave "
                                 "write_idle at 0fs");
    if (dram_->traits().mixed && (params.read_batch() || params.write_batch()))
        refuse(params.read_batch() ? "read_batch" : "write_batch",
               "order " + params.order.text() + " serves reads and writes together: set it to 0");
    if (params.pseudo_channels() > 1 && dram_->traits().plans_ahead)
        refuse("order", "a committed order supports one data bus, but pseudo_channels is " +
                            params.pseudo_channels.text() + ": choose another order");
    if (timing_.tRPW.raw && dram_->traits().plans_ahead)
        refuse("order", "a committed order requires that all rows close in tRP, but " +
                            params.timing->name() + " has a tRPW: choose another order");
    if (state.scheduler.refresh->single_banks() && timing_.tRFCpb.raw == 0)
        refuse("refresh", params.timing->name() + " has no single-bank refresh: tRFCpb is 0fs");
}

device_parts::AddressMap DramController::address_map() const {
    const DramTiming t = timing_of(params);
    const std::int64_t granule = params.interleave->raw ? params.interleave->raw : t.burst;
    return {params.map,
            {params.hash_rounds() ? 1u : std::max(1u, params.channels()), t.ranks, t.groups,
             t.banks_per_group,
             static_cast<std::uint32_t>(params.capacity->raw / (t.row.raw * t.ranks * t.banks())),
             static_cast<std::uint32_t>(t.row.raw / t.burst), t.burst,
             static_cast<std::uint32_t>(granule / t.burst)}};
}

/// A crossbar that selects by a hash states no share, so parameters have to.
void DramController::share_by_hash() {
    if (params.channels() == 0 || params.interleave->raw == 0)
        refuse("hash_rounds",
               "the channels, their interleave and this channel are not known from the "
               "connection: give all three");
    protocol::check_hash(port.cpu_side, "hash_rounds");
    chunk_ = static_cast<std::uint64_t>(params.interleave->raw);
    dealt_ = {chunk_, params.channels(), params.hash_rounds()};
    index_ = params.channel();
}

/// Determines the addresses that this channel serves.
void DramController::share() {
    if (params.hash_rounds()) return share_by_hash();
    const bool by_map = params.channels > 0;
    const auto agreed = protocol::agreed_share(
        port.cpu_side,
        {params.channels(), by_map ? map_->channel_chunk() : 0,
         by_map || params.channel ? params.channel() : protocol::StatedShare::no_index, "channels",
         "interleave", "channel"});
    if (!agreed && params.channel >= std::max(1u, params.channels()))
        refuse("channel", params.channel.text() + " is not below channels = 1");
    if (!agreed || by_map || agreed->ways == 1) return;
    if (agreed->chunk % timing_.burst)
        refuse("timing", "a burst of " + std::to_string(timing_.burst) + "B would be split: " +
                             agreed->dealt_by->path() + " sends this channel " + agreed->text());
    dealt_ = {agreed->chunk, agreed->ways, 0};
    chunk_ = agreed->chunk, index_ = agreed->index;
}

void DramController::wake() {
    tell_commands(*this, *device_, [this] { issue_and_accept(); });
    stat.queued.set(now(), dram_->reads() + dram_->writes());
    if (dram_->next_action() != never) arm(state.command, dram_->next_action());
    if (dram_->next_done() != never) arm(state.done, dram_->next_done());
}

void DramController::issue_and_accept() {
    do {
        dram_->run(now());
        collect();
    } while (accept());
}

/// Accepts requests while there is space. Returns true if the scheduler received any.
bool DramController::accept() {
    auto& in = port.cpu_side;
    bool any = false;
    while (!in.empty()) {
        const protocol::MemRequest& r = in.front();
        if (protocol::for_a_cache(r.command)) { // no effect on a memory
            if (r.posted)
                in.pop();
            else if (in.can_send())
                in.send(protocol::answer(in.pop()));
            else
                return any;
            continue;
        }
        if (state.front == no_request) {
            if (state.free.empty() || !dram_->can_accept(r.command != Command::read)) return any;
            state.front = state.free.back();
            state.free.pop_back();
            state.front_bytes = 0;
            state.requests[state.front] = {r.address, now(),     r.bytes,   r.tag,   1,
                                           r.source,  r.sectors, r.command, r.posted};
            state.packed[state.front] = r.packed;
            if (sim().stamps().enabled()) state.stages[state.front] = {r.stamps, never};
            if (sim().contents().enabled()) contents_->accept(state.front, r.contents);
        }
        const std::uint32_t before = state.front_bytes;
        const Moved moved = moved_by(r);
        queue_pieces(moved);
        any |= state.front_bytes != before;
        if (state.front_bytes < moved.bytes) return any;
        // A write is complete for its sender when the queue accepts it.
        const std::uint32_t request = state.front;
        const bool answer_now = r.command == Command::write && !r.posted;
        if (answer_now && !in.can_send()) return any;
        state.front = no_request;
        in.pop();
        if (answer_now) {
            const protocol::MemResponse answer = answer_to(request);
            sim().stamps().mark(answer.stamps, static_cast<std::size_t>(protocol::Stage::queue),
                                now());
            sim().stamps().mark(answer.stamps, static_cast<std::size_t>(protocol::Stage::dram),
                                now() + params.latency->raw);
            in.send(answer);
            state.requests[request].answered = true;
        }
        piece_done(request, never, now());
    }
    return any;
}

/// Queues the front request row by row, without the sectors that it does not need, while there is
/// space.
void DramController::queue_pieces(const Moved& r) {
    while (state.front_bytes < r.bytes && dram_->can_accept(r.write)) {
        const protocol::Part part = protocol::next_part(r, state.front_bytes, timing_.burst);
        std::uint64_t address = r.address + part.offset;
        std::uint32_t most = part.bytes;
        if (chunk_) {
            if (dealt_.way(address) != index_) refuse_address(address, dealt_.way(address));
            most = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(most, chunk_ - address % chunk_));
            address = dealt_.within(address);
        }
        if (address >= map_->capacity())
            throw ConfigError(
                path() + ".capacity: address " + std::to_string(r.address) + " is beyond the " +
                std::to_string(map_->capacity()) +
                " bytes of the map: spread the requests over more channels or raise the capacity");
        const device_parts::DramPlace place = map_->place(address);
        if (!chunk_ && place.channel != params.channel) refuse_address(address, place.channel);
        const std::uint32_t piece = map_->contiguous(address, most);
        const std::uint32_t in_burst = static_cast<std::uint32_t>(address % timing_.burst);
        const std::uint32_t bursts = (in_burst + piece + timing_.burst - 1) / timing_.burst;
        ++state.requests[state.front].left;
        dram_->enqueue({state.front, bank_of(place), place.row, place.column,
                        static_cast<std::uint16_t>(bursts), r.write, DramPriority::demand},
                       now());
        state.front_bytes = part.offset + piece;
    }
}

void DramController::refuse_address(std::uint64_t address, std::uint32_t channel) const {
    if (state.front_bytes > 0)
        refuse("channel", "a request crosses into channel " + std::to_string(channel) +
                              " at address " + std::to_string(address) +
                              ": a request must lie within a chunk of one channel's addresses");
    refuse("channel", "address " + std::to_string(address) + " belongs to channel " +
                          std::to_string(channel) +
                          ": the component that spreads the requests must use the same map");
}

void DramController::collect() {
    while (dram_->next_done() <= now()) {
        const DramDone d = dram_->pop_done();
        piece_done(d.context, d.started, d.at);
    }
    auto& out = port.cpu_side;
    while (!state.unanswered.empty() && out.can_send()) {
        const std::uint32_t request = state.unanswered.pop();
        protocol::MemResponse answer = answer_to(request);
        if (sim().contents().enabled()) answer.contents = contents_->take(request);
        sim().stamps().mark(answer.stamps, static_cast<std::size_t>(protocol::Stage::dram),
                            now() + params.latency->raw);
        out.send(answer);
        state.free.push_back(request);
    }
}

protocol::MemResponse DramController::answer_to(std::uint32_t request) const {
    const DramRequest& r = state.requests[request];
    const Stamps::Id stamps =
        sim().stamps().enabled() ? state.stages[request].stamps : Stamps::Id {};
    return {r.address, r.bytes, r.command, r.source, r.tag, r.sectors, state.packed[request],
            stamps,    {}};
}

void DramController::functional(const PortBase&, FunctionalAccess& access) {
    contents_->functional(access);
}

/// Completes a piece of a request, and with the last piece the request.
void DramController::piece_done(std::uint32_t request, Tick started, Tick at) {
    DramRequest& r = state.requests[request];
    const bool stamped = sim().stamps().enabled();
    State::Stages& stages = state.stages[request];
    if (stamped) stages.started = std::min(stages.started, started);
    if (--r.left) return;
    if (sim().contents().enabled()) contents_->complete(request);
    if (r.command == Command::read) {
        ++stat.reads;
        stat.read_latency.sample(Time {at - r.accepted});
    } else
        ++stat.writes;
    stat.bytes += protocol::payload(r);
    if (stamped && !r.answered) {
        sim().stamps().mark(stages.stamps, static_cast<std::size_t>(protocol::Stage::queue),
                            stages.started);
        sim().stamps().mark(stages.stamps, static_cast<std::size_t>(protocol::Stage::dram), at);
    }
    if (r.answered)
        state.free.push_back(request);
    else
        state.unanswered.push(request);
}

void DramController::check_loaded(Loader& l) const {
    const std::size_t places = state.requests.size();
    const auto of = [&](std::uint32_t request) { l.index("requests", request, places); };
    dram_->check_loaded(l, of);
    l.indices("unanswered", state.unanswered, places);
    l.indices("contents.writes", state.contents.writes, places);
    if (state.front != no_request) l.index("front", state.front, places);
}

void DramController::waits_on(WaitReport& report) const {
    if (dram_->reads() + dram_->writes())
        report.add(path() + " has " + std::to_string(dram_->reads()) + " reads and " +
                   std::to_string(dram_->writes()) + " writes to issue");
}

std::optional<std::string> DramController::imbalance() const {
    if (!pending() && dram_->idle()) return {};
    return std::to_string(state.requests.size() - state.free.size()) +
           " requests were not completed";
}

} // namespace memsim::mem
