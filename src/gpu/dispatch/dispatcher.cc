#include "gpu/dispatch/dispatcher.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"
#include "gpu_program/memory_copy.hh"

#include <algorithm>

namespace memsim::gpu {

using device_parts::named;

static const Registration<Dispatcher> dispatcher {
    "Dispatches the blocks of kernel launches of one or several applications to SMs, in order."};
static const DebugFlag dispatch_flag {"Dispatch", "Kernel launches, and blocks dispatched to SMs"};

/// The dispatcher's parameters must not exceed what an SM holds.
void Dispatcher::check_slots() const {
    const OccupancyParams& own = params.sm;
    for (unsigned i = 0; i < port.sm_side.size(); ++i) {
        const auto* has = port.sm_side[i].find_interface<const protocol::HasSlots>();
        if (!has) continue;
        const auto [warps, blocks] = has->slots();
        const auto check = [&](const char* name, std::uint32_t mine, std::uint32_t others) {
            if (mine > others)
                refuse(name, std::to_string(mine) + ", but " + port.sm_side[i].neighbour_path() +
                                 " has only " + std::to_string(others) + ": give both the same");
        };
        check("warp_slots", own.warp_slots(), warps);
        check("block_slots", own.block_slots(), blocks);
    }
}

void Dispatcher::init() {
    check_slots();
    shares_.resize(params.sharing.applications());
    for (unsigned i = 0; i < params.sharing.applications(); ++i) {
        auto* const host = &port.host[i].interface<protocol::HasKernels>();
        shares_[i].host = host;
        shares_[i].kernels = &host->kernels();
        if (sim().contents().enabled()) {
            if (shares_[i].kernels->memory().empty())
                refuse("host", "application " + std::to_string(i) +
                                   " has no data values, like all traces of addresses: build the "
                                   "machine without contents");
            shares_[i].kernels->note_host_writes();
        }
        check_first_launch(i);
    }
    const std::vector<SmRange> sms = split_sms(params.sharing, params.sms(), path());
    std::vector<std::uint64_t> footprints;
    for (const Share& s : shares_) footprints.push_back(s.kernels->footprint_bytes());
    const std::vector<std::uint64_t> bases =
        place_applications(params.addresses, footprints, path());
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        shares_[i].sms = sms[i];
        shares_[i].base = bases[i];
    }
    state.applications.resize(shares_.size());
    for (std::size_t i = 0; i < shares_.size(); ++i)
        state.applications[i].streams.resize(shares_[i].kernels->streams());
    state.used.resize(params.sms());
    for (unsigned i = 0; i < port.host.size(); ++i) notice_.add_host(port.host[i]);
    for (unsigned i = 0; i < port.sm_side.size(); ++i) notice_.add_sm(port.sm_side[i]);
    stat.cycles.count_in(params.clock());
    stat.executed.gather([this] {
        std::uint64_t sum = 0;
        for (std::uint32_t i = 0; i < shares_.size(); ++i) sum += executed(i);
        return sum;
    });
    for (std::uint32_t i = 0; i < shares_.size(); ++i) {
        stat.application_cycles[i].count_in(params.clock());
        stat.application_executed[i].gather([this, i] {
            const Application& a = state.applications[i];
            return a.before ? a.until_ended : executed(i);
        });
    }
}

/// Refuses a block that fits in no SM before time 0, if the first launch of a stream has it.
void Dispatcher::check_first_launch(std::uint32_t application) {
    gpu_program::KernelSource& kernels = *shares_[application].kernels;
    Saver before;
    kernels.save(before);
    gpu_program::Launch l;
    for (std::uint32_t s = 0; s < kernels.streams(); ++s)
        if (kernels.stream(s).next_launch(l))
            occupancy_.need({false, s, 1, l.blocks(), l.threads_per_block(), l.registers_per_thread,
                             l.shared_bytes},
                            application, path());
    Loader back(before.bytes);
    kernels.load(back);
    if (params.when_one_ends() == WhenOneEnds::repeat)
        shares_[application].initial = std::move(before.bytes);
}

/// With an MMU the applications' addresses are not physical.
std::vector<MemoryUse> Dispatcher::memory_uses() const {
    std::vector<MemoryUse> uses;
    for (std::size_t i = 0; i < shares_.size() && !params.addresses.translated(); ++i)
        uses.push_back({"the data of application " + std::to_string(i), shares_[i].base,
                        shares_[i].kernels->footprint_bytes()});
    return uses;
}

// ---- launches --------------------------------------------------------------------------------

std::uint64_t Dispatcher::executed(std::uint32_t application) const {
    std::uint64_t sum = 0;
    for (const protocol::CountsInstructions* sm : counts_) sum += sm->executed(application);
    return sum;
}

