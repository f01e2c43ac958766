#include "flash/ftl/plane_life.hh"

#include "core/base/error.hh"

#include <utility>

namespace memsim::flash {

PlaneLife::PlaneLife(const Config& figures, const VictimPolicy& victim, Rng& random)
    : config_(figures), victim_(victim), random_(random),
      place_(figures.blocks, PlaneBlocks::none) {
    now_.blocks.resize(config_.blocks);
}

/// Compares two positions in the list of closed blocks.
Tournament::Winner PlaneLife::collected_first(std::uint32_t a, std::uint32_t b) const {
    const auto at = [this](std::uint32_t place) {
        const PlaneBlocks::Block& x = now_.blocks[now_.closed[place]];
        return VictimBlock {x.valid, config_.pages, x.erases, now_.closings - x.closed_at};
    };
    const VictimBlock first = at(a), second = at(b);
    if (second.valid == config_.pages) return {};
    if (first.valid == config_.pages) return {true};
    const bool wins = victim_.before(second, first);
    const std::uint64_t holds = wins ? victim_.holds(second, first) : victim_.holds(first, second);
    return {wins, holds == VictimPolicy::forever ? holds : now_.closings + holds};
}

/// Compares two positions in the list of erased blocks.
Tournament::Winner PlaneLife::less_worn(std::uint32_t a, std::uint32_t b) const {
    return {now_.blocks[now_.erased[b]].erases < now_.blocks[now_.erased[a]].erases};
}

void PlaneLife::fill(std::uint64_t pages) {
    for (; pages > 0; --pages) write();
}

void PlaneLife::overwrite(std::uint64_t pages) {
    for (; pages > 0; --pages) {
        drop();
        write();
    }
}

void PlaneLife::drop() {
    const std::uint64_t all = std::uint64_t {config_.blocks} * config_.pages;
    for (;;) { // until the drawn page is valid: all valid pages are equally likely
        const std::uint64_t place = random_.below(all);
        const auto block = static_cast<std::uint32_t>(place / config_.pages);
        PlaneBlocks::Block& b = now_.blocks[block];
        if (place % config_.pages >= b.valid) continue;
        --b.valid;
        if (place_[block] != PlaneBlocks::none) closed_.changed(place_[block], by_victim());
        return;
    }
}

void PlaneLife::write() {
    put(now_.host);
    if (now_.free_blocks() >= config_.free_blocks) return;
    while (now_.free_blocks() < config_.target) {
        const std::uint32_t next = victim();
        if (next == PlaneBlocks::none) return;
        collect(next);
    }
}

/// The closed block that the policy selects, if it has an invalid page.
std::uint32_t PlaneLife::victim() {
    const std::uint32_t place = closed_.best(now_.closings, by_victim());
    if (place == Tournament::none) return PlaneBlocks::none;
    const std::uint32_t block = now_.closed[place];
    return now_.blocks[block].valid < config_.pages ? block : PlaneBlocks::none;
}

/// Adds a page to the open block, or to a new one.
void PlaneLife::put(std::uint32_t& open) {
    if (open == PlaneBlocks::none) open = take_block();
    PlaneBlocks::Block& b = now_.blocks[open];
    ++b.valid;
    if (++b.written == config_.pages) close(std::exchange(open, PlaneBlocks::none));
}

void PlaneLife::close(std::uint32_t block) {
    now_.blocks[block].closed_at = now_.closings++;
    place_[block] = closed_.size();
    now_.closed.push_back(block);
    closed_.push(by_victim());
}

std::uint32_t PlaneLife::take_block() {
    auto& erased = now_.erased;
    if (now_.fresh < config_.blocks && (config_.least_worn_first || erased.empty()))
        return now_.fresh++;
    MEMSIM_ASSERT(!erased.empty(), "a plane has no free block left");
    const std::uint32_t last = erased_.size() - 1;
    const std::uint32_t place = config_.least_worn_first ? erased_.best(0, by_wear()) : last;
    const std::uint32_t taken = std::exchange(erased[place], erased.back());
    erased.pop_back();
    erased_.pop(by_wear());
    if (place != last) erased_.changed(place, by_wear());
    return taken;
}

void PlaneLife::collect(std::uint32_t victim) {
    const std::uint32_t place = std::exchange(place_[victim], PlaneBlocks::none);
    const std::uint32_t last = now_.closed.back();
    now_.closed[place] = last;
    now_.closed.pop_back();
    closed_.pop(by_victim());
    if (last != victim) {
        place_[last] = place;
        closed_.changed(place, by_victim());
    }
    PlaneBlocks::Block& b = now_.blocks[victim];
    for (; b.valid > 0; --b.valid) put(now_.collector);
    ++b.erases;
    b.written = 0;
    now_.erased.push_back(victim);
    erased_.push(by_wear());
}

} // namespace memsim::flash
