#pragma once

#include "core/state/archive.hh"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memsim::link {

struct AddressRange {
    std::uint64_t base = 0, bytes = 0;
    std::uint16_t target = 0;
    bool holds(std::uint64_t address) const { return address - base < bytes; }
    /// The last address, because the end may be 2^64.
    std::uint64_t last() const { return base + (bytes - 1); }
    bool operator==(const AddressRange&) const = default;
};

/// A sorted table of up to `entries` non-overlapping address ranges with their targets. A value for
/// State; nothing is allocated after resize().
class RangeTable {
  public:
    static constexpr std::string_view archived_as = "RangeTable";
    using Element = AddressRange;
    template <class Archive>
    void archive(Archive& a) {
        a(ranges_), a(used_);
        if constexpr (Loading<Archive>)
            a.check(targets_ == 0 || sound(),
                    "has ranges that are empty, overlap or have an invalid target");
    }

    void resize(std::uint32_t entries, std::uint32_t targets) {
        ranges_.assign(entries, {});
        targets_ = targets;
        used_ = 0;
    }
    std::uint32_t size() const { return used_; }
    bool full() const { return used_ == ranges_.size(); }
    const AddressRange& operator[](std::uint32_t i) const { return ranges_[i]; }

    /// The range that contains an address, or null.
    const AddressRange* find(std::uint64_t address) const {
        const auto after = after_base(address);
        return after != ranges_.begin() && (after - 1)->holds(address) ? &*(after - 1) : nullptr;
    }
    /// A range that shares an address with r, or null. Requires: r is not empty.
    const AddressRange* overlapping(const AddressRange& r) const {
        const auto after = after_base(r.last());
        return after != ranges_.begin() && (after - 1)->last() >= r.base ? &*(after - 1) : nullptr;
    }
    /// Requires: the table is not full; r is not empty, ends at or below 2^64 and overlaps no
    /// range.
    void add(const AddressRange& r) {
        const auto at = ranges_.begin() + (after_base(r.base) - ranges_.begin());
        std::move_backward(at, ranges_.begin() + used_, ranges_.begin() + used_ + 1);
        *at = r;
        ++used_;
    }
    /// Requires: `r` is in the table.
    void remove(const AddressRange& r) {
        const auto at = ranges_.begin() + (after_base(r.base) - 1 - ranges_.begin());
        std::move(at + 1, ranges_.begin() + used_, at);
        --used_;
    }

  private:
    /// The first range that begins after an address.
    std::vector<AddressRange>::const_iterator after_base(std::uint64_t address) const {
        return std::upper_bound(ranges_.begin(), ranges_.begin() + used_, address,
                                [](std::uint64_t a, const AddressRange& r) { return a < r.base; });
    }
    bool sound() const {
        if (used_ > ranges_.size()) return false;
        for (std::uint32_t i = 0; i < used_; ++i) {
            const AddressRange& r = ranges_[i];
            if (r.bytes == 0 || r.last() < r.base || r.target >= targets_) return false;
            if (i > 0 && ranges_[i - 1].last() >= r.base) return false;
        }
        return true;
    }

    std::vector<AddressRange> ranges_;
    std::uint32_t used_ = 0;
    std::uint32_t targets_ = 0; ///< number of valid targets
};

} // namespace memsim::link
