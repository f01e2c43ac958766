#include "device_parts/tag_policy.hh"

namespace memsim::device_parts {

/// Evicts the line used last, so that a part of a loop that does not fit stays in the cache.
class Mru final : public PolicyModel<Mru, TagPolicy> {
  public:
    struct Params {};
    struct State {
        std::uint32_t clock = 0;
    };
    explicit Mru(const Params&) {}
    void touch(TagWords words, std::uint32_t line) override { words[line] = ++state.clock; }
    void insert(TagWords words, std::uint32_t line, bool) override { touch(words, line); }
    std::uint32_t victim(TagWords words, const TagCandidates& c) override {
        std::uint32_t last = none;
        for (std::uint32_t i = c.from; i < c.to; ++i)
            if (c.may(i) && (last == none || words[i] > words[last])) last = i;
        return last;
    }
    State state;
};
static const PolicyRegistration<Mru> mru {"mru", "The line used last is evicted."};

} // namespace memsim::device_parts
