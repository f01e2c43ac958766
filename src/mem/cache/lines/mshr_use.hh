#pragma once

#include "core/state/hash_map.hh"
#include "mem/cache/lines/lines.hh"

namespace memsim::mem::cache {

/// Counts the MSHRs in use. An MSHR covers `lines` aligned, consecutive lines, such as a flash
/// page, with a mask of the lines being fetched. The table has an entry for each line, so targets
/// wait for lines, not for pages.
class MshrUse {
  public:
    using State = HashMap<std::uint32_t>; ///< lines being fetched, by group; empty if `lines` is 1

    MshrUse(std::uint32_t mshrs, std::uint32_t lines, const Mshrs& table, State& state)
        : mshrs_(mshrs), lines_(lines), table_(table), state_(state) {}

    std::uint32_t used() const {
        return lines_ == 1 ? table_.size() : static_cast<std::uint32_t>(state_.size());
    }
    /// Whether the line can be fetched so that `others` MSHRs remain free.
    bool room(std::uint64_t line, std::uint32_t others = 0) const {
        return mshrs_ - used() > others || (lines_ > 1 && state_.find(line / lines_));
    }
    /// The line received an entry of the table.
    void take(std::uint64_t line) {
        if (lines_ > 1) ++state_[line / lines_];
    }
    /// The entry of the line was released.
    void release(std::uint64_t line) {
        if (lines_ == 1) return;
        std::uint32_t* const n = state_.find(line / lines_);
        MEMSIM_ASSERT(n && *n, "a line being fetched occupies no MSHR");
        if (--*n == 0) state_.erase(line / lines_);
    }

    void check_loaded(Loader& l, const device_parts::TagArray& tags) const {
        if (lines_ == 1)
            return l.within("mshr_use", [&] { l.check(state_.empty(), "is not empty"); });
        State counted;
        table_.for_each([&](std::uint32_t, const auto& e) { ++counted[tags.tag(e.line) / lines_]; },
                        [](const Target&) {});
        l.within("mshr_use", [&] {
            l.check(state_.size() == counted.size() && state_.size() <= mshrs_ &&
                        state_.all([&](std::uint64_t group, std::uint32_t n) {
                            const std::uint32_t* const found = counted.find(group);
                            return found && *found == n;
                        }),
                    "does not match the lines being fetched");
        });
    }

  private:
    std::uint32_t mshrs_, lines_;
    const Mshrs& table_;
    State& state_;
};

} // namespace memsim::mem::cache
