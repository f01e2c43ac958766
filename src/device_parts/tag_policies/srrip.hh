#pragma once

#include "device_parts/tag_policy.hh"

namespace memsim::device_parts {

/// Static re-reference interval prediction, hit priority (Jaleel, Theobald, Steely and Emer, ISCA
/// 2010): a line's word predicts the distance of its next use. A new line's is far but not
/// farthest, a hit's near. The first line with the farthest prediction is evicted, after ageing all
/// lines of the set until there is one.
class Srrip final : public PolicyModel<Srrip, TagPolicy> {
  public:
    struct Params {
        Param<unsigned> bits {
            2,
            {1, 16},
            "Bits of a prediction",
            cited("gem5, ReplacementPolicies.py: BRRIPRP.num_bits 2; Jaleel et al., ISCA'10")};
    };
    struct State {};
    explicit Srrip(const Params& p) : params(p), farthest_((1u << p.bits()) - 1) {}
    void touch(TagWords words, std::uint32_t line) override { words[line] = 0; }
    void insert(TagWords words, std::uint32_t line, bool chosen) override {
        if (const std::uint32_t age = farthest_ - words[line]; chosen && age) {
            const std::uint32_t first = words.first(line);
            for (std::uint32_t i = first; i < first + words.ways; ++i)
                words[i] = std::min(words[i] + age, farthest_);
        }
        words[line] = farthest_ - 1;
    }
    std::uint32_t victim(TagWords words, const TagCandidates& c) override {
        std::uint32_t victim = none;
        for (std::uint32_t i = c.from; i < c.to; ++i)
            if (c.may(i) && (victim == none || words[i] > words[victim])) victim = i;
        return victim;
    }
    const Params params;
    State state;

  private:
    std::uint32_t farthest_;
};

} // namespace memsim::device_parts
