#include "zng/garbage_collector.hh"
#include "zng/page_mask.hh"

#include <sstream>
#include <tuple>

/// Which blocks hold what, and where data blocks go.
namespace memsim::zng {

/// Where the MMU places each application at the start. Two must not share a log block, for one
/// would stand still as the other's is merged.
void GarbageCollector::lay_out() {
    state.logs = params.geometry.log_blocks(path(), 1);
    state.free =
        FreeBlocks(flash_, params.geometry.package.data_blocks() + state.logs.logs_of_plane());
    const auto* const mmu = dynamic_cast<const protocol::HasPages*>(&port.mmu.peer()->owner());
    if (!mmu || mmu->page_bytes() != flash_.block_bytes())
        refuse("mmu", "a block of " + std::to_string(flash_.block_bytes()) +
                          "B must be the page of " + port.mmu.peer()->owner().path());
    std::vector<std::string> footprints;
    std::istringstream text(params.footprints());
    for (std::string one; std::getline(text, one, ',');) footprints.push_back(one);
    if (footprints.size() != params.applications())
        refuse("footprints", "'" + params.footprints() + "' has " +
                                 std::to_string(footprints.size()) + " figures for " +
                                 std::to_string(params.applications()) + " applications");
    const std::uint64_t row =
        std::uint64_t {flash_.all_planes()} * params.geometry.package.log_ratio();
    for (std::uint16_t i = 0; i < params.applications(); ++i) {
        std::uint64_t bytes = 0;
        try {
            bytes = static_cast<std::uint64_t>(Text<Bytes>::parse(footprints[i]).raw);
        } catch (const ConfigError& e) {
            refuse("footprints", e.what());
        }
        const std::uint64_t blocks = (bytes + flash_.block_bytes() - 1) / flash_.block_bytes();
        const std::optional<std::uint64_t> first = mmu->frame_at_start(i);
        if (!first)
            refuse("footprints", port.mmu.peer()->owner().path() +
                                     " must place pages by identity, for data blocks of one log "
                                     "block to be of one application");
        if (*first + blocks >
            std::uint64_t {params.geometry.package.data_blocks()} * flash_.all_planes())
            refuse("footprints",
                   "the flash is full: application " + std::to_string(i) + " ends at block " +
                       std::to_string(*first + blocks) + " of " +
                       std::to_string(std::uint64_t {params.geometry.package.data_blocks()} *
                                      flash_.all_planes()) +
                       " that hold data");
        ranges_.push_back({static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(blocks)});
        for (std::uint16_t j = 0; j < i; ++j) {
            const Range &a = ranges_[j], &b = ranges_[i];
            if (a.blocks && b.blocks && (a.first + a.blocks - 1) / row >= b.first / row &&
                (b.first + b.blocks - 1) / row >= a.first / row)
                refuse("footprints",
                       "applications " + std::to_string(j) + " and " + std::to_string(i) +
                           " would share log blocks: let the MMU's address_space be " +
                           std::to_string(row * flash_.block_bytes()) +
                           "B larger than the largest footprint");
        }
    }
}

std::uint32_t GarbageCollector::logical_of(std::uint32_t block) const {
    const std::uint32_t* const moved = state.logical.find(block);
    return moved ? *moved : block;
}

/// The data blocks that a log block serves; of those at the start, that hold data of an application
/// and are still there.
GarbageCollector::Served GarbageCollector::served_by(std::uint32_t log) const {
    if (const Served* const made = state.made.find(log)) return *made;
    Served s;
    const std::uint32_t plane = flash_.plane_of(log);
    const std::uint32_t first =
        (flash_.block_in_plane(log) - params.geometry.package.data_blocks()) *
        params.geometry.package.log_ratio();
    for (std::uint32_t b = first; b < first + params.geometry.package.log_ratio() &&
                                  b < params.geometry.package.data_blocks();
         ++b) {
        const std::uint32_t data = flash_.in_plane(plane, b);
        if (state.logical.find(data)) continue;
        for (std::size_t i = 0; i < ranges_.size(); ++i)
            if (data - ranges_[i].first < ranges_[i].blocks) {
                s.application = static_cast<std::uint16_t>(i);
                s.blocks.push_back(data);
            }
    }
    return s;
}

/// No further data block is given to it.
void GarbageCollector::close(const Served& s, std::uint32_t log) {
    const std::uint64_t key = open_key(flash_.plane_of(log), s.application);
    if (const Open* const o = state.open.find(key); o && o->log == log) state.open.erase(key);
}

/// Whether there are erased blocks for so many data blocks and the log blocks that they need.
/// Refuses the run if there never will be.
bool GarbageCollector::has_room(std::uint32_t package, std::uint16_t application,
                                std::size_t blocks) const {
    const std::uint32_t ratio = params.geometry.package.log_ratio();
    const std::uint32_t in_package = flash_.all_planes() / flash_.packages;
    std::size_t room = 0;
    for (std::uint32_t i = 0; i < in_package && room < blocks; ++i) {
        const std::uint32_t plane = package + i * flash_.packages;
        std::uint32_t left = state.free.left(plane);
        if (const Open* const o = state.open.find(open_key(plane, application))) {
            const std::uint32_t with_log = std::min(left, ratio - o->members);
            room += with_log, left -= with_log;
        }
        const std::uint32_t rest = left % (ratio + 1); // each log block with its data blocks
        room += left / (ratio + 1) * ratio + (rest ? rest - 1 : 0);
    }
    if (room >= blocks) return true;
    for (const std::uint32_t i : state.active)
        if (state.merges[i].phase == Phase::erasing && package_of(state.merges[i].log) == package)
            return false;
    throw ConfigError(path() + ".data_blocks: the flash is full: no plane of package " +
                      std::to_string(package) +
                      " has an erased block left to merge into: over-provision more");
}

/// Takes a new block, and its log block, for a data block that is merged.
void GarbageCollector::choose(Move& m, std::uint16_t application) {
    // Merges, whether a log block is opened, block, plane: the least is the best.
    using Choice = std::tuple<std::uint32_t, bool, FreeBlocks::Block, std::uint32_t>;
    const std::uint32_t in_package = flash_.all_planes() / flash_.packages;
    std::optional<Choice> best;
    for (std::uint32_t i = 0; i < in_package; ++i) {
        const std::uint32_t plane = package_of(m.from) + i * flash_.packages;
        const bool opens = !state.open.find(open_key(plane, application));
        if (state.free.left(plane) < 1u + opens) continue;
        const Choice c {state.plane_moves[plane], opens, state.free.best(plane), plane};
        if (!best || c < *best) best = c;
    }
    MEMSIM_ASSERT(best, "a data block is moved for which there is no room");
    const auto [merges, opens, block, plane] = *best;
    m.to = state.free.take(plane);
    const std::uint64_t key = open_key(plane, application);
    if (opens) {
        state.open[key] = {state.free.take(plane), 0};
        ++stat.log_blocks;
    }
    Open& open = state.open[key];
    m.to_log = open.log;
    if (++open.members == params.geometry.package.log_ratio()) state.open.erase(key);
    Served& served = state.made[m.to_log];
    served.application = application;
    served.blocks.push_back(m.to);
    state.logical[m.to] = m.logical;
    ++state.targets[m.to_log];
    ++state.plane_moves[plane];
}

/// All data blocks of a log block are in new ones.
void GarbageCollector::forget(const Merge& m) {
    for (const Move& move : m.moves) {
        state.logical[move.from] = none;
        state.logs.forget(move.from);
        --state.plane_moves[flash_.plane_of(move.from)];
        --state.plane_moves[flash_.plane_of(move.to)];
    }
    state.made.erase(m.log);
}

} // namespace memsim::zng
