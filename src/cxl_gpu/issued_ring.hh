#pragma once

#include "core/state/archive.hh"

#include <cstdint>
#include <vector>

namespace memsim::cxl_gpu {

/// The address ranges of the most recent speculative reads. The newest replaces the oldest. A value
/// for State.
class IssuedRing {
  public:
    static constexpr std::string_view archived_as = "IssuedRing";
    template <class Archive>
    void archive(Archive& a) {
        a(ranges_), a(next_);
        if constexpr (Loading<Archive>)
            a.check(ranges_.empty() || next_ < ranges_.size(), "has a position beyond its entries");
    }

    void resize(std::uint32_t entries) { ranges_.assign(entries, {}); }
    void add(std::uint64_t address, std::uint32_t bytes) {
        ranges_[next_] = {address, bytes};
        next_ = next_ + 1 == ranges_.size() ? 0 : next_ + 1;
    }
    /// Whether a single entry contains all these bytes.
    bool covers(std::uint64_t address, std::uint32_t bytes) const {
        for (const Range& r : ranges_)
            if (address - r.address < r.bytes && address - r.address + bytes <= r.bytes)
                return true;
        return false;
    }

  private:
    struct Range {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
    };
    std::vector<Range> ranges_;
    std::uint32_t next_ = 0;
};

} // namespace memsim::cxl_gpu
