#include "mem/cache.hh"

#include "core/registry.hh"

namespace memsim::mem {

using parts::SectorMask;
using parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

static const Registration<Cache> registered {
    "A bank of a sectored, non-blocking cache with MSHRs: an L1 or a slice of an L2."};

namespace {

std::uint64_t raw(Bytes b) { return static_cast<std::uint64_t>(b.raw); }

SectorMask bits(unsigned first, unsigned n) {
    return static_cast<SectorMask>(((std::uint64_t {1} << n) - 1) << first);
}
std::uint32_t count_of(SectorMask m) { return static_cast<std::uint32_t>(std::popcount(m)); }

} // namespace

void Cache::init() {
    const std::uint64_t line = raw(params.line()), sector = raw(params.sector());
    const std::uint64_t set_bytes = line * params.ways(), capacity = raw(params.capacity());
    if (!std::has_single_bit(line)) refuse("line", "must be a power of two");
    if (!std::has_single_bit(sector) || sector > line || line / sector > TagArray::most_sectors)
        refuse("sector", "must be a power of two, from 1/32 of a line of " +
                             Text<Bytes>::show(params.line()) + " to all of it");
    if (capacity < set_bytes || capacity % set_bytes)
        refuse("capacity",
               Text<Bytes>::show(params.capacity()) + " is not a whole number of sets of " +
                   std::to_string(params.ways()) + " lines of " + Text<Bytes>::show(params.line()) +
                   ": give a multiple of " + std::to_string(set_bytes) + "B");
    if (params.interleave_ways() > 1 && raw(params.interleave_granularity()) % line)
        refuse("interleave_granularity", "must be a multiple of the line, " +
                                             Text<Bytes>::show(params.line()) +
                                             ", for a line to lie in one cache");
    // What a miss sends, and its victim as much.
    constexpr std::uint64_t span = protocol::most_sectors * protocol::sector_bytes;
    const std::uint64_t most = 2 * std::max<std::uint64_t>(1, line / span);
    if (params.mem_queue() < most)
        refuse("mem_queue",
               "must hold what one miss and its victim can send: at least " + std::to_string(most));
    line_bits_ = static_cast<unsigned>(std::countr_zero(line));
    sector_bits_ = static_cast<unsigned>(std::countr_zero(sector));
    window_ = static_cast<unsigned>(std::max<std::uint64_t>(1, span / sector));
    interleave_ = parts::Interleave(raw(params.interleave_granularity()), params.interleave_ways());
    sets_ = parts::Divider(capacity / set_bytes);
    state.tags.resize(sets_.value(), params.ways(), params.replacement());
    state.mshrs.resize(params.mshrs(), params.targets());
    state.below.reserve(params.mem_queue());
    state.passed_on.resize(params.outstanding());
    for (std::uint32_t i = params.outstanding(); i-- > 0;) state.free_passed_on.push_back(i);
}

void Cache::wake() {
    while (!port.mem_side.empty()) fill(port.mem_side.pop());
    while (!state.below.empty() && port.mem_side.can_send()) send_below(state.below.pop());
    auto& in = port.cpu_side;
    while (!in.empty()) {
        if (!state.slots.free(clock_, now(), params.accesses_per_cycle())) {
            arm(state.next_cycle, state.slots.next.tick);
            break;
        }
        const CacheStall cause = serve(in.front());
        if (cause != state.stall) note(cause);
        if (cause != served) break;
        state.slots.take();
        in.pop();
    }
}

SectorMask Cache::span(std::uint64_t address, std::uint32_t bytes) const {
    const std::uint64_t offset = address & ((std::uint64_t {1} << line_bits_) - 1);
    const std::uint64_t first = offset >> sector_bits_;
    const std::uint64_t last = (offset + bytes - 1) >> sector_bits_;
    return static_cast<SectorMask>((std::uint64_t {2} << last) - (std::uint64_t {1} << first));
}

/// The sectors that a message touches, and those that it covers from end to end.
template <class M>
Cache::Touched Cache::sectors(const M& m) const {
    Touched t {span(m.address, m.bytes), 0};
    t.whole = t.any;
    if (const std::uint64_t part = (std::uint64_t {1} << sector_bits_) - 1; part) {
        if (m.address & part) t.whole &= ~span(m.address, 1);
        if ((m.address + m.bytes) & part) t.whole &= ~span(m.address + m.bytes - 1, 1);
    }
    if (m.sectors == 0) return t;
    // Where a sector is more than one of the mask's, some of them touch it and all cover it.
    const unsigned each = 1u << (sector_bits_ - mask_bits);
    const std::uint64_t offset = m.address & ((std::uint64_t {1} << line_bits_) - 1);
    const unsigned lead = static_cast<unsigned>(offset >> mask_bits) & (each - 1);
    const auto first = static_cast<unsigned>(offset >> sector_bits_);
    SectorMask any = 0, whole = 0;
    std::uint64_t rest = std::uint64_t {m.sectors} << lead;
    for (unsigned i = first; rest; ++i, rest >>= each) {
        const std::uint64_t all = (std::uint64_t {1} << each) - 1;
        any |= SectorMask {(rest & all) != 0} << i;
        whole |= SectorMask {(rest & all) == all} << i;
    }
    return {t.any & any, t.whole & whole};
}

/// How many messages these sectors of a line take: one, but where a line is very long.
std::uint32_t Cache::messages(SectorMask m) const {
    std::uint32_t n = 0;
    for_each_message(m, [&](unsigned, SectorMask) { ++n; });
    return n;
}

/// Calls f(first, sectors) for each: `sectors` counted from the first.
template <class F>
void Cache::for_each_message(SectorMask m, F&& f) const {
    while (m) {
        const auto first = static_cast<unsigned>(std::countr_zero(m));
        const auto run = static_cast<unsigned>(std::countr_one(m >> first));
        const SectorMask taken = m & bits(first, std::max(run, window_));
        f(first, taken >> first);
        m &= ~taken;
    }
}

/// Sets what a message to the level below is about.
void Cache::aim(MemRequest& r, std::uint64_t line, unsigned first, SectorMask m) const {
    const auto n = static_cast<unsigned>(std::bit_width(m));
    r.address = (line << line_bits_) + (std::uint64_t {first} << sector_bits_);
    r.bytes = n << sector_bits_;
    r.sectors = 0;
    if ((m & (m + 1)) == 0) return;
    const unsigned each = 1u << (sector_bits_ - mask_bits);
    for (unsigned i = 0; i < n; ++i)
        if (m >> i & 1) r.sectors |= static_cast<std::uint16_t>(bits(i * each, each));
}

Cache::Place Cache::locate(const MemRequest& r) const {
    const std::uint64_t number = r.address >> line_bits_;
    if (r.bytes == 0 || (r.address + r.bytes - 1) >> line_bits_ != number)
        refuse("line", "a request of " + std::to_string(r.bytes) + "B at address " +
                           std::to_string(r.address) + " does not lie within one line of " +
                           Text<Bytes>::show(params.line()) +
                           ": what is above must not ask for more than a line");
    const std::uint64_t own =
        params.interleave_ways() == 1 ? number : interleave_.within(r.address) >> line_bits_;
    const std::uint64_t set = sets_.remainder(own);
    const std::uint32_t line = state.tags.find(set, number);
    const Touched t = sectors(r);
    return {r,
            number,
            set,
            line,
            t.any,
            t.whole,
            line == TagArray::none ? SectorMask {0} : state.tags.valid(line)};
}

CacheStall Cache::serve(const MemRequest& r) {
    if (r.command == Command::invalidate) return invalidate(r);
    const Place p = locate(r);
    const bool stays =
        r.command == Command::read ||
        (write_back() && (r.command == Command::atomic || p.found() || params.write_allocate()));
    const CacheStall cause = !stays ? pass_on(p) : r.command == Command::write ? write(p) : read(p);
    if (cause == served) count(p);
    return cause;
}

/// A read, or an atomic performed here: it needs its sectors.
CacheStall Cache::read(const Place& p) {
    if (!p.hit()) return miss(p);
    state.tags.touch(p.line);
    if (p.request.command == Command::atomic) state.tags.dirty(p.line) |= p.touched;
    answer(p.request, true);
    return served;
}

/// A write to a write-back cache: sectors written in part must be there first.
CacheStall Cache::write(const Place& p) {
    if (p.touched & ~p.whole & ~p.valid) return miss(p);
    std::uint32_t line = p.line;
    if (p.found())
        state.tags.touch(line);
    else {
        line = state.tags.victim(p.set);
        if (line == TagArray::none) return CacheStall::set;
        if (!room_below(messages(state.tags.dirty(line)))) return CacheStall::mem_side;
        evict(line);
        state.tags.replace(line, p.number);
    }
    state.tags.valid(line) |= p.touched;
    state.tags.dirty(line) |= p.touched;
    answer(p.request, true);
    return served;
}

CacheStall Cache::miss(const Place& p) {
    const MemRequest& r = p.request;
    SectorMask missing = p.touched & ~p.valid;
    if (r.command == Command::write) missing &= ~p.whole;
    std::uint32_t line = p.line, mshr = 0;
    if (p.found() && state.tags.locked(line)) {
        mshr = state.tags.lock(line);
        if (state.mshrs.targets_full(mshr)) return CacheStall::targets;
        const SectorMask pending = state.mshrs[mshr].pending;
        if (!room_below(messages(missing & ~pending))) return CacheStall::mem_side;
        count_missing(r, missing & ~pending, missing & pending);
        missing &= ~pending;
    } else {
        if (state.mshrs.full()) return CacheStall::mshrs;
        if (!p.found()) line = state.tags.victim(p.set);
        if (line == TagArray::none) return CacheStall::set;
        const SectorMask dirty = p.found() ? 0 : state.tags.dirty(line);
        if (!room_below(messages(dirty) + messages(missing))) return CacheStall::mem_side;
        count_missing(r, missing, 0);
        if (!p.found()) {
            evict(line);
            state.tags.replace(line, p.number);
        }
        mshr = state.mshrs.allocate(line, now());
        state.tags.lock(line, mshr);
        stat.mshrs_used.set(now(), state.mshrs.size());
    }
    if (p.found()) state.tags.touch(line);
    if (r.needs_response()) ++state.owed;
    state.mshrs.add(mshr, {r, p.touched, missing != 0});
    state.mshrs[mshr].pending |= missing;
    MemRequest fetch = r;
    fetch.command = Command::read;
    fetch.posted = false;
    fetch.source = 0;
    fetch.tag = mshr;
    for_each_message(missing, [&](unsigned first, SectorMask m) {
        aim(fetch, p.number, first, m);
        ++stat.fetches;
        stat.fetched_bytes += fetch.payload();
        state.fetching += fetch.payload();
        queue_below(fetch);
        fetch.stamps = {};
    });
    if (missing == 0) ++stat.merged;
    return served;
}

/// A write or atomic that is performed further down.
CacheStall Cache::pass_on(const Place& p) {
    MemRequest r = p.request;
    if (!room_below(1) || (r.needs_response() && state.free_passed_on.empty()))
        return CacheStall::mem_side;
    const bool drops =
        r.command == Command::atomic || params.write_policy() == WritePolicy::write_evict;
    std::uint32_t line = p.line;
    if (!drops && !p.found() && params.write_allocate() && p.whole) {
        line = state.tags.victim(p.set);
        if (line != TagArray::none) {
            evict(line); // clean: only write-back caches have dirty lines
            state.tags.replace(line, p.number);
        }
    } else if (!drops && p.found())
        state.tags.touch(line);
    if (line != TagArray::none) {
        if (drops) {
            state.tags.valid(line) &= ~p.touched;
            if (state.tags.locked(line)) state.mshrs[state.tags.lock(line)].dropped = true;
        } else if (params.write_allocate())
            state.tags.valid(line) |= p.whole;
    }
    if (r.needs_response()) {
        ++state.owed;
        const std::uint32_t slot = state.free_passed_on.back();
        state.free_passed_on.pop_back();
        state.passed_on[slot] = {r.tag, r.source};
        r.tag = params.mshrs() + slot;
    }
    r.source = 0;
    ++stat.passed_on;
    queue_below(r);
    return served;
}

CacheStall Cache::invalidate(const MemRequest& r) {
    state.tags.drop_clean();
    state.mshrs.drop_all(); // what is on its way left before this
    ++stat.invalidations;
    answer(r, true);
    return served;
}

void Cache::fill(const protocol::MemResponse& r) {
    if (r.tag >= params.mshrs()) {
        const std::uint32_t slot = r.tag - params.mshrs();
        protocol::MemResponse back = r;
        back.tag = state.passed_on[slot].tag;
        back.source = state.passed_on[slot].source;
        state.free_passed_on.push_back(slot);
        --state.owed;
        port.cpu_side.send(back);
        return;
    }
    auto& mshr = state.mshrs[r.tag];
    const std::uint32_t line = mshr.line;
    const SectorMask here = sectors(r).any;
    state.fetching -= r.payload();
    mshr.pending &= ~here;
    if (!mshr.dropped) state.tags.valid(line) |= here;
    state.mshrs.serve(r.tag, [&](const Target& t) {
        if (t.sectors & mshr.pending) return false;
        if (t.request.command != Command::read) {
            state.tags.valid(line) |= t.sectors;
            state.tags.dirty(line) |= t.sectors;
        }
        if (t.request.needs_response()) --state.owed;
        answer(t.request, !t.fetched);
        return true;
    });
    if (mshr.pending) return;
    stat.miss_latency.sample(Time {now() - mshr.since});
    state.tags.unlock(line);
    state.mshrs.release(r.tag);
    stat.mshrs_used.set(now(), state.mshrs.size());
}

void Cache::evict(std::uint32_t line) {
    if (state.tags.valid(line) == 0) return;
    ++stat.evictions;
    MemRequest r;
    r.command = Command::write;
    r.posted = true;
    for_each_message(state.tags.dirty(line), [&](unsigned first, SectorMask m) {
        aim(r, state.tags.tag(line), first, m);
        ++stat.writebacks;
        stat.written_back_bytes += r.payload();
        queue_below(r);
    });
}

/// Time up to the answer's arrival is this stage's, unless the stages below had the request.
void Cache::answer(const MemRequest& r, bool mark) {
    if (!r.needs_response()) return;
    if (mark)
        sim().stamps().mark(r.stamps, static_cast<std::size_t>(params.stage()),
                            now() + params.latency->raw);
    port.cpu_side.send(protocol::answer(r));
}

void Cache::queue_below(const MemRequest& r) {
    if (state.below.empty() && port.mem_side.can_send())
        send_below(r);
    else
        state.below.push(r);
}

void Cache::send_below(const MemRequest& r) {
    sim().stamps().mark(r.stamps, static_cast<std::size_t>(params.stage()),
                        now() + params.miss_latency->raw);
    port.mem_side.send(r);
}

void Cache::count(const Place& p) {
    const bool is_read = p.request.command == Command::read;
    const bool is_write = p.request.command == Command::write;
    ++stat.accesses;
    ++(is_read ? stat.reads : is_write ? stat.writes : stat.atomics);
    stat.bytes += p.request.payload();
    stat.sectors += count_of(p.touched);
    if (is_read) stat.read_sectors += count_of(p.touched);
    if (p.hit()) {
        ++stat.hits;
        if (is_read) ++stat.read_hits;
        if (is_write) ++stat.write_hits;
    } else {
        ++stat.misses;
        if (p.found()) ++stat.sector_misses;
    }
}

void Cache::count_missing(const MemRequest& r, SectorMask missed, SectorMask pending) {
    stat.missed_sectors += count_of(missed);
    stat.pending_sectors += count_of(pending);
    if (r.command != Command::read) return;
    stat.missed_read_sectors += count_of(missed);
    stat.pending_read_sectors += count_of(pending);
}

/// The first request's obstacle is another than before, or gone.
void Cache::note(CacheStall cause) {
    if (state.stall != CacheStall::none) stat.stall_time += Time {now() - state.stalled_since};
    state.stall = cause;
    state.stalled_since = now();
    switch (cause) {
    case CacheStall::none:
        break;
    case CacheStall::mshrs:
        ++stat.stalled_by_mshrs;
        break;
    case CacheStall::targets:
        ++stat.stalled_by_targets;
        break;
    case CacheStall::mem_side:
        ++stat.stalled_by_mem_side;
        break;
    case CacheStall::set:
        ++stat.stalled_by_set;
        break;
    }
}

void Cache::waits_on(WaitReport& report) const {
    if (state.mshrs.size())
        report.add(path() + " waits for " + std::to_string(state.fetching) + " bytes of " +
                   std::to_string(state.mshrs.size()) + " lines");
    if (!state.below.empty())
        report.add(path() + " has " + std::to_string(state.below.size()) + " messages for " +
                   port.mem_side.peer()->owner().path() + " that it cannot send");
}

/// Every request that expects an answer had one; every byte fetched came.
std::optional<std::string> Cache::imbalance() const {
    if (state.owed) return std::to_string(state.owed) + " requests were not answered";
    if (state.fetching || state.mshrs.size())
        return std::to_string(state.fetching) + " bytes of " + std::to_string(state.mshrs.size()) +
               " lines were fetched and did not come";
    if (!state.below.empty()) return std::to_string(state.below.size()) + " messages are left";
    if (state.free_passed_on.size() != state.passed_on.size())
        return "requests that were passed on were not answered";
    return {};
}

} // namespace memsim::mem
