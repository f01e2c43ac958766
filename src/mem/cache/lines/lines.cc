#include "mem/cache/lines/lines.hh"

namespace memsim::mem::cache {

using device_parts::TagArray;
using protocol::Command;

SectorMask Lines::claimed(std::uint32_t line) const {
    SectorMask sectors = 0;
    if (tags.locked(line))
        mshrs.for_each_target(tags.lock(line), [&](const Target& t) {
            if (t.answer.command != Command::read) sectors |= t.sectors;
        });
    return sectors;
}

void Lines::complete(std::uint32_t line, std::uint64_t sector) {
    SectorBytes& mine = bytes->at(line, sector);
    if (mine.known == SectorBytes::all) return;
    FunctionalAccess below {
        sector * SectorBytes::size, static_cast<std::uint16_t>(tags.application(line)), false, {}};
    look_through(below_, below);
    mine.fill(below.data);
}

/// Lines of a write-through cache may be older than the data below and are dropped before the next
/// launch, so functional reads bypass them.
void Lines::functional(FunctionalAccess& access) {
    const std::uint64_t sector = access.address / SectorBytes::size;
    const std::uint32_t line = find(access.address);
    if (line == TagArray::none) return;
    SectorBytes& mine = bytes->at(line, sector);
    const SectorMask waiting = claimed(line);
    const bool counts = bytes->counts(line, sector, waiting);
    if (counts && access.write)
        mine.store(access.data);
    else if (counts && (config_.write_back() || tags.kept(line) || waiting))
        access.data.fill(mine);
}

bool Lines::unfilled(std::uint64_t address) const {
    const std::uint32_t line = find(address);
    if (line == TagArray::none) return false;
    return tags.dirty(line) & ~tags.valid(line) & map_.span(address, 1) &&
           !bytes->at(line, address / SectorBytes::size).moved;
}

void Lines::probe(protocol::SectorProbe& probe) const {
    const std::uint32_t line = find(probe.address);
    if (line == TagArray::none) return;
    const SectorMask sector = map_.span(probe.address, 1);
    probe.valid = tags.valid(line) & sector;
    probe.dirty = tags.dirty(line) & sector;
    if (bytes && (probe.valid || probe.dirty))
        probe.data.fill(bytes->at(line, probe.address / SectorBytes::size));
}

void Lines::check_loaded(Loader& l) const {
    std::uint32_t locked = 0;
    for (std::uint64_t s = 0; s < tags.sets(); ++s)
        for (std::uint32_t w = 0; w < config_.ways; ++w) {
            const std::uint32_t line = tags.line(s, w);
            if (!tags.locked(line)) continue;
            ++locked;
            l.index("tags.lock", tags.lock(line), config_.mshrs);
        }
    l.within("mshrs", [&] {
        l.check(locked == mshrs.size(), "differ in number from the locked lines");
        mshrs.for_each(
            [&](std::uint32_t mshr, const auto& e) {
                l.check(tags.has(e.line) && tags.locked(e.line) && tags.lock(e.line) == mshr,
                        "name a line that is not locked by them");
            },
            [](const Target&) {});
    });
}

} // namespace memsim::mem::cache
