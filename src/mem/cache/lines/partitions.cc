#include "mem/cache/lines/partitions.hh"

namespace memsim::mem::cache {

Partitions::Partitions(const PartitionParams& p, std::uint32_t requesters, const Map& map,
                       const BankedSlots& slots, const device_parts::TagArray& tags, Stats& stat,
                       State& state)
    : map_(map), slots_(slots), tags_(tags), stat_(stat), state_(state), requesters_(requesters),
      upper_(p.partition() != 0), latency_(p.far_latency->raw),
      width_(static_cast<std::uint32_t>(p.far_width->raw)), queue_(p.far_queue()),
      copy_ways_(p.copy_ways()) {
    if (requesters_ != 0) state_.copies.resize(tags.sets() * tags.ways());
}

Tick Partitions::free(Tick now) const {
    if (state_.late.size() >= queue_) return std::max(state_.late.front().at, now + 1);
    return state_.requests_free;
}

Tick Partitions::enter(Tick& free_at, std::uint32_t bytes, Tick now) const {
    free_at = std::max(free_at, now) + slots_.clock().cycles((bytes + width_ - 1) / width_);
    return free_at;
}

void Partitions::count(const protocol::MemRequest& r, Tick now) {
    const bool far = is_far(r.source);
    ++stat_.partition_requests[far];
    if (!far) return;
    stat_.link_bytes[0] += r.wire_bytes();
    enter(state_.requests_free, r.wire_bytes(), now);
}

Tick Partitions::leaves(const protocol::MemResponse& r, std::uint32_t line, Tick now) {
    const bool read = r.command == protocol::Command::read && line != device_parts::TagArray::none;
    const SectorMask sectors = read ? map_.sectors(r).touched : SectorMask {0};
    Copy none;
    Copy& copy = read ? state_.copies[tags_.number(line)] : none;
    if (read && without(sectors, copy.sectors) == 0) {
        ++stat_.copy_reads[1];
        if (copy.since <= now) return now;
        return std::max(copy.since, state_.late.empty() ? 0 : state_.late.back().at);
    }
    stat_.link_bytes[1] += r.wire_bytes();
    const Tick at = enter(state_.responses_free, r.wire_bytes(), now) + latency_;
    if (read && (copy.sectors != 0 || trim(tags_.number(line) / tags_.ways(), 1)))
        copy = {static_cast<SectorMask>(copy.sectors | sectors), at};
    return at;
}

bool Partitions::trim(std::uint32_t set, std::uint32_t more) {
    const std::uint32_t ways = tags_.ways();
    Copy* const copies = &state_.copies[std::size_t {set} * ways];
    std::uint32_t room = ways, taken = more;
    for (std::uint32_t w = 0; w < ways; ++w) {
        const std::uint32_t line = tags_.line(set, w);
        room -= !tags_.empty(line) || tags_.locked(line);
        taken += copies[w].sectors != 0;
    }
    for (room = std::max(room, copy_ways_); taken > room; --taken) {
        Copy* oldest = nullptr;
        for (Copy* c = copies; c < copies + ways; ++c)
            if (c->sectors != 0 && (!oldest || c->since < oldest->since)) oldest = c;
        if (!oldest) return false;
        *oldest = {};
    }
    return true;
}

void Partitions::check_loaded(Loader& l) const {
    l.within("partitions", [&] {
        l.check(requesters_ ? state_.copies.size() == tags_.sets() * tags_.ways()
                            : state_.copies.empty(),
                "has another number of lines");
    });
}

} // namespace memsim::mem::cache
