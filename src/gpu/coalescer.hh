#pragma once

#include "protocol/warp_stream.hh"

#include <algorithm>

namespace memsim::gpu {

/// The accesses of a warp's lanes as few requests: one for each line touched, in the order in which
/// the lanes meet them, from the first to the last of the sectors touched in it (what lies between
/// is fetched with them).
class Coalescer {
  public:
    struct Access {
        std::uint64_t address = 0; ///< of the first sector
        std::uint32_t bytes = 0;   ///< a multiple of the sector
    };

    Coalescer(std::uint32_t line, std::uint32_t sector) : line_(line), sector_(sector) {}

    /// Fills accesses() from a load, store or atomic. Lanes are aligned to their width.
    void run(const protocol::WarpOp& op) {
        n_ = 0;
        for (std::uint32_t rest = op.mask; rest; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const std::uint64_t first = op.address[lane] & ~std::uint64_t {sector_ - 1};
            const std::uint64_t line = first & ~std::uint64_t {line_ - 1};
            std::uint32_t i = n_;
            while (i > 0 && lines_[i - 1] != line) --i;
            if (i == 0) {
                lines_[n_] = line;
                accesses_[n_++] = {first, sector_};
                continue;
            }
            Access& a = accesses_[i - 1];
            const std::uint64_t end = std::max(a.address + a.bytes, first + sector_);
            a.address = std::min(a.address, first);
            a.bytes = static_cast<std::uint32_t>(end - a.address);
        }
    }
    std::uint32_t size() const { return n_; }
    const Access& operator[](std::uint32_t i) const { return accesses_[i]; }

  private:
    std::uint32_t line_, sector_; ///< powers of two
    std::uint32_t n_ = 0;
    std::array<std::uint64_t, protocol::warp_lanes> lines_ {};
    std::array<Access, protocol::warp_lanes> accesses_ {};
};

} // namespace memsim::gpu