/// The run ends with the tick in which the count is reached, so the order of SMs within a tick does
/// not matter. The count comes from the SMs' states: a restored run pauses only if its checkpoint
/// was written before.
void Dispatcher::issued(std::uint64_t thread_instructions) {
    const std::uint64_t at = params.pause_at_instructions();
    issued_ += thread_instructions;
    if (issued_ == thread_instructions) { // the first call in this process
        issued_ = 0;
        for (std::uint32_t i = 0; i < shares_.size(); ++i) issued_ += executed(i);
    }
    if (issued_ >= at && issued_ - thread_instructions < at)
        sim().request_exit(std::to_string(at) + " thread instructions issued");
}

void Dispatcher::wake() {
    take_ends();
    for (std::uint32_t i = 0; i < state.applications.size(); ++i)
        while (!port.host[i].empty()) {
            const protocol::LaunchReply launch = port.host[i].pop();
            named(state.applications[i].streams, launch.stream).asked = false;
            begin_launch(i, launch);
        }
    for (std::uint32_t i = 0; i < state.applications.size(); ++i) end_launches(i);
    for (std::uint32_t i = 0; i < state.applications.size(); ++i) request_launches(i);
    hand_out();
    // Launches that were cut off before their first block.
    for (std::uint32_t i = 0; i < state.applications.size(); ++i) end_launches(i);
}

void Dispatcher::take_ends() {
    for (std::uint32_t sm = 0; sm < port.sm_side.size(); ++sm)
        while (!port.sm_side[sm].empty()) {
            const protocol::BlockEnd end = port.sm_side[sm].pop();
            Stream& s = named(state.applications, end.application).stream_of(end.launch);
            state.used[sm].give_back(s.block);
            --s.running;
        }
}

void Dispatcher::request_launches(std::uint32_t i) {
    std::vector<Stream>& streams = state.applications[i].streams;
    for (std::uint32_t number = 0; number < streams.size(); ++number) {
        Stream& s = streams[number];
        if (s.blocks || s.asked || s.ended || !port.host[i].can_send()) continue;
        port.host[i].send({number});
        s.asked = true;
        s.asked_at = now();
    }
}

void Dispatcher::begin_launch(std::uint32_t i, const protocol::LaunchReply& launch) {
    Application& a = state.applications[i];
    Stream& s = a.streams[launch.stream];
    const bool past = params.launches() && a.seen >= params.first_launch() &&
                      a.seen - params.first_launch() >= params.launches();
    if (s.ended) return; // the end of another stream ended all
    if (launch.ended || past) {
        s.ended = true;
        if (a.ended()) end_application(i);
        return;
    }
    const std::uint32_t number = a.seen++;
    if (number < params.first_launch()) return skip(i, launch);
    if (i == 0 && number && number == params.pause_at_launch() && !a.before)
        sim().request_exit("launch " + std::to_string(number) + " begins");
    if (sim().contents().enabled()) keep_contents(i);
    s.launch = launch.launch;
    s.blocks = launch.blocks;
    s.next_block = 0;
    s.launch_started = now();
    s.launch_instructions = 0;
    sim().launches().begin(
        {id(), i, launch.stream, launch.launch, shares_[i].host->kernel(), now(), 0, 0, 0});
    s.block = occupancy_.need(launch, i, path());
    const bool one_pool = params.local_pool() == LocalPool::context;
    s.local = a.local_pools.place(*shares_[i].kernels,
                                  one_pool ? 0 : s.block.warps * occupancy_.room(s.block), local_);
    stat.longest_launch.begin(now());
    if (a.under_way++ == 0 && !a.before) stat.application_cycles[i].begin(now());
    if (state.under_way++ == 0) {
        state.since = now();
        stat.kernel_time.begin(now());
        stat.cycles.begin(now());
    }
    ++stat.launches;
    debug(dispatch_flag, "application ", i, ": launch ", launch.launch, " of ", launch.blocks,
          " blocks, ", occupancy_.room(s.block), " per SM");
}

/// A launch before the region takes no time. If the program runs again, its memory is already in
/// the machine, and the changes of the launch are copied there.
void Dispatcher::skip(std::uint32_t i, const protocol::LaunchReply& launch) {
    gpu_program::KernelSource& kernels = *shares_[i].kernels;
    const bool loaded = state.applications[i].loaded;
    const auto writes = kernels.take_host_writes();
    gpu_program::MemoryCopy before;
    if (loaded) memory_of(i).deliver(writes, number_stores(i, 1) + 1), before.take(kernels);
    for (std::uint32_t b = 0; b < launch.blocks; ++b)
        kernels.stream(launch.stream).run_block(b, streams_);
    if (loaded) memory_of(i).deliver(before.changes(), number_stores(i, 1) + 1);
}

