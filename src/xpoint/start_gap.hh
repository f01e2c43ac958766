#pragma once

#include "core/state/archive.hh"

#include <cstdint>

namespace memsim::xpoint {

/// Start-Gap wear levelling (Qureshi et al., MICRO 2009): N logical lines occupy N + 1 physical
/// ones. The spare line, the gap, moves down by one line every `psi` writes. Two registers replace
/// a table: with s = (logical + start) mod N, the line is at s, or at s + 1 if s >= gap. After N +
/// 1 moves every line has shifted by one. The owner moves the data: it copies move_source() to
/// gap() and then calls moved(). A value for State. Not modelled: the static randomiser in front of
/// it, several regions.
class StartGap {
  public:
    static constexpr std::string_view archived_as = "StartGap";
    template <class Archive>
    void archive(Archive& a) {
        const std::uint64_t lines = lines_;
        a(lines_), a(start_), a(gap_);
        if constexpr (Loading<Archive>)
            a.check(lines == 0 || (lines_ == lines && start_ < lines && gap_ <= lines),
                    "has another number of lines");
    }

    StartGap() = default;
    explicit StartGap(std::uint64_t lines) : lines_(lines), gap_(lines) {}

    std::uint64_t physical(std::uint64_t logical) const;
    std::uint64_t gap() const { return gap_; }
    std::uint64_t start() const { return start_; }
    /// The physical line to copy into the gap next.
    std::uint64_t move_source() const { return gap_ == 0 ? lines_ : gap_ - 1; }
    /// The copy is complete: the source becomes the gap.
    void moved();

  private:
    std::uint64_t lines_ = 0;
    std::uint64_t start_ = 0;
    std::uint64_t gap_ = 0;
};

} // namespace memsim::xpoint
