#pragma once

#include "device_parts/tag_policy.hh"

namespace memsim::device_parts {

/// Any line, by a stream of random numbers. A number is consumed only if the line is used.
class RandomOrder final : public PolicyModel<RandomOrder, TagPolicy> {
  public:
    struct Params {};
    struct State {
        Rng random;
    };
    explicit RandomOrder(const Params& p) : params(p) {}
    void touch(TagWords, std::uint32_t) override {}
    void insert(TagWords, std::uint32_t, bool chosen) override {
        if (chosen) state.random = drawn_;
    }
    std::uint32_t victim(TagWords, const TagCandidates& c) override {
        std::uint32_t unlocked = 0, last = none;
        for (std::uint32_t i = c.from; i < c.to; ++i)
            if (c.may(i)) ++unlocked, last = i;
        drawn_ = state.random;
        if (unlocked < 2) return last;
        std::uint64_t skip = drawn_.below(unlocked);
        for (std::uint32_t i = c.from;; ++i)
            if (c.may(i) && skip-- == 0) return i;
    }
    const Params params;
    State state;

  private:
    Rng drawn_; ///< the stream's state after using the result of victim()
};

} // namespace memsim::device_parts
