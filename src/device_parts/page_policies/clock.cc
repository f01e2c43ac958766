#include "device_parts/page_policy.hh"

namespace memsim::device_parts {

/// CLOCK (Corbato, 1968): a hand circles over the frames. A page used since the last pass of the
/// hand stays for another round; the first other page is evicted.
class ClockPages final : public PolicyModel<ClockPages, PagePolicy> {
  public:
    struct Params {};
    struct Frame {
        bool here = false;
        bool used = false;
    };
    struct State {
        std::vector<Frame> frames;
        std::uint32_t hand = 0;
    };
    explicit ClockPages(const Params& p) : params(p) {}
    void insert(std::uint32_t frame, const ResidentPage&) override {
        if (frame >= state.frames.size()) state.frames.resize(frame + 1);
        state.frames[frame] = {true, false};
    }
    void use(std::uint32_t frame, const ResidentPage&) override { state.frames[frame].used = true; }
    std::uint32_t evict(const ResidentPage&, const ResidentPages& pages) override {
        const auto n = static_cast<std::uint32_t>(state.frames.size());
        for (std::uint64_t passed = 0; passed < 2 * std::uint64_t {n}; ++passed) {
            const std::uint32_t at = state.hand;
            state.hand = at + 1 == n ? 0 : at + 1;
            Frame& frame = state.frames[at];
            if (!frame.here || pages[at].pins || std::exchange(frame.used, false)) continue;
            frame.here = false;
            return at;
        }
        return none;
    }
    void remove(std::uint32_t frame) override { state.frames[frame] = {}; }
    std::size_t frames() const override { return state.frames.size(); }
    void check_loaded(Loader& l) const override {
        if (state.hand) l.index("hand", state.hand, state.frames.size());
    }

    const Params params;
    State state;
};

static const PolicyRegistration<ClockPages> clock_pages {
    "clock", "CLOCK: evicts the first page that was not used since the last pass of the hand."};

} // namespace memsim::device_parts
