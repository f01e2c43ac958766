#include "mem/cache/evictions.hh"

namespace memsim::mem::cache {

using device_parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

CacheStall Evictions::take_way(const Access& a, bool written, std::uint32_t messages,
                               std::uint32_t& line) {
    TagArray& tags = use_.lines.tags;
    const bool reserved = written && use_.reserved;
    const std::uint32_t way = tags.victim(a.place.set, reserved ? 0 : use_.reserved,
                                          reserved ? use_.reserved : use_.config.ways);
    if (way == TagArray::none) return CacheStall::set;
    const bool leaves = use_.lines.must_write_back(way);
    const bool offered = use_.config.victims && use_.lines.clean(way);
    if (!use_.outlet.room(messages + leaves + offered)) return CacheStall::mem_side;
    if (leaves && use_.config.acknowledged && !use_.outlet.can_expect())
        return CacheStall::mem_side;
    if (!tags.empty(way) && !use_.partitions.holds_copy(way)) {
        if (leaves)
            use_.banks.occupy(use_.map.bank(use_.map.address_of(tags.tag(way))),
                              use_.config.read_cycles);
        evict(way);
    }
    use_.partitions.leaving(way);
    tags.replace(way, a.place.line, a.request.application);
    use_.partitions.written(way); // a copy of a line that a flush has dropped
    if (use_.lines.bytes) use_.lines.bytes->clear(way);
    line = way;
    return CacheStall::none;
}

void Evictions::evict(std::uint32_t line) {
    use_.accounting.count_eviction(line);
    if (use_.lines.must_write_back(line)) {
        static constexpr Forwarded evicted {0, 0, false, true};
        write_back(line, use_.config.acknowledged ? &evicted : nullptr);
    }
    if (!use_.config.victims) return;
    if (const SectorMask clean = use_.lines.clean(line)) offer(line, clean);
}

void Evictions::write_back(std::uint32_t line, const Forwarded* origin) {
    const TagArray& tags = use_.lines.tags;
    const SectorMask dirty = tags.dirty(line);
    MemRequest r;
    r.command = Command::write;
    r.posted = !origin;
    r.tag = origin ? use_.outlet.expect(*origin) : 0;
    r.application = static_cast<std::uint16_t>(tags.application(line));
    use_.map.name(r, tags.tag(line), dirty, without(dirty, tags.valid(line)));
    r.contents = use_.lines.contents_of(line, r);
    ++use_.stat.writebacks;
    use_.stat.written_back_bytes += r.payload();
    use_.outlet.send(r);
}

void Evictions::offer(std::uint32_t line, SectorMask clean) {
    const TagArray& tags = use_.lines.tags;
    MemRequest r;
    r.command = Command::victim;
    r.posted = true;
    r.application = static_cast<std::uint16_t>(tags.application(line));
    use_.map.name(r, tags.tag(line), clean, 0);
    r.contents = use_.lines.contents_of(line, r);
    ++use_.stat.victims;
    use_.outlet.send(r);
}

} // namespace memsim::mem::cache
