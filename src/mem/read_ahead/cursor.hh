#pragma once

#include "mem/read_ahead/arrays.hh"

#include <array>
#include <optional>
#include <string_view>

namespace memsim::mem {

/// Which arrays of a group are read ahead.
enum class Predict : std::uint8_t { all, last };
constexpr std::array<std::string_view, 2> names_of(Predict) { return {"all", "last"}; }

/// How the program has used an array.
struct ArrayUse {
    bool read = false;   ///< since its group was entered last
    bool before = false; ///< in the pass before that
    bool missed = false; ///< since then: reads have reached lines that were not fetched yet
};

/// The group that the program reads, and the next line to fetch. A value for State.
struct AheadPosition {
    std::uint32_t group = AheadArrays::none; ///< none: nothing has been read yet
    std::uint32_t array = 0;
    std::uint64_t within = 0; ///< of the channel's share
    std::vector<ArrayUse> uses;
};

/// Follows the groups that a program reads, and selects the lines to fetch: those of the following
/// `ahead` groups, and of the present one as far as reads have not reached them.
class AheadCursor {
  public:
    struct Config {
        std::uint32_t ahead = 1;
        Predict predict = Predict::all;
        std::uint32_t line = 128;
        std::uint64_t chunk = 0; ///< of the interleave
    };
    AheadCursor(const Config& config, const AheadArrays& arrays, const AheadShare& share,
                AheadPosition& state)
        : config_(config), arrays_(arrays), share_(share), state_(state) {}

    /// The program reads an array. Returns true if its group was entered with this read.
    bool reads(std::uint32_t array);
    /// The address of the array has not been fetched.
    void missed(std::uint32_t array, std::uint64_t address);
    /// Whether lines of a group may be held: it is the present one or one of the following.
    bool in_window(std::uint32_t group) const {
        return arrays_.distance(state_.group, group) <= config_.ahead;
    }
    /// The next line to fetch; none until the window moves.
    std::optional<std::uint64_t> line();
    void next() { state_.within += config_.line; }
    std::uint32_t array() const { return state_.array; }

  private:
    void enter(std::uint32_t group);
    void go_to(std::uint32_t array);
    bool skips(std::uint32_t array) const;
    bool go_on();

    Config config_;
    const AheadArrays& arrays_;
    const AheadShare& share_;
    AheadPosition& state_;
};

} // namespace memsim::mem
