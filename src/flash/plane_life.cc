#include "flash/plane_life.hh"

#include "core/error.hh"

#include <algorithm>

namespace memsim::flash {

PlaneLife::PlaneLife(const Config& figures, const VictimPolicy& victim, Rng& random)
    : f_(figures), victim_(victim), random_(random) {
    now_.blocks.resize(f_.blocks);
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
    const std::uint64_t all = std::uint64_t {f_.blocks} * f_.pages;
    for (;;) { // until a place that is drawn is a valid page's: all are as likely
        const std::uint64_t place = random_.below(all);
        PlaneBlocks::Block& b = now_.blocks[place / f_.pages];
        if (place % f_.pages >= b.valid) continue;
        --b.valid;
        return;
    }
}

void PlaneLife::write() {
    put(now_.host);
    if (now_.free_blocks() >= f_.free_blocks) return;
    while (now_.free_blocks() < f_.target) {
        const std::uint32_t victim =
            choose_victim(victim_, now_.closed, PlaneBlocks::none, [this](std::uint32_t index) {
                const PlaneBlocks::Block& b = now_.blocks[index];
                return VictimBlock {b.valid, f_.pages, b.erases, now_.closings - b.closed_at};
            });
        if (victim == PlaneBlocks::none) return;
        collect(victim);
    }
}

/// A page more in the block that is open, or in a new one.
void PlaneLife::put(std::uint32_t& open) {
    if (open == PlaneBlocks::none) open = take_block();
    PlaneBlocks::Block& b = now_.blocks[open];
    ++b.valid;
    if (++b.written < f_.pages) return;
    b.closed_at = now_.closings++;
    now_.closed.push_back(std::exchange(open, PlaneBlocks::none));
}

std::uint32_t PlaneLife::take_block() {
    auto& erased = now_.erased;
    if (now_.fresh < f_.blocks && (f_.least_worn_first || erased.empty())) return now_.fresh++;
    MEMSIM_ASSERT(!erased.empty(), "a plane has no free block left");
    const auto less_worn = [this](std::uint32_t a, std::uint32_t b) {
        return now_.blocks[a].erases < now_.blocks[b].erases;
    };
    if (f_.least_worn_first)
        std::iter_swap(std::min_element(erased.begin(), erased.end(), less_worn), erased.end() - 1);
    const std::uint32_t taken = erased.back();
    erased.pop_back();
    return taken;
}

void PlaneLife::collect(std::uint32_t victim) {
    std::iter_swap(std::find(now_.closed.begin(), now_.closed.end(), victim),
                   now_.closed.end() - 1);
    now_.closed.pop_back();
    PlaneBlocks::Block& b = now_.blocks[victim];
    for (; b.valid > 0; --b.valid) put(now_.collector);
    ++b.erases;
    b.written = 0;
    now_.erased.push_back(victim);
}

} // namespace memsim::flash
