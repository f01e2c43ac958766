#include "mem/page_cache/write_groups.hh"

#include "core/base/bits.hh"
#include "device_parts/record_part.hh"

#include <bit>

namespace memsim::mem {

std::uint64_t WriteGroups::begin(std::uint64_t victim) {
    const std::uint64_t number = ++state_.last, first = victim - victim % config_.units;
    Group g;
    g.first = first;
    for (std::uint64_t unit = first; unit < first + config_.units; ++unit) {
        if (unit != victim) {
            const std::uint32_t f = path_.resident.find(unit);
            if (f == PagedDram::none) continue;
            device_parts::ResidentPage& page = path_.resident[f];
            if (!page.here || !page.dirty || page.pins) continue;
            page.dirty = false;
            path_.resident.pin(f); // until the drive has it
            state_.cleaning[f] = {{}, number};
            path_.dram.copy_out(f);
            ++state_.units_cleaned;
        }
        path_.drive.leave(unit);
        g.units |= std::uint64_t {1} << (unit - first);
        ++g.left;
    }
    state_.groups[number] = g;
    return number;
}

bool WriteGroups::copied_out(std::uint32_t frame) {
    const Cleaning* const c = state_.cleaning.find(frame);
    if (!c) return false;
    const Cleaning done = *c;
    state_.cleaning.erase(frame);
    read_out(done.group, path_.resident[frame].key, done.transfer.out);
    return true;
}

void WriteGroups::read_out(std::uint64_t number, std::uint64_t unit, Contents::Id data) {
    Group& group = *state_.groups.find(number);
    if (data) {
        if (!group.contents) group.contents = path_.contents.create();
        device_parts::add_part(
            path_.contents, group.contents,
            static_cast<std::uint32_t>(unit - group.first) * config_.unit_sectors, data);
    }
    if (--group.left) return;
    const Group complete = group;
    state_.groups.erase(number);
    write(complete);
}

/// Requests a write of each run of consecutive units.
void WriteGroups::write(const Group& g) {
    const std::uint32_t sectors = config_.unit_sectors;
    if (g.contents) device_parts::sort_parts(path_.contents, g.contents);
    for (std::uint64_t rest = g.units; rest;) {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto n = static_cast<std::uint32_t>(std::countr_one(rest >> first));
        path_.drive.write(g.first + first, n,
                          g.contents ? device_parts::part_of(path_.contents, g.contents,
                                                             first * sectors, n * sectors)
                                     : Contents::Id {});
        rest &= ~(low_bits(n) << first);
    }
    path_.contents.release(g.contents);
}

void WriteGroups::check_loaded(Loader& l, std::uint64_t frames,
                               HashMap<std::uint32_t> reading) const {
    std::uint64_t left = 0; // units being read out whose group has not been found
    state_.cleaning.all([&](std::uint64_t f, const Cleaning& c) {
        l.index("cleaning", f, frames);
        return ++reading[c.group], true;
    });
    reading.all([&](std::uint64_t, std::uint32_t units) { return left += units, true; });
    l.within("groups", [&] {
        l.check(state_.groups.all([&](std::uint64_t number, const Group& group) {
            const std::uint32_t* const units = reading.find(number);
            left -= units ? *units : 0;
            return units && group.left == *units && number <= state_.last &&
                   (config_.units == 64 || group.units >> config_.units == 0);
        }) && left == 0,
                "differ from the groups whose units are being read out");
    });
}

} // namespace memsim::mem
