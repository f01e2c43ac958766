#include "parts/tag_array.hh"

namespace memsim::parts {

void TagArray::resize(std::uint64_t sets, std::uint32_t ways, Replacement policy) {
    ways_ = ways;
    policy_ = policy;
    lines_.assign(sets * ways, Line {});
}

std::uint32_t TagArray::victim(std::uint64_t set) const {
    const std::size_t first = set * ways_;
    std::size_t best = none;
    for (std::size_t i = first; i < first + ways_; ++i) {
        const Line& line = lines_[i];
        if (line.lock) continue;
        if (line.valid == 0) return static_cast<std::uint32_t>(i);
        if (best == none || line.order < lines_[best].order) best = i;
    }
    return static_cast<std::uint32_t>(best);
}

void TagArray::drop_clean() {
    for (Line& line : lines_) {
        line.valid &= line.dirty;
        if (line.valid == 0 && line.lock == 0) line.tag = ~std::uint64_t {0};
    }
}

} // namespace memsim::parts
