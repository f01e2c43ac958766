#include "cmd/controller/reading.hh"

#include "core/base/bits.hh"

namespace memsim::cmd {

Actions Reading::step(std::uint32_t id) {
    Job& j = shared_.jobs[id];
    const BlockTable& t = shared_.placement.table();
    switch (j.step) {
    case Step::type:
        ++reads_of(t.type(j.block));
        if (t.type(j.block) == BlockType::read_only || t.type(j.block) == BlockType::own) {
            if (shared_.packing.compressed(j.block) && !shared_.scheme.whole_tables) {
                j.step = Step::map; // look up base and difference, or the place of the code
                return {action::Look {Table::map, j.block}};
            }
            j.step = Step::data;
            return {fetch(j, j.block, j.sectors)};
        }
        j.step = Step::map;
        if (shared_.scheme.whole_tables) return find_sectors(id, j);
        return {action::Look {Table::mask, j.block}, action::Look {Table::map, j.block}};
    case Step::map:
        return find_sectors(id, j);
    case Step::reference:
        j.step = Step::copy;
        return {action::Wait {params_.copy_cycles}};
    case Step::copy:
        return copy_from_caches(id, j);
    default:
        return {action::Finish {}};
    }
}

Counter& Reading::reads_of(BlockType type) const {
    switch (type) {
    case BlockType::read_only:
        return stat_.reads_never_written;
    case BlockType::intra:
        return stat_.reads_of_intra;
    case BlockType::inter:
        return stat_.reads_of_inter;
    default:
        return stat_.reads_of_own;
    }
}

Actions Reading::find_sectors(std::uint32_t id, Job& j) {
    const BlockTable& t = shared_.placement.table();
    const std::uint32_t inside = j.sectors & t.mask(j.block), outside = j.sectors & ~inside;
    j.step = Step::data;
    Actions todo;
    if (outside) todo.push_back(fetch(j, j.block, outside));
    if (inside && t.type(j.block) == BlockType::intra) {
        const SectorBytes word = sector_of_word(t.word(j.block));
        for_each_bit(inside, [&](std::uint32_t s) {
            shared_.jobs.data(id).own[s] = word;
            ++stat_.intra_sectors;
        });
    } else if (inside) {
        const std::uint32_t place = t.place(j.block);
        if (params_.assisted_read && place != j.block) {
            j.step = Step::reference;
            j.missing = static_cast<std::uint8_t>(inside);
            j.place = place;
            todo.push_back(action::Look {Table::type, place});
            return todo;
        }
        todo.push_back(fetch(j, place, inside));
    }
    if (todo.empty()) todo.push_back(action::Finish {});
    return todo;
}

/// The L2 line is tagged with the program's address and holds its own block. Its data are those of
/// the reference only while that block is mapped to its own place.
Actions Reading::copy_from_caches(std::uint32_t id, Job& j) {
    const BlockTable& t = shared_.placement.table();
    const std::uint32_t place = t.place(j.block);
    std::uint32_t missing = j.missing;
    j.step = Step::data;
    if (t.type(place) == BlockType::own)
        for_each_bit(j.missing, [&](std::uint32_t s) {
            const SectorBytes found =
                look_up_(map_.address(place) + std::uint64_t {s} * sector_bytes);
            ++stat_.looked_sectors;
            if (found.known != SectorBytes::all) return;
            shared_.jobs.data(id).own[s].fill(found);
            missing &= ~(1u << s);
            ++stat_.copied_sectors;
        });
    if (missing) return {fetch(j, place, missing)};
    return {action::Finish {}};
}

} // namespace memsim::cmd
