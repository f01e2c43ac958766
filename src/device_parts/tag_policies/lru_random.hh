#pragma once

#include "device_parts/tag_policies/clock_order.hh"

#include <array>

namespace memsim::device_parts {

/// A random line of the `among` lines that were used longest ago, as an approximation of LRU in
/// hardware. A random number is consumed only if the line is used.
class LruRandom final : public PolicyModel<LruRandom, TagPolicy> {
    static constexpr unsigned most = 16;

  public:
    struct Params {
        Param<unsigned> among {4,
                               {1, most},
                               "Number of lines used longest ago, of which a random one is evicted",
                               assumed("between lru, which is 1, and random, which is all ways")};
    };
    struct State {
        std::uint32_t clock = 0;
        Rng random;
    };
    explicit LruRandom(const Params& p) : params(p) {}
    void touch(TagWords words, std::uint32_t line) override {
        words[line] = ClockOrder::tick(state.clock, words);
    }
    void insert(TagWords words, std::uint32_t line, bool chosen) override {
        touch(words, line);
        if (chosen) state.random = drawn_;
    }
    void drop(TagWords words, std::uint32_t line) override { words[line] = 0; }
    std::uint32_t victim(TagWords words, const TagCandidates& c) override {
        std::array<std::uint32_t, most> oldest; // in order of their use
        std::uint32_t n = 0;
        for (std::uint32_t i = c.from; i < c.to; ++i) {
            if (!c.may(i) || (n == params.among && words[i] > words[oldest[n - 1]])) continue;
            if (n < params.among) ++n;
            std::uint32_t at = n - 1;
            for (; at && words[i] < words[oldest[at - 1]]; --at) oldest[at] = oldest[at - 1];
            oldest[at] = i;
        }
        drawn_ = state.random;
        if (n < 2) return n ? oldest[0] : none;
        return oldest[drawn_.below(n)];
    }
    const Params params;
    State state;

  private:
    Rng drawn_; ///< the stream's state after using the result of victim()
};

} // namespace memsim::device_parts
