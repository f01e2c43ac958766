#include "mem/cache/lines/partitions.hh"

#include <algorithm>

namespace memsim::mem::cache {

using device_parts::TagArray;

Partitions::Partitions(const PartitionParams& p, std::uint32_t requesters, const Uses& uses)
    : use_(uses), requesters_(requesters), lines_(TagArray::most_lines / (requesters ? 2 : 1)),
      upper_(p.partition() != 0), latency_(p.far_latency->raw),
      width_(static_cast<std::uint32_t>(p.far_width->raw)), queue_(p.far_queue()) {
    const TagArray& tags = uses.lines.tags;
    if (requesters_ != 0) uses.state.arrivals.resize(tags.sets() * tags.ways());
}

Tick Partitions::free(Tick now) const {
    const auto& late = use_.state.late;
    if (late.size() >= queue_) return std::max(late.front().at, now + 1);
    return use_.state.requests_free;
}

Tick Partitions::enter(Tick& free_at, std::uint32_t bytes, Tick now) const {
    free_at = std::max(free_at, now) + use_.slots.clock().cycles((bytes + width_ - 1) / width_);
    return free_at;
}

void Partitions::count(const protocol::MemRequest& r, Tick now) {
    const bool far = is_far(r.source);
    ++use_.stat.partition_requests[far];
    if (!far) return;
    use_.stat.link_bytes[0] += r.wire_bytes();
    enter(use_.state.requests_free, r.wire_bytes(), now);
}

Tick Partitions::leaves(const protocol::MemResponse& r, std::uint32_t line, Tick now) {
    TagArray& tags = use_.lines.tags;
    const bool read = r.command == protocol::Command::read && line != TagArray::none;
    const SectorMask sectors = read ? use_.map.sectors(r).touched : SectorMask {0};
    std::uint32_t copy = read ? way_of_copy(line) : TagArray::none;
    if (copy != TagArray::none && without(sectors, tags.valid(copy)) == 0) {
        ++use_.stat.copy_reads[1];
        tags.touch(copy);
        const Tick arrival = use_.state.arrivals[tags.number(copy)];
        const auto& late = use_.state.late;
        if (arrival <= now) return now;
        return std::max(arrival, late.empty() ? 0 : late.back().at);
    }
    use_.stat.link_bytes[1] += r.wire_bytes();
    const Tick at = enter(use_.state.responses_free, r.wire_bytes(), now) + latency_;
    if (read && copy == TagArray::none) copy = take_way(line);
    if (copy == TagArray::none) return at;
    tags.add_valid(copy, sectors);
    use_.state.arrivals[tags.number(copy)] = at;
    return at;
}

std::uint32_t Partitions::take_way(std::uint32_t line) {
    TagArray& tags = use_.lines.tags;
    const std::uint32_t way = tags.victim(set_of(line), use_.reserved, tags.ways());
    if (way == TagArray::none || way == line || use_.lines.must_write_back(way))
        return TagArray::none;
    if (!tags.empty(way) && !holds_copy(way)) use_.accounting.count_eviction(way);
    leaving(way);
    tags.replace(way, tags.tag(line) + lines_, tags.application(line));
    if (use_.lines.bytes) use_.lines.bytes->clear(way);
    return way;
}

void Partitions::leaving(std::uint32_t way) {
    if (requesters_ != 0 && !use_.lines.tags.empty(way) && !holds_copy(way)) drop_copy(way);
}

void Partitions::drop_copy(std::uint32_t line) {
    if (const std::uint32_t way = way_of_copy(line); way != TagArray::none)
        use_.lines.tags.drop(way);
}

void Partitions::drop_copies() {
    if (requesters_ == 0) return;
    TagArray& tags = use_.lines.tags;
    for (std::uint64_t set = 0; set < tags.sets(); ++set)
        for (std::uint32_t way = tags.line(set, 0); way < tags.line(set, tags.ways()); ++way)
            if (!tags.empty(way) && holds_copy(way)) tags.drop(way);
}

std::uint32_t Partitions::way_of_copy(std::uint32_t line) const {
    const TagArray& tags = use_.lines.tags;
    return tags.find(set_of(line), tags.tag(line) + lines_);
}

std::uint64_t Partitions::set_of(std::uint32_t line) const {
    return use_.lines.tags.number(line) / use_.lines.tags.ways();
}

void Partitions::check_loaded(Loader& l) const {
    const TagArray& tags = use_.lines.tags;
    l.within("partitions", [&] {
        l.check(requesters_ ? use_.state.arrivals.size() == tags.sets() * tags.ways()
                            : use_.state.arrivals.empty(),
                "has another number of lines");
    });
}

} // namespace memsim::mem::cache
