#include "xpoint/start_gap.hh"

namespace memsim::xpoint {

std::uint64_t StartGap::physical(std::uint64_t logical) const {
    std::uint64_t shifted = logical + start_; // both below lines_
    if (shifted >= lines_) shifted -= lines_;
    return shifted < gap_ ? shifted : shifted + 1;
}

void StartGap::moved() {
    if (gap_ != 0) {
        --gap_;
        return;
    }
    // The last line was moved to the bottom: a round is complete, and the spare is at the top
    // again.
    gap_ = lines_;
    if (++start_ == lines_) start_ = 0;
}

} // namespace memsim::xpoint