void Dispatcher::end_launches(std::uint32_t i) {
    Application& a = state.applications[i];
    for (Stream& s : a.streams) {
        if (!s.blocks || s.has_blocks() || s.running) continue;
        sim().launches().end(id(), i, s.launch, now(), s.launch_instructions,
                             stat.cycles.cycles_of(now() - s.launch_started));
        stat.longest_launch.end(s.launch_started, now());
        s.blocks = s.next_block = 0;
        if (--a.under_way == 0 && !a.before) stat.application_cycles[i].end(now());
        if (--state.under_way) continue;
        stat.kernel_time.end(state.since, now());
        stat.cycles.end(now());
    }
}

/// Called when an application has no further launch.
void Dispatcher::end_application(std::uint32_t i) {
    Application& a = state.applications[i];
    if (!std::exchange(a.before, true)) {
        stat.application_end[i] += Time {now()};
        a.until_ended = a.instructions;
    }
    debug(dispatch_flag, "application ", i, " has ended");
    check_region(state.applications, params.first_launch(), path());
    if (params.when_one_ends() == WhenOneEnds::stop) return start_no_more();
    if (params.when_one_ends() == WhenOneEnds::run_on) return;
    if (std::all_of(state.applications.begin(), state.applications.end(),
                    [](const Application& other) { return other.before; }))
        return start_no_more();
    if (std::ranges::all_of(a.streams, [](const Stream& s) { return s.launch == 0; }))
        return; // none of its launches takes time: it would be restarted for ever
    gpu_program::MemoryCopy before;
    if (a.loaded) before.take(*shares_[i].kernels);
    Loader initial(shares_[i].initial);
    shares_[i].kernels->load(initial);
    if (a.loaded) memory_of(i).deliver(before.changes(), number_stores(i, 1) + 1);
    for (Stream& s : a.streams) s.ended = false;
    a.seen = 0;
    ++stat.application_repeats[i];
}

void Dispatcher::start_no_more() {
    for (Application& a : state.applications) a.start_no_more();
}

void Dispatcher::hand_out() {
    const auto n = static_cast<std::uint32_t>(state.applications.size());
    for (std::uint32_t tried = 0; tried < n;) {
        tried = hand_out_block(state.next) ? 0 : tried + 1;
        state.next = (state.next + 1) % n;
    }
}

bool Dispatcher::hand_out_block(std::uint32_t i) {
    Application& a = state.applications[i];
    const std::uint32_t number = a.next_stream();
    if (number == a.streams.size()) return false;
    Stream& stream = a.streams[number];
    std::uint32_t sm = 0, most = 0;
    for (std::uint32_t s = shares_[i].sms.first; s < shares_[i].sms.end; ++s) {
        const std::uint32_t here = occupancy_.room(state.used[s], stream.block);
        if (here > most) sm = s, most = here;
    }
    if (most == 0 || !port.sm_side[sm].can_send()) return false;
    const std::uint32_t block = stream.next_block++;
    streams_.with_values = sim().contents().enabled();
    shares_[i].kernels->stream(number).run_block(block, streams_);
    const gpu_program::StreamCounts& counts = streams_.counts;
    const std::uint32_t stores_before = number_stores(i, counts.stores);
    stat.warp_instructions += counts.warp_instructions;
    stat.thread_instructions += counts.thread_instructions;
    stat.lane_accesses += counts.lane_accesses;
    if (!a.before) stat.application_instructions[i] += counts.thread_instructions;
    ++stat.blocks;
    state.instructions += counts.thread_instructions;
    a.instructions += counts.thread_instructions;
    stream.launch_instructions += counts.thread_instructions;
    const auto application = static_cast<std::uint16_t>(i);
    port.sm_side[sm].send({shares_[i].base, stream.launch, block,
                           static_cast<std::uint32_t>(streams_.warps.size()), stores_before,
                           application, local_.warp(), local_.row(),
                           stream.local + sm * LocalLayout::sm()});
    state.held.push_back({application, stream.launch, block, std::move(streams_.warps)});
    streams_.warps.clear();
    if (!spare_.empty()) {
        streams_.warps.swap(spare_.back());
        spare_.pop_back();
    }
    debug(dispatch_flag, "block ", block, " of application ", i, " to SM ", sm);
    state.used[sm].take(stream.block);
    ++stream.running;
    if (params.max_instructions() && state.instructions >= params.max_instructions())
        start_no_more();
    if (params.application_instructions() && a.instructions >= params.application_instructions())
        a.start_no_more();
    return true;
}

