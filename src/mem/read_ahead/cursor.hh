#pragma once

#include "mem/read_ahead/arrays.hh"

#include <array>
#include <optional>
#include <string_view>

namespace memsim::mem {

/// Which arrays of a group are read ahead: all; those that were read the last time; or those that
/// the program has signalled, such as the experts that a router predicts, and of the arrays without
/// a signal those that were read the last time.
enum class Predict : std::uint8_t { all, last, router };
constexpr std::array<std::string_view, 3> names_of(Predict) { return {"all", "last", "router"}; }

/// How the program has used an array.
struct ArrayUse {
    bool read = false;   ///< since its group was entered last
    bool before = false; ///< in the pass before that
    bool missed = false; ///< since then: reads have reached lines that were not fetched yet
    // With `router`, since the program has left its group:
    bool signalled = false;
    bool again = false;     ///< signalled while its group is the present one: for the next pass
    std::uint64_t next = 0; ///< where the cursor left it; 0: at its first line
};

/// Arrays with signals of groups that the program has left.
struct SignalledArrays {
    std::uint64_t used = 0;   ///< signalled and read
    std::uint64_t unused = 0; ///< signalled, not read
    std::uint64_t missed = 0; ///< read, not signalled
};

/// The group that the program reads, and the next line to fetch. A value for State.
struct AheadPosition {
    std::uint32_t group = AheadArrays::none; ///< none: nothing has been read yet
    std::uint32_t array = 0;
    std::uint64_t within = 0; ///< of the channel's share
    std::vector<ArrayUse> uses;
    SignalledArrays signalled;
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
    /// The program signals arrays: those in the window are fetched next.
    void signals(std::uint32_t signal);
    /// The address of the array has not been fetched.
    void missed(std::uint32_t array, std::uint64_t address);
    /// Whether lines of a group may be held: it is the present one or one of the following.
    bool in_window(std::uint32_t group) const {
        return arrays_.distance(state_.group, group) <= config_.ahead;
    }
    /// The next line to fetch; none until the window moves.
    std::optional<std::uint64_t> line();
    void next() {
        state_.within += config_.line;
        state_.uses[state_.array].next = state_.within;
    }
    std::uint32_t array() const { return state_.array; }

  private:
    void enter(std::uint32_t group);
    void go_to(std::uint32_t array);
    void leave(std::uint32_t from, std::uint32_t to);
    bool skips(std::uint32_t array) const;
    bool routed() const { return config_.predict == Predict::router; }
    /// The place of an array in the order of fetching.
    std::uint64_t order(std::uint32_t array) const {
        return std::uint64_t {arrays_.distance(state_.group, arrays_[array].group)} << 32 | array;
    }
    std::uint64_t first_of(std::uint32_t array) const {
        return share_.from(arrays_[array].base, config_.chunk);
    }
    bool go_on();

    Config config_;
    const AheadArrays& arrays_;
    const AheadShare& share_;
    AheadPosition& state_;
};

} // namespace memsim::mem
