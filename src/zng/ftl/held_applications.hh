#pragma once

#include "core/base/units.hh"

#include <string>
#include <vector>

namespace memsim::zng {

/// Phases of a held application: outstanding requests are awaited, its lines are flushed from
/// caches, nothing is outstanding.
enum class Hold : std::uint8_t { none, draining, flushing, quiet };

/// Plain values for State.
struct HeldApplication {
    Hold hold = Hold::none;
    std::uint32_t merges = 0;   ///< merges whose new blocks the tables do not name yet
    std::uint32_t flushing = 0; ///< caches still flushing
    Tick since = 0, drained = 0;
};

/// The applications that are held while their log blocks are merged. A part: its owner sends the
/// orders. Each call returns the action that the owner must take, or a duration.
class HeldApplications {
  public:
    HeldApplications(std::uint32_t caches, std::vector<HeldApplication>& state)
        : caches_(caches), state_(state) {}

    HeldApplication& operator[](std::size_t i) { return state_[i]; }
    std::size_t size() const { return state_.size(); }
    bool quiet(std::size_t i) const { return state_[i].hold == Hold::quiet; }

    /// The condition that the application waits for, or "".
    std::string waits_for(std::size_t i) const {
        const HeldApplication& a = state_[i];
        return a.hold == Hold::draining   ? "outstanding requests"
               : a.hold == Hold::flushing ? "the flush of " + std::to_string(a.flushing) + " caches"
                                          : "";
    }

    /// Begins a merge. Returns true if the application must be held for it.
    bool begin_merge(std::size_t i, Tick now) {
        ++state_[i].merges;
        if (state_[i].hold != Hold::none) return false;
        state_[i].hold = Hold::draining;
        state_[i].since = now;
        return true;
    }
    /// Its requests are answered. The flush of all caches begins. Returns the drain time.
    Time drained(std::size_t i, Tick now) {
        HeldApplication& a = state_[i];
        a.drained = now;
        a.flushing = caches_;
        a.hold = caches_ ? Hold::flushing : Hold::quiet;
        return Time {now - a.since};
    }
    /// Counts a flushed cache. Returns true for the last one.
    bool flushed(std::size_t i) {
        if (--state_[i].flushing) return false;
        state_[i].hold = Hold::quiet;
        return true;
    }
    /// The tables name the new blocks of a merge.
    void mapped(std::size_t i) { --state_[i].merges; }
    /// Returns true if the application resumes.
    bool resumes(std::size_t i) {
        if (!quiet(i) || state_[i].merges) return false;
        state_[i].hold = Hold::none;
        return true;
    }

  private:
    std::uint32_t caches_;
    std::vector<HeldApplication>& state_;
};

} // namespace memsim::zng
