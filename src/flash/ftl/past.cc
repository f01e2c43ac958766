#include "flash/ftl/past.hh"

#include "core/base/error.hh"

#include <algorithm>

namespace memsim::flash {

Past::Past(const Config& figures) : config_(figures) {
    total_ = config_.aged ? config_.aged + config_.map_pages : 0;
    position_.resize(config_.order.size());
    for (std::uint32_t i = 0; i < config_.order.size(); ++i) position_[config_.order[i]] = i;
}

/// Writes that are simulated quickly.
static constexpr std::uint64_t most_writes = 4'000'000;

void Past::use(Fraction overwritten, const PlaneLife::Config& plane, const VictimPolicy& policy,
               Rng random) {
    key_ = random.next();
    const auto planes = static_cast<std::uint32_t>(config_.order.size());
    const std::uint64_t pages =
        pages_of(config_.order[0]); // other planes have as many, or one less
    const std::uint64_t again = share_of(config_.geometry.plane_pages(), overwritten);
    const auto histories = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(most_writes / (pages + again + 1), 1, planes));
    // Between planes that share a history some pages are written: one block in all of them
    // together.
    const std::uint64_t step = std::uint64_t {plane.pages} * histories / planes + 1;
    used_.resize(planes);
    for (std::uint32_t first = 0; first < histories; ++first) {
        PlaneLife life(plane, policy, random);
        life.fill(pages);
        // Random writes leave each plane at another page of its open block.
        life.overwrite(again + random.below(plane.pages));
        for (std::uint32_t i = first; i < planes; i += histories) {
            if (i != first) life.overwrite(step);
            PlaneLife here = life;
            if (pages_of(config_.order[i]) < pages) here.drop();
            Plane& p = used_[config_.order[i]];
            p.blocks = here.now();
            p.first = {0};
            for (const PlaneBlocks::Block& b : p.blocks.blocks)
                p.first.push_back(p.first.back() + b.valid);
        }
    }
}

std::uint32_t Past::page_of(std::uint32_t lpn) const {
    std::uint64_t index = lpn; // in the order of the planes
    if (lpn >= config_.aged) {
        if (lpn < config_.host_pages || !total_) return no_page;
        index = config_.aged + (lpn - config_.host_pages);
    }
    const std::uint64_t n = config_.order.size();
    const std::uint32_t plane = config_.order[index % n];
    const std::uint64_t begin = plane * config_.geometry.plane_pages();
    if (!used()) return static_cast<std::uint32_t>(begin + index / n);
    const auto rank = static_cast<std::uint32_t>(order_in(plane).place_of(index / n));
    const auto& first = used_[plane].first;
    const auto block = static_cast<std::uint32_t>(
        std::upper_bound(first.begin(), first.end(), rank) - first.begin() - 1);
    const std::uint64_t page = order_in(plane, block).place_of(rank - first[block]);
    return static_cast<std::uint32_t>(begin + std::uint64_t {block} * config_.geometry.pages +
                                      page);
}

std::uint32_t Past::owner_of(std::uint32_t page) const {
    const std::uint32_t plane = config_.geometry.plane_of(page);
    std::uint64_t rank = page - plane * config_.geometry.plane_pages();
    if (used()) {
        const auto block = static_cast<std::uint32_t>(rank / config_.geometry.pages);
        const PlaneBlocks::Block& b = used_[plane].blocks.blocks[block];
        const std::uint64_t at = rank % config_.geometry.pages;
        if (at >= b.written) return no_page;
        const std::uint64_t valid = order_in(plane, block).at(at);
        if (valid >= b.valid) return no_page;
        rank = order_in(plane).at(used_[plane].first[block] + valid);
    }
    const std::uint64_t index = rank * config_.order.size() + position_[plane];
    if (index >= total_) return no_page;
    return static_cast<std::uint32_t>(
        index < config_.aged ? index : config_.host_pages + (index - config_.aged));
}

} // namespace memsim::flash
