#include "mem/cache.hh"

/// What a request does in the cache.
namespace memsim::mem {

using parts::SectorMask;
using parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

namespace {

constexpr unsigned mask_bits = std::countr_zero(protocol::sector_bytes);

constexpr SectorMask bits(unsigned first, unsigned n) {
    return static_cast<SectorMask>(((1u << n) - 1) << first);
}
constexpr SectorMask without(SectorMask a, SectorMask b) { return a & static_cast<SectorMask>(~b); }
constexpr std::uint64_t count_of(SectorMask m) { return bits_set(m); }

} // namespace

// ---- where it goes ---------------------------------------------------------------------------

/// The address as this cache counts: without what the others of an interleaved one hold.
std::uint64_t Cache::own(std::uint64_t address) const {
    return interleave_.ways() == 1 ? address : interleave_.within(address);
}

Cache::Place Cache::locate(const MemRequest& r) const {
    const std::uint64_t number = r.address >> figures_.line_bits;
    if (r.bytes == 0 || (r.address + r.bytes - 1) >> figures_.line_bits != number) [[unlikely]]
        refuse("line", "a request of " + std::to_string(r.bytes) + "B at address " +
                           std::to_string(r.address) + " does not lie within one line of " +
                           Text<Bytes>::show(params.line()) +
                           ": what is above must not ask for more than a line");
    if (number >= TagArray::most_lines || r.application >= TagArray::most_applications) [[unlikely]]
        throw ConfigError(path() + ": address " + std::to_string(r.address) + " of application " +
                          std::to_string(r.application) + " does not fit its tags, which tell " +
                          std::to_string(TagArray::most_lines) + " lines and " +
                          std::to_string(TagArray::most_applications) + " applications apart");
    const std::uint64_t own_line = own(r.address) >> figures_.line_bits;
    const TagArray& tags = state.tags;
    const Touched t = sectors(r);
    Place p {r,
             number,
             index_(own_line),
             static_cast<std::uint32_t>(banks_.remainder(own_line)),
             TagArray::none,
             t.any,
             t.whole,
             0,
             0,
             0};
    p.line = tags.find(p.set, number);
    if (!p.found()) return p;
    p.valid = tags.valid(p.line);
    p.written = tags.dirty(p.line);
    if (tags.locked(p.line)) p.pending = state.mshrs[tags.lock(p.line)].pending;
    return p;
}

SectorMask Cache::span(std::uint64_t address, std::uint32_t bytes) const {
    const std::uint64_t offset = address & ((std::uint64_t {1} << figures_.line_bits) - 1);
    const auto first = static_cast<unsigned>(offset >> figures_.sector_bits);
    const auto last = static_cast<unsigned>((offset + bytes - 1) >> figures_.sector_bits);
    return bits(first, last + 1 - first);
}

/// The sectors that a message touches, and those that it covers from end to end.
template <class M>
Cache::Touched Cache::sectors(const M& m) const {
    Touched t {span(m.address, m.bytes), 0};
    t.whole = t.any;
    const std::uint64_t part = (std::uint64_t {1} << figures_.sector_bits) - 1;
    if (m.address & part) t.whole = without(t.whole, span(m.address, 1));
    if ((m.address + m.bytes) & part) t.whole = without(t.whole, span(m.address + m.bytes - 1, 1));
    std::uint32_t partial = 0;
    if constexpr (requires { m.partial; }) partial = m.partial;
    if (m.sectors == 0 && partial == 0) return t;
    // Where a sector is more than one of the mask's, some of them touch it and all cover it.
    const unsigned each = 1u << (figures_.sector_bits - mask_bits);
    const std::uint64_t offset = m.address & ((std::uint64_t {1} << figures_.line_bits) - 1);
    const unsigned lead = static_cast<unsigned>(offset >> mask_bits) & (each - 1);
    const auto first = static_cast<unsigned>(offset >> figures_.sector_bits);
    const auto end = static_cast<unsigned>(std::bit_width(t.any));
    std::uint64_t named = (m.sectors ? std::uint64_t {m.sectors} : ~std::uint64_t {0}) << lead;
    std::uint64_t whole = (named & ~(std::uint64_t {partial} << lead));
    const std::uint64_t all = (std::uint64_t {1} << each) - 1;
    for (unsigned i = first; i < end; ++i, named >>= each, whole >>= each) {
        if ((named & all) == 0) t.any = without(t.any, bits(i, 1));
        if ((whole & all) != all) t.whole = without(t.whole, bits(i, 1));
    }
    return t;
}
template Cache::Touched Cache::sectors(const MemRequest&) const;
template Cache::Touched Cache::sectors(const protocol::MemResponse&) const;

/// Sets what a message to the level below is about: sectors of a line, some known in part.
void Cache::aim(MemRequest& r, std::uint64_t line, SectorMask m, SectorMask partial) const {
    const auto first = static_cast<unsigned>(std::countr_zero(m));
    const auto n = static_cast<unsigned>(std::bit_width(m)) - first;
    const unsigned each = 1u << (figures_.sector_bits - mask_bits);
    r.address = (line << figures_.line_bits) + (std::uint64_t {first} << figures_.sector_bits);
    r.bytes = n << figures_.sector_bits;
    r.sectors = r.partial = 0;
    const auto spread = [&](unsigned mask) {
        std::uint32_t wide = 0;
        for (unsigned i = 0; i < n; ++i)
            if (mask >> i & 1) wide |= ((1u << each) - 1) << i * each;
        return static_cast<std::uint16_t>(wide);
    };
    if (m >> first != bits(0, n)) r.sectors = spread(m >> first);
    if (partial) r.partial = spread(partial >> first);
}

// ---- what it does ----------------------------------------------------------------------------

/// A read, or an atomic performed here: it needs its sectors.
CacheStall Cache::read(const Place& p) {
    if (without(p.touched, p.valid)) return miss(p);
    TagArray& tags = state.tags;
    tags.touch(p.line);
    if (p.is_read()) {
        occupy(p.bank, figures_.read_cycles);
        count(p);
        if (p.request.needs_response()) answer(protocol::answer(p.request), p.line, true);
        return served;
    }
    occupy(p.bank, figures_.read_cycles + figures_.write_cycles);
    tags.add_dirty(p.line, p.touched);
    count(p);
    take_contents(p.line, p.request, p.touched);
    answer_write(p.request);
    return served;
}

/// A write that stays here. Sectors written in part must be there first, or come when a read needs
/// them.
CacheStall Cache::write(const Place& p) {
    if (figures_.fetches && without(without(p.touched, p.whole), p.valid)) return miss(p);
    TagArray& tags = state.tags;
    std::uint32_t line = p.line;
    const bool elsewhere = p.found() && state.reserved && !tags.locked(line) &&
                           line - tags.line(p.set, 0) >= state.reserved;
    if (p.found() && !elsewhere)
        tags.touch(line);
    else {
        const CacheStall cause = take_way(p, true, 0, line);
        if (cause != served) return cause;
        tags.add_valid(line, p.valid);
        tags.add_dirty(line, p.written);
        if (p.found()) {
            if (contents_) contents_->move(p.line, line);
            tags.drop(p.line);
        }
    }
    take_contents(line, p.request, p.touched);
    tags.add_valid(line, p.whole);
    tags.add_dirty(line, p.touched);
    if (!write_back()) {
        tags.set_kept(line, true);
        ++stat.kept_writes;
    }
    occupy(p.bank, figures_.write_cycles);
    count(p);
    answer_write(p.request);
    return served;
}

CacheStall Cache::miss(const Place& p) {
    const MemRequest& r = p.request;
    TagArray& tags = state.tags;
    SectorMask missing = without(p.touched, p.valid);
    if (p.is_write()) missing = without(missing, p.whole);
    std::uint32_t line = p.line, mshr = 0;
    if (p.found() && tags.locked(line)) {
        mshr = tags.lock(line);
        // What was asked for before a write that dropped it is too old for this request.
        if (state.mshrs.targets_full(mshr) || state.mshrs[mshr].dropped) return CacheStall::targets;
        missing = without(missing, p.pending);
        if (missing && !room_below(1)) return CacheStall::mem_side;
        tags.touch(line);
        if (missing == 0) ++stat.merged;
    } else {
        if (state.mshrs.full()) return CacheStall::mshrs;
        if (p.found()) {
            if (!room_below(1)) return CacheStall::mem_side;
            tags.touch(line);
        } else if (const CacheStall cause = take_way(p, !p.is_read(), 1, line); cause != served)
            return cause;
        mshr = take_mshr(line);
    }
    if (!p.is_read() && !write_back()) {
        tags.set_kept(line, true);
        ++stat.kept_writes;
    }
    if (r.needs_response()) ++state.owed;
    if (missing) fetch(mshr, p.number, missing, r);
    if (!p.is_read()) take_contents(line, r, p.touched); // while it does not claim its sectors yet
    state.mshrs.add(mshr, {protocol::answer(r), p.touched, r.posted, missing != 0});
    occupy(p.bank, figures_.read_cycles);
    count(p);
    return served;
}

/// A write or atomic that is performed further down.
CacheStall Cache::pass_on(const Place& p) {
    MemRequest r = p.request;
    TagArray& tags = state.tags;
    const bool drops = r.command == Command::atomic || figures_.policy == WritePolicy::write_evict;
    const bool allocates = !drops && figures_.allocates;
    SectorMask rest = 0; // of sectors written in part
    if (allocates && figures_.fetches)
        rest = without(without(p.touched, p.whole), p.valid | p.pending);
    const bool locked = p.found() && tags.locked(p.line);
    if (r.needs_response() && state.free_passed_on.empty()) return CacheStall::mem_side;
    if (rest && locked && state.mshrs[tags.lock(p.line)].dropped) return CacheStall::targets;
    if (rest && !locked && state.mshrs.full()) return CacheStall::mshrs;
    const std::uint32_t messages = rest ? 2 : 1;
    std::uint32_t line = p.line;
    if (allocates && !p.found()) {
        const CacheStall cause = take_way(p, false, messages, line);
        if (cause == CacheStall::mem_side) return cause;
        if (cause != served) line = TagArray::none, rest = 0; // all are being filled: it goes by
    }
    if (!room_below(messages)) return CacheStall::mem_side;

    SectorMask kept = 0;
    if (line != TagArray::none && drops) {
        tags.drop(line, p.touched);
        if (locked) state.mshrs[tags.lock(line)].dropped = true;
    } else if (line != TagArray::none) {
        tags.touch(line);
        kept = allocates ? p.touched : p.touched & (p.valid | p.pending);
        if (contents_) contents_->write(line, r, kept, claimed(line));
        tags.add_valid(line, kept & p.whole);
        tags.add_dirty(line, without(kept, p.valid | p.whole)); // known in part
    }
    occupy(p.bank, kept ? figures_.write_cycles : figures_.read_cycles);
    count(p);
    if (r.needs_response()) {
        ++state.owed;
        r.tag = figures_.mshrs + take_slot({r.tag, r.source});
    }
    r.source = 0;
    ++stat.passed_on;
    queue_below(r);
    if (rest) {
        r.stamps = {};
        fetch(locked ? tags.lock(line) : take_mshr(line), p.number, rest, r);
    }
    return served;
}

// ---- lines and fetches -----------------------------------------------------------------------

/// Gives a way of its set to the request's line, if what leaves and `messages` more have room.
CacheStall Cache::take_way(const Place& p, bool written, std::uint32_t messages,
                           std::uint32_t& line) {
    TagArray& tags = state.tags;
    const bool reserved = written && state.reserved;
    Rng random = state.random; // drawn from only if the way is taken
    const std::uint32_t way = tags.victim(p.set, reserved ? 0 : state.reserved,
                                          reserved ? state.reserved : figures_.ways, random);
    if (way == TagArray::none) return CacheStall::set;
    if (!room_to_evict(way, messages)) return CacheStall::mem_side;
    state.random = random;
    if (!tags.empty(way)) {
        if (must_write_back(way)) occupy(p.bank, figures_.read_cycles);
        evict(way);
    }
    tags.replace(way, p.number, p.request.application);
    if (contents_) contents_->clear(way);
    line = way;
    return served;
}

void Cache::evict(std::uint32_t line) {
    ++stat.evictions;
    const bool unused = state.tags.prefetched(line);
    if (unused) ++stat.prefetches_unused;
    if (figures_.observed)
        tell({state.tags.tag(line) << figures_.line_bits, 0, 0, 0,
              static_cast<std::uint16_t>(state.tags.application(line)),
              protocol::CacheEventKind::eviction, unused});
    if (!must_write_back(line)) return;
    if (figures_.acknowledged)
        write_back(line, take_slot({0, 0, false, true}));
    else
        write_back(line, {});
}

/// Sends the dirty sectors of a line below; answered, if `slot` says to whom.
void Cache::write_back(std::uint32_t line, std::optional<std::uint32_t> slot) {
    const TagArray& tags = state.tags;
    const SectorMask dirty = tags.dirty(line);
    MemRequest r;
    r.command = Command::write;
    r.posted = !slot;
    r.tag = slot ? figures_.mshrs + *slot : 0;
    r.application = static_cast<std::uint16_t>(tags.application(line));
    aim(r, tags.tag(line), dirty, without(dirty, tags.valid(line)));
    if (contents_) {
        r.contents = contents_->read(line, r);
        sim().contents()[r.contents].moves = true;
    }
    ++stat.writebacks;
    stat.written_back_bytes += r.payload();
    queue_below(r);
}

std::uint32_t Cache::take_mshr(std::uint32_t line) {
    const std::uint32_t mshr = state.mshrs.allocate(line, now());
    state.tags.lock(line, mshr);
    stat.mshrs_used.set(now(), state.mshrs.size());
    return mshr;
}

/// Asks below for sectors of a line on behalf of r.
void Cache::fetch(std::uint32_t mshr, std::uint64_t number, SectorMask sectors, MemRequest r) {
    r.command = Command::read;
    r.posted = false;
    r.source = 0;
    r.tag = mshr;
    r.contents = {};
    if (contents_) {
        const std::uint32_t line = state.mshrs[mshr].line;
        contents_->begin_fetch(line, sectors, claimed(line));
    }
    aim(r, number, sectors, 0);
    state.mshrs[mshr].pending |= sectors;
    const std::uint32_t bytes = r.payload();
    ++stat.fetches;
    stat.fetched_bytes += bytes;
    state.fetching += bytes;
    queue_below(r);
}

void Cache::count(const Place& p) {
    const bool is_read = p.is_read();
    const SectorMask missing = p.missing();
    const SectorMask missed = without(missing, p.pending);
    ++stat.accesses;
    stat.bytes += p.request.payload();
    stat.sectors += count_of(p.touched);
    if (is_read) {
        ++stat.reads;
        stat.read_sectors += count_of(p.touched);
    } else
        ++(p.is_write() ? stat.writes : stat.atomics);
    if (missing) {
        ++stat.misses;
        if (p.found()) ++stat.sector_misses;
        stat.missed_sectors += count_of(missed);
        if (is_read) stat.missed_read_sectors += count_of(missed);
        if (p.pending) {
            stat.pending_sectors += count_of(missing & p.pending);
            if (is_read) stat.pending_read_sectors += count_of(missing & p.pending);
        }
    } else {
        ++stat.hits;
        if (is_read) ++stat.read_hits;
        if (p.is_write()) ++stat.write_hits;
    }
    if (figures_.observed && is_read) {
        const MemRequest& r = p.request;
        tell({r.address, r.pc, r.source, r.warp, r.application,
              missing ? protocol::CacheEventKind::read_miss : protocol::CacheEventKind::read_hit,
              false});
    }
    if (p.found() && state.tags.prefetched(p.line)) {
        ++stat.prefetches_used;
        state.tags.set_prefetched(p.line, false);
    }
}

} // namespace memsim::mem
