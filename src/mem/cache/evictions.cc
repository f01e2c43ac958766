#include "mem/cache/evictions.hh"

namespace memsim::mem::cache {

using parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

CacheStall Evictions::take_way(const Access& a, bool written, std::uint32_t messages,
                               std::uint32_t& line) {
    TagArray& tags = c_.lines.tags;
    const bool reserved = written && c_.state.reserved;
    const std::uint32_t way = tags.victim(a.place.set, reserved ? 0 : c_.state.reserved,
                                          reserved ? c_.state.reserved : c_.config.ways);
    if (way == TagArray::none) return CacheStall::set;
    const bool leaves = c_.lines.must_write_back(way);
    const bool offered = c_.config.victims && c_.lines.clean(way);
    if (!c_.outlet.room(messages + leaves + offered)) return CacheStall::mem_side;
    if (leaves && c_.config.acknowledged && !c_.outlet.can_expect()) return CacheStall::mem_side;
    if (!tags.empty(way)) {
        if (leaves) c_.occupy(a.place.bank, c_.config.read_cycles);
        evict(way);
    }
    tags.replace(way, a.place.line, a.request.application);
    if (c_.lines.bytes) c_.lines.bytes->clear(way);
    line = way;
    return CacheStall::none;
}

void Evictions::evict(std::uint32_t line) {
    c_.count_eviction(line);
    if (c_.lines.must_write_back(line)) {
        static constexpr Forwarded evicted {0, 0, false, true};
        write_back(line, c_.config.acknowledged ? &evicted : nullptr);
    }
    if (!c_.config.victims) return;
    if (const SectorMask clean = c_.lines.clean(line)) offer(line, clean);
}

void Evictions::write_back(std::uint32_t line, const Forwarded* origin) {
    const TagArray& tags = c_.lines.tags;
    const SectorMask dirty = tags.dirty(line);
    MemRequest r;
    r.command = Command::write;
    r.posted = !origin;
    r.tag = origin ? c_.outlet.expect(*origin) : 0;
    r.application = static_cast<std::uint16_t>(tags.application(line));
    c_.map.name(r, tags.tag(line), dirty, without(dirty, tags.valid(line)));
    r.contents = c_.lines.contents_of(line, r);
    ++c_.stat.writebacks;
    c_.stat.written_back_bytes += r.payload();
    c_.outlet.send(r);
}

void Evictions::offer(std::uint32_t line, SectorMask clean) {
    const TagArray& tags = c_.lines.tags;
    MemRequest r;
    r.command = Command::victim;
    r.posted = true;
    r.application = static_cast<std::uint16_t>(tags.application(line));
    c_.map.name(r, tags.tag(line), clean, 0);
    r.contents = c_.lines.contents_of(line, r);
    ++c_.stat.victims;
    c_.outlet.send(r);
}

} // namespace memsim::mem::cache
