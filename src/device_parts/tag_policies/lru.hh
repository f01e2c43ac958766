#pragma once

#include "device_parts/tag_policies/clock_order.hh"

namespace memsim::device_parts {

/// Least recently used.
class Lru final : public PolicyModel<Lru, TagPolicy> {
  public:
    static constexpr bool finds_empty = true;
    struct Params {};
    struct State {
        std::uint32_t clock = 0;
    };
    explicit Lru(const Params& p) : params(p) {}
    void touch(TagWords words, std::uint32_t line) override {
        words[line] = ClockOrder::tick(state.clock, words);
    }
    void insert(TagWords words, std::uint32_t line, bool) override { touch(words, line); }
    void drop(TagWords words, std::uint32_t line) override { words[line] = 0; }
    std::uint32_t victim(TagWords words, const TagCandidates& c) override {
        return ClockOrder::least(words, c);
    }
    const Params params;
    State state;
};

} // namespace memsim::device_parts
