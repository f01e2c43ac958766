#pragma once

#include "core/base/units.hh"

#include <string>
#include <vector>

namespace memsim::zng {

/// Whether an application stands still: its requests under way are awaited, then caches are flushed
/// of its lines, then nothing of it is under way.
enum class Hold : std::uint8_t { none, draining, flushing, quiet };

/// Plain values for State.
struct HeldApplication {
    Hold hold = Hold::none;
    std::uint32_t merges = 0;   ///< whose blocks the tables do not name yet
    std::uint32_t flushing = 0; ///< caches
    Tick since = 0, drained = 0;
};

/// Applications that stand still while their log blocks are merged. A part: its owner sends the
/// orders. Each call returns what there is to be done, or how long it took.
class HeldApplications {
  public:
    HeldApplications(std::uint32_t caches, std::vector<HeldApplication>& state)
        : caches_(caches), s_(state) {}

    HeldApplication& operator[](std::size_t i) { return s_[i]; }
    std::size_t size() const { return s_.size(); }
    bool quiet(std::size_t i) const { return s_[i].hold == Hold::quiet; }

    /// What must come before it is quiet, or "".
    std::string waits_for(std::size_t i) const {
        const HeldApplication& a = s_[i];
        return a.hold == Hold::draining   ? "what is under way"
               : a.hold == Hold::flushing ? "the flush of " + std::to_string(a.flushing) + " caches"
                                          : "";
    }

    /// A merge of it begins; true if it must be held for that.
    bool begin_merge(std::size_t i, Tick now) {
        ++s_[i].merges;
        if (s_[i].hold != Hold::none) return false;
        s_[i].hold = Hold::draining;
        s_[i].since = now;
        return true;
    }
    /// Its requests are answered: all caches are to be flushed.
    Time drained(std::size_t i, Tick now) {
        HeldApplication& a = s_[i];
        a.drained = now;
        a.flushing = caches_;
        a.hold = caches_ ? Hold::flushing : Hold::quiet;
        return Time {now - a.since};
    }
    /// A cache is flushed; true if it was the last.
    bool flushed(std::size_t i) {
        if (--s_[i].flushing) return false;
        s_[i].hold = Hold::quiet;
        return true;
    }
    /// The tables name the blocks of a merge.
    void mapped(std::size_t i) { --s_[i].merges; }
    /// True if it may go on.
    bool resumes(std::size_t i) {
        if (!quiet(i) || s_[i].merges) return false;
        s_[i].hold = Hold::none;
        return true;
    }

  private:
    std::uint32_t caches_;
    std::vector<HeldApplication>& s_;
};

} // namespace memsim::zng