ProgramMemory Dispatcher::memory_of(std::uint32_t i) const {
    return {*shares_[i].kernels, port.sm_side[shares_[i].sms.first], shares_[i].base,
            static_cast<std::uint16_t>(i)};
}

/// Before a launch: the first launch loads the program's memory into the machine; each later one
/// copies what the host has written since. Copies are not modelled and take no time.
void Dispatcher::keep_contents(std::uint32_t i) {
    Application& a = state.applications[i];
    const auto writes = shares_[i].kernels->take_host_writes();
    if (a.loaded)
        memory_of(i).deliver(writes, number_stores(i, 1) + 1);
    else
        memory_of(i).load();
    a.loaded = true;
}

/// Numbers `n` more stores of an application. Returns the number of earlier ones.
std::uint32_t Dispatcher::number_stores(std::uint32_t i, std::uint64_t n) {
    std::uint64_t& stores = state.applications[i].stores;
    const std::uint64_t before = stores;
    stores += n;
    if (stores >> 32)
        throw ConfigError(path() + ": application " + std::to_string(i) +
                          " has more than 2^32 stores: a machine that carries contents cannot "
                          "order them; simulate fewer launches of it");
    return static_cast<std::uint32_t>(before);
}

void Dispatcher::compare_contents(ContentsReport& report) {
    for (std::uint32_t i = 0; i < shares_.size(); ++i)
        if (state.applications[i].loaded) memory_of(i).compare(sim().contents(), report);
}

void Dispatcher::take_block(std::uint16_t application, std::uint32_t launch, std::uint32_t block,
                            std::vector<std::vector<std::uint8_t>>& warps) {
    const auto it = std::find_if(state.held.begin(), state.held.end(), [&](const Held& h) {
        return h.application == application && h.launch == launch && h.block == block;
    });
    MEMSIM_ASSERT(it != state.held.end(), "a block is fetched that was not dispatched");
    warps.swap(it->warps);
    spare_.push_back(std::move(it->warps));
    state.held.erase(it);
}

/// None if a launch may end without a message, because a limit ends launches of all streams, or if
/// SMs may end the run.
Time Dispatcher::notice() const {
    std::size_t streams = 0;
    for (const Application& a : state.applications) streams += a.streams.size();
    const bool limited = params.max_instructions() || params.application_instructions();
    if (params.pause_at_instructions() || (limited && streams > 1)) return {};
    return notice_.least();
}

bool Dispatcher::pending() const {
    return std::any_of(state.applications.begin(), state.applications.end(),
                       [](const Application& a) { return !a.ended() || a.running() > 0; });
}

/// A block counts as done when it has ended. The total number of launches is unknown.
std::vector<Work> Dispatcher::work() const {
    std::vector<Work> all;
    if (const std::uint64_t most = params.max_instructions())
        all.push_back(
            {path(), "thread instructions", std::min(state.instructions, most), most, true});
    for (std::size_t i = 0; i < state.applications.size(); ++i) {
        const std::string of =
            state.applications.size() > 1 ? " of application " + std::to_string(i) : "";
        for (const Stream& s : state.applications[i].streams)
            if (s.blocks)
                all.push_back({path() + ": launch " + std::to_string(s.launch) + of, "blocks",
                               s.next_block - s.running, s.blocks, false});
    }
    return all;
}

void Dispatcher::check_loaded(Loader& l) const {
    l.index("next", state.next, state.applications.size());
    for (std::size_t i = 0; i < state.applications.size(); ++i) {
        const std::vector<Stream>& streams = state.applications[i].streams;
        l.within("applications.streams", [&] {
            l.check(streams.size() == shares_[i].kernels->streams(),
                    "differ in number from the application's");
            for (const Stream& s : streams) {
                l.check(s.next_block <= s.blocks, "have dispatched more blocks than there are");
                l.check(!s.blocks || (s.block.warps && occupancy_.has(s.block)),
                        "have blocks without warps, or larger than an SM");
            }
        });
    }
    for (const Resources& used : state.used)
        l.within("used", [&] { l.check(occupancy_.has(used), "is more than an SM has"); });
}

void Dispatcher::waits_on(WaitReport& report) const {
    for (std::size_t i = 0; i < state.applications.size(); ++i) {
        const std::string of = " of application " + std::to_string(i);
        for (const Stream& s : state.applications[i].streams)
            if (s.running)
                report.add(path() + " waits for the end of " + std::to_string(s.running) +
                           " blocks of launch " + std::to_string(s.launch) + of);
            else if (!s.ended)
                report.add(path() + " waits for the next launch" + of);
    }
}

std::optional<std::string> Dispatcher::imbalance() const {
    for (const Resources& used : state.used)
        if (!used.none()) return "an SM still holds blocks";
    return {};
}

} // namespace memsim::gpu
