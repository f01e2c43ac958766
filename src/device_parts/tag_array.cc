#include "device_parts/tag_array.hh"

namespace memsim::device_parts {

void TagArray::resize(std::uint64_t sets, std::uint32_t ways, const std::string& policy,
                      const std::string& place, std::uint64_t seed) {
    ways_ = ways;
    stride_ = (4 * ways + row_words - 1) / row_words * row_words;
    rows_.assign(sets * stride_ / row_words, Row {});
    policy_.make(policy, place, seed);
    policy_->resize(sets, ways);
    for (std::uint64_t s = 0; s < sets; ++s)
        for (std::uint32_t w = 0; w < ways; ++w) drop(line(s, w));
}

std::uint32_t TagArray::victim(std::uint64_t set, std::uint32_t from, std::uint32_t to) {
    const TagCandidates c {line(set, from), line(set, to), words() + 3 * ways_, lock_mask};
    return with_policy([&](auto& p) {
        if constexpr (!requires { p.finds_empty; })
            for (std::uint32_t i = c.from; i < c.to; ++i)
                if (empty(i) && !locked(i)) return i;
        return p.victim(notes(), c);
    });
}

} // namespace memsim::device_parts
