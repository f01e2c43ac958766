#pragma once

#include "core/state/hash_map.hh"
#include "mem/cache/lines/lines.hh"

namespace memsim::mem::cache {

/// How many MSHRs the lines on their way occupy. An MSHR covers `lines` aligned consecutive lines,
/// such as a flash page, with a mask of those that are fetched. The table has an entry for each
/// line, so targets wait for lines, not for pages.
class MshrUse {
  public:
    using State = HashMap<std::uint32_t>; ///< lines on their way, by group; empty if `lines` is 1

    MshrUse(std::uint32_t mshrs, std::uint32_t lines, const Mshrs& table, State& state)
        : mshrs_(mshrs), lines_(lines), table_(table), s_(state) {}

    std::uint32_t used() const {
        return lines_ == 1 ? table_.size() : static_cast<std::uint32_t>(s_.size());
    }
    /// Whether a line can be fetched that leaves so many MSHRs to others.
    bool room(std::uint64_t line, std::uint32_t others = 0) const {
        return mshrs_ - used() > others || (lines_ > 1 && s_.find(line / lines_));
    }
    /// A line has an entry of the table.
    void take(std::uint64_t line) {
        if (lines_ > 1) ++s_[line / lines_];
    }
    /// The entry is free again.
    void release(std::uint64_t line) {
        if (lines_ == 1) return;
        std::uint32_t* const n = s_.find(line / lines_);
        MEMSIM_ASSERT(n && *n, "a line on its way occupies no MSHR");
        if (--*n == 0) s_.erase(line / lines_);
    }

    void check_loaded(Loader& l, const parts::TagArray& tags) const {
        if (lines_ == 1) return l.within("mshr_use", [&] { l.check(s_.empty(), "is not empty"); });
        State counted;
        table_.for_each([&](std::uint32_t, const auto& e) { ++counted[tags.tag(e.line) / lines_]; },
                        [](const Target&) {});
        l.within("mshr_use", [&] {
            l.check(s_.size() == counted.size() && s_.size() <= mshrs_ &&
                        s_.all([&](std::uint64_t group, std::uint32_t n) {
                            const std::uint32_t* const found = counted.find(group);
                            return found && *found == n;
                        }),
                    "does not fit the lines on their way");
        });
    }

  private:
    std::uint32_t mshrs_, lines_;
    const Mshrs& table_;
    State& s_;
};

} // namespace memsim::mem::cache
