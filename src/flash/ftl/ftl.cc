#include "flash/ftl/ftl.hh"

#include <algorithm>

namespace memsim::flash {

void Ftl::init() {
    state_.planes.assign(config_.geometry.all_planes(), {});
    const std::uint32_t pages = config_.geometry.pages;
    for (std::uint32_t p = 0; p < state_.planes.size(); ++p)
        state_.planes[p].fresh = static_cast<std::uint32_t>((in_order(p) + pages - 1) / pages);
}

// ---- the state before the run -----------------------------------------------------------------

void Ftl::start() {
    if (!past_.used()) return;
    for (const std::uint32_t plane : config_.order) start(plane);
}

void Ftl::start(std::uint32_t plane) {
    const PlaneBlocks& from = past_.blocks_of(plane);
    FtlPlane& p = state_.planes[plane];
    const auto first = static_cast<std::uint32_t>(state_.blocks.size());
    for (std::uint32_t i = 0; i < from.fresh; ++i) {
        const PlaneBlocks::Block& was = from.blocks[i];
        FtlBlock& b = state_.blocks.emplace_back();
        b.block = plane * config_.geometry.blocks + i;
        b.erases = was.erases, b.valid = was.valid;
        b.past = static_cast<std::uint16_t>(was.written);
        b.closed_at =
            was.closed_at *
            state_.planes.size(); // the drive closes blocks as often as all planes together
        state_.record_of[b.block] = first + i;
    }
    state_.closings = std::max(state_.closings, from.closings * state_.planes.size());
    p.fresh = from.fresh;
    for (const std::uint32_t i : from.erased) p.erased.push_back(first + i);
    for (const std::uint32_t i : from.closed) enlist(first + i);
    const auto open = [&](Frontier frontier, std::uint32_t i) {
        if (i == PlaneBlocks::none) return;
        state_.blocks[first + i].use = BlockUse::open;
        remember_owners(state_.blocks[first + i]);
        p.open[static_cast<unsigned>(frontier)] = first + i;
    };
    open(Frontier::host, from.host);
    open(Frontier::collector, from.collector);
}

void Ftl::remember_owners(FtlBlock& b) const {
    if (!b.owners.empty() || b.past == 0) return;
    b.owners.reserve(config_.geometry.pages);
    for (std::uint32_t p = 0; p < b.past; ++p)
        b.owners.push_back(past_.owner_of(first_page(b) + p));
}

// ---- the map -----------------------------------------------------------------------------------

MapEntry Ftl::lookup(std::uint32_t lpn) const {
    if (const MapEntry* const e = state_.map.find(lpn)) return *e;
    const std::uint32_t page = past_.page_of(lpn);
    return {page, page == no_page ? 0 : ~0u};
}

void Ftl::commit(std::uint32_t lpn, std::uint32_t page, std::uint32_t sectors) {
    const MapEntry before = lookup(lpn);
    if (before.page != no_page) invalidate(before.page);
    state_.map[lpn] = {page, sectors};
    FtlBlock& b = record(config_.geometry.block_of(page));
    ++b.valid, --b.flying;
}

bool Ftl::moved(std::uint32_t lpn, std::uint32_t from, std::uint32_t to) {
    const MapEntry before = lookup(lpn);
    FtlBlock& b = record(config_.geometry.block_of(to));
    --b.flying;
    if (before.page != from) {
        device_parts::named(b.owners, to % config_.geometry.pages) = no_page;
        return false;
    }
    ++b.valid;
    invalidate(from);
    state_.map[lpn] = {to, before.sectors};
    return true;
}

void Ftl::trim(std::uint32_t lpn, std::uint32_t sectors) {
    MapEntry e = lookup(lpn);
    e.sectors &= ~sectors;
    if (e.page != no_page && e.sectors == 0) {
        invalidate(e.page);
        e.page = no_page;
    }
    state_.map[lpn] = e; // trimmed, so that it is not taken for a page from before the run
}

std::uint32_t Ftl::remember(std::uint32_t lpn, std::uint32_t plane, std::uint32_t sectors) {
    const std::uint32_t page = allocate(plane, Frontier::past, lpn);
    state_.map[lpn] = {page, sectors};
    FtlBlock& b = record(config_.geometry.block_of(page));
    ++b.valid, --b.flying;
    return page;
}

// ---- blocks ------------------------------------------------------------------------------------

std::uint32_t Ftl::record_index(std::uint32_t block) {
    if (const std::uint32_t* const known = state_.record_of.find(block)) {
        remember_owners(state_.blocks[*known]);
        return *known;
    }
    const auto index = static_cast<std::uint32_t>(state_.blocks.size());
    state_.record_of[block] = index;
    state_.blocks.emplace_back();
    FtlBlock& b = state_.blocks.back();
    b.block = block;
    const Geometry& g = config_.geometry;
    if (std::uint64_t {block % g.blocks} * g.pages >= in_order(block / g.blocks)) return index;
    b.past = static_cast<std::uint16_t>(g.pages);
    remember_owners(b);
    for (const std::uint32_t owner : b.owners) b.valid += owner != no_page;
    close(index);
    return index;
}

void Ftl::close(std::uint32_t index) {
    state_.blocks[index].closed_at = state_.closings++;
    enlist(index);
}

void Ftl::enlist(std::uint32_t index) {
    FtlBlock& b = state_.blocks[index];
    auto& closed = state_.planes[b.block / config_.geometry.blocks].closed;
    b.use = BlockUse::closed;
    b.place = static_cast<std::uint32_t>(closed.size());
    closed.push_back(index);
}

void Ftl::invalidate(std::uint32_t page) {
    FtlBlock& b = record(config_.geometry.block_of(page));
    std::uint32_t& owner = device_parts::named(b.owners, page % config_.geometry.pages);
    MEMSIM_ASSERT(owner != no_page && b.valid > 0, "a page is invalidated twice");
    owner = no_page;
    --b.valid;
}

std::uint16_t Ftl::written_before(std::uint32_t page) const {
    const std::uint32_t* const index = state_.record_of.find(config_.geometry.block_of(page));
    if (!index)
        return static_cast<std::uint16_t>(
            config_.geometry.pages); // from before the run, not accessed
    return state_.blocks[*index].past;
}

std::uint32_t Ftl::take_block(std::uint32_t plane, Frontier frontier) {
    FtlPlane& p = state_.planes[plane];
    const bool worn = frontier == Frontier::cold;
    if (p.fresh < config_.geometry.blocks &&
        ((config_.least_worn_first && !worn) || p.erased.empty()))
        return record_index(plane * config_.geometry.blocks + p.fresh++);
    MEMSIM_ASSERT(!p.erased.empty(), "a plane has no free block left");
    std::size_t best = p.erased.size() - 1;
    if (config_.least_worn_first || worn)
        for (std::size_t i = 0; i < p.erased.size(); ++i) {
            const std::uint32_t here = state_.blocks[p.erased[i]].erases;
            const std::uint32_t there = state_.blocks[p.erased[best]].erases;
            if (worn ? here > there : here < there) best = i;
        }
    const std::uint32_t index = p.erased[best];
    p.erased[best] = p.erased.back();
    p.erased.pop_back();
    return index;
}

bool Ftl::has_room(std::uint32_t plane, Frontier frontier) const {
    const bool moves = frontier == Frontier::collector || frontier == Frontier::cold;
    if (!moves && config_.stop && free_blocks(plane) < config_.stop) return false;
    if (state_.planes[plane].open[static_cast<unsigned>(frontier)] != no_page) return true;
    return free_blocks(plane) > (moves ? 0 : config_.kept);
}

std::uint32_t Ftl::plane_for(std::uint32_t lpn) {
    const auto n = static_cast<std::uint32_t>(config_.order.size());
    if (config_.fixed_plane) {
        const std::uint32_t plane = config_.order[lpn % n];
        return has_room(plane, Frontier::host) ? plane : no_page;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t plane = config_.order[(state_.next_plane + i) % n];
        if (!has_room(plane, Frontier::host)) continue;
        state_.next_plane = (state_.next_plane + i + 1) % n;
        return plane;
    }
    return no_page;
}

std::uint32_t Ftl::allocate(std::uint32_t plane, Frontier frontier, std::uint32_t lpn) {
    std::uint32_t& open = state_.planes[plane].open[static_cast<unsigned>(frontier)];
    if (open == no_page) {
        open = take_block(plane, frontier);
        FtlBlock& fresh = state_.blocks[open];
        MEMSIM_ASSERT(fresh.use == BlockUse::erased && fresh.owners.empty(),
                      "a block is written that was not erased");
        fresh.use = BlockUse::open;
        fresh.owners.reserve(frontier == Frontier::past ? 0 : config_.geometry.pages);
    }
    const std::uint32_t index = open;
    FtlBlock& b = state_.blocks[index];
    const std::uint32_t page = first_page(b) + static_cast<std::uint32_t>(b.owners.size());
    b.owners.push_back(lpn);
    b.past += frontier == Frontier::past;
    ++b.flying;
    if (b.owners.size() == config_.geometry.pages) {
        open = no_page;
        close(index);
    }
    return page;
}

void Ftl::check_loaded(Loader& l) const {
    const Geometry& g = config_.geometry;
    const std::uint64_t records = state_.blocks.size(), planes = state_.planes.size();
    state_.map.all([&](std::uint64_t, const MapEntry& e) {
        if (e.page != no_page) l.index("ftl.map", e.page, planes * g.plane_pages());
        return true;
    });
    state_.record_of.all([&](std::uint64_t block, std::uint32_t record) {
        l.index("ftl.record_of", block, planes * g.blocks);
        l.index("ftl.record_of", record, records);
        return true;
    });
    for (const FtlBlock& b : state_.blocks) {
        l.index("ftl.blocks", b.block, planes * g.blocks);
        l.index("ftl.owners", b.owners.size(), std::uint64_t {g.pages} + 1);
        l.index("ftl.past", b.past, std::uint64_t {g.pages} + 1);
        if (b.use != BlockUse::closed) continue;
        const auto& closed = state_.planes[b.block / g.blocks].closed;
        l.index("ftl.place", b.place, closed.size());
        l.within("ftl.place", [&] {
            l.check(&state_.blocks[0] + closed[b.place] == &b, "is the index of another block");
        });
    }
    for (const FtlPlane& p : state_.planes) {
        for (const auto* list : {&p.erased, &p.closed}) l.indices("ftl.planes", *list, records);
        for (const std::uint32_t open : p.open)
            if (open != no_page) l.index("ftl.open", open, records);
        l.index("ftl.fresh", p.fresh, std::uint64_t {g.blocks} + 1);
    }
    l.index("ftl.next_plane", state_.next_plane, planes);
}

// ---- usage ------------------------------------------------------------------------------------

std::uint32_t Ftl::handed_out(const FtlBlock& b) const {
    if (b.use == BlockUse::erased) return 0;
    return b.use == BlockUse::open ? static_cast<std::uint32_t>(b.owners.size())
                                   : config_.geometry.pages;
}

FlashUsage Ftl::usage() const {
    const Geometry& g = config_.geometry;
    FlashUsage u;
    std::uint64_t programmed = 0;
    for (std::uint32_t p = 0; p < state_.planes.size(); ++p) {
        // Blocks written before the run and not accessed: the last one counts as closed, though not
        // full.
        u.free_blocks += free_blocks(p);
        u.valid_pages += in_order(p);
        programmed += (in_order(p) + g.pages - 1) / g.pages * g.pages;
    }
    for (const FtlBlock& b : state_.blocks) {
        const std::uint64_t past = in_order(b.block / g.blocks),
                            first = std::uint64_t {b.block % g.blocks} * g.pages;
        if (first < past) {
            u.valid_pages -= std::min<std::uint64_t>(g.pages, past - first);
            programmed -= g.pages;
        }
        u.valid_pages += b.valid;
        programmed += handed_out(b) - b.flying;
    }
    u.invalid_pages = programmed - u.valid_pages;
    u.erased_pages = g.all_pages() - programmed;
    return u;
}

// ---- garbage collection ------------------------------------------------------------------------

std::uint32_t Ftl::victim(std::uint32_t plane, const VictimPolicy& policy) const {
    const std::uint32_t pages = config_.geometry.pages;
    return choose_victim(policy, state_.planes[plane].closed, no_page, [&](std::uint32_t index) {
        const FtlBlock& b = state_.blocks[index];
        return VictimBlock {b.flying ? pages : b.valid, pages, b.erases,
                            state_.closings - b.closed_at};
    });
}

std::uint32_t Ftl::cold_victim(std::uint32_t plane, std::uint32_t erases, std::uint32_t gap) {
    if (erases < gap) return no_page;
    const Geometry& g = config_.geometry;
    // Blocks from before the run that were not accessed have no record and no erases.
    const auto whole = static_cast<std::uint32_t>(in_order(plane) / g.pages);
    for (std::uint32_t b = 0; b < whole; ++b)
        if (!state_.record_of.find(plane * g.blocks + b)) return record_index(plane * g.blocks + b);
    std::uint32_t best = no_page, fewest = erases - gap + 1;
    for (const std::uint32_t index : state_.planes[plane].closed) {
        const FtlBlock& b = state_.blocks[index];
        if (b.flying == 0 && b.erases < fewest) best = index, fewest = b.erases;
    }
    return best;
}

void Ftl::begin_collecting(std::uint32_t index) {
    FtlBlock& b = state_.blocks[index];
    MEMSIM_ASSERT(b.use == BlockUse::closed, "only a closed block is collected");
    b.use = BlockUse::collecting;
    remember_owners(b);
    auto& closed = state_.planes[b.block / config_.geometry.blocks].closed;
    closed[b.place] = closed.back();
    state_.blocks[closed[b.place]].place = b.place;
    closed.pop_back();
}

void Ftl::erased(std::uint32_t index) {
    FtlBlock& b = state_.blocks[index];
    MEMSIM_ASSERT(b.valid == 0 && b.flying == 0 && !is_read(b),
                  "a block is erased that holds valid pages or is in use");
    b.use = BlockUse::erased;
    b.past = 0;
    ++b.erases;
    b.owners.clear();
    b.owners.shrink_to_fit();
    state_.planes[b.block / config_.geometry.blocks].erased.push_back(index);
}

} // namespace memsim::flash
