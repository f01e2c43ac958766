#include "parts/tag_array.hh"

namespace memsim::parts {

void TagArray::resize(std::uint64_t sets, std::uint32_t ways, Replacement policy) {
    ways_ = ways;
    policy_ = policy;
    const std::uint64_t lines = sets * ways;
    tags_.assign(lines, ~std::uint64_t {0});
    order_.assign(lines, 0);
    valid_.assign(lines, 0);
    dirty_.assign(lines, 0);
    locks_.assign(lines, 0);
}

std::uint32_t TagArray::victim(std::uint64_t set) const {
    const std::size_t first = set * ways_;
    std::size_t best = none;
    for (std::size_t i = first; i < first + ways_; ++i) {
        if (locks_[i]) continue;
        if (valid_[i] == 0) return static_cast<std::uint32_t>(i);
        if (best == none || order_[i] < order_[best]) best = i;
    }
    return static_cast<std::uint32_t>(best);
}

void TagArray::drop_clean() {
    for (std::size_t i = 0; i < tags_.size(); ++i) {
        valid_[i] &= dirty_[i];
        if (valid_[i] == 0 && locks_[i] == 0) tags_[i] = ~std::uint64_t {0};
    }
}

} // namespace memsim::parts
