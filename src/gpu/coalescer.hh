#pragma once

#include "protocol/sectors.hh"
#include "protocol/warp_stream.hh"

namespace memsim::gpu {

/// The accesses of a warp's lanes as few requests: one for each line touched, in the order in which
/// the lanes meet them, spanning the first to the last of the sectors touched in it, with a mask of
/// those that are (protocol/sectors.hh).
class Coalescer {
  public:
    struct Access {
        std::uint64_t address = 0; ///< of the first sector
        std::uint32_t bytes = 0;   ///< a multiple of the sector
        std::uint16_t sectors = 0; ///< of protocol::sector_bytes each; 0: all of them
    };

    /// Powers of two; the sector is at least protocol::sector_bytes, the line at most
    /// protocol::most_sectors of these.
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
                i = ++n_;
                lines_[i - 1] = line;
                touched_[i - 1] = 0;
            }
            const auto offset = static_cast<unsigned>(first - line);
            touched_[i - 1] |= bits(offset + sector_) & ~bits(offset);
        }
        for (std::uint32_t i = 0; i < n_; ++i) accesses_[i] = access(lines_[i], touched_[i]);
    }
    std::uint32_t size() const { return n_; }
    const Access& operator[](std::uint32_t i) const { return accesses_[i]; }

  private:
    /// The sectors of protocol::sector_bytes in a line's first bytes.
    static std::uint32_t bits(unsigned bytes) { return (1u << bytes / protocol::sector_bytes) - 1; }
    static Access access(std::uint64_t line, std::uint32_t touched) {
        constexpr unsigned n = protocol::sector_bytes;
        const auto first = static_cast<unsigned>(std::countr_zero(touched));
        const auto span = static_cast<unsigned>(std::bit_width(touched)) - first;
        touched >>= first;
        const bool all = (touched & (touched + 1)) == 0;
        return {line + first * n, span * n, static_cast<std::uint16_t>(all ? 0 : touched)};
    }

    std::uint32_t line_, sector_;
    std::uint32_t n_ = 0;
    std::array<std::uint64_t, protocol::warp_lanes> lines_ {};
    std::array<std::uint32_t, protocol::warp_lanes> touched_ {};
    std::array<Access, protocol::warp_lanes> accesses_ {};
};

} // namespace memsim::gpu
