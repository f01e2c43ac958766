#pragma once

#include "core/base/bits.hh"
#include "gpu_program/warp_stream.hh"
#include "protocol/sectors.hh"

namespace memsim::gpu {

/// Combines the accesses of a warp's lanes into few requests: one for each line touched, in the
/// order of the lanes. A request spans the first to the last touched sector of the line, with a
/// mask of the touched ones (protocol/sectors.hh).
class Coalescer {
  public:
    struct Access {
        std::uint64_t address = 0; ///< of the first sector
        std::uint32_t bytes = 0;   ///< a multiple of the sector
        std::uint16_t sectors = 0; ///< mask of sectors of protocol::sector_bytes; 0: all
        std::uint16_t partial = 0; ///< mask of partly touched sectors
    };

    /// Requires: powers of two; the sector is at least protocol::sector_bytes, the line at most
    /// protocol::most_sectors of these.
    Coalescer(std::uint32_t line, std::uint32_t sector) : line_(line), sector_(sector) {}

    /// Coalesces a load, store or atomic. A lane that is not aligned to its width may touch two
    /// sectors.
    void run(const gpu_program::WarpOp& op) {
        begin();
        add(op);
        end();
    }
    /// The same for an atomic, with lanes that have one address in different accesses: the first
    /// lane of each address, then the second ones, and so on.
    void run_apart(gpu_program::WarpOp& op) {
        const std::uint32_t mask = op.mask;
        begin();
        for (std::uint32_t left = mask; left; left &= ~op.mask) {
            op.mask = first_lanes(op, left);
            first_of_round_ = count_;
            add(op);
        }
        op.mask = mask;
        end();
    }
    /// The same for several rows: a wide access to local memory has up to four.
    static constexpr std::uint32_t most_rows = 4;
    void begin() { count_ = first_of_round_ = 0; }
    void add(const gpu_program::WarpOp& op) {
        for (std::uint32_t rest = op.mask; rest; rest &= rest - 1) {
            const std::uint64_t address = op.address[static_cast<unsigned>(std::countr_zero(rest))];
            const auto in_sector = static_cast<std::uint32_t>(address) & (sector_ - 1);
            if (in_sector + op.width <= sector_) [[likely]] {
                touch(address, op.width);
            } else {
                const std::uint32_t here = sector_ - in_sector;
                touch(address, here);
                touch(address + here, op.width - here);
            }
        }
    }
    void end() {
        for (std::uint32_t i = 0; i < count_; ++i)
            accesses_[i] = access(lines_[i], touched_[i], covered_[i]);
    }
    std::uint32_t size() const { return count_; }
    const Access& operator[](std::uint32_t i) const { return accesses_[i]; }

  private:
    /// The lanes among these whose address no lower one of them has.
    static std::uint32_t first_lanes(const gpu_program::WarpOp& op, std::uint32_t lanes) {
        std::uint32_t first = 0;
        for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            bool again = false;
            for (std::uint32_t lower = first; lower && !again; lower &= lower - 1)
                again =
                    op.address[static_cast<unsigned>(std::countr_zero(lower))] == op.address[lane];
            if (!again) first |= 1u << lane;
        }
        return first;
    }
    /// Adds bytes of one sector.
    void touch(std::uint64_t address, std::uint32_t width) {
        const std::uint64_t first = address & ~std::uint64_t {sector_ - 1};
        const std::uint64_t line = first & ~std::uint64_t {line_ - 1};
        std::uint32_t i = count_;
        while (i > first_of_round_ && lines_[i - 1] != line) --i;
        if (i == first_of_round_) {
            i = ++count_;
            lines_[i - 1] = line;
            touched_[i - 1] = 0;
            covered_[i - 1] = {};
        }
        const auto offset = static_cast<unsigned>(first - line);
        touched_[i - 1] |= bits(offset + sector_) & ~bits(offset);
        cover(covered_[i - 1], static_cast<unsigned>(address - line), width);
    }
    /// Mask of the sectors of protocol::sector_bytes in the first bytes of a line.
    static std::uint32_t bits(unsigned bytes) {
        return low_bits<std::uint32_t>(bytes / protocol::sector_bytes);
    }
    /// A bit for each byte of a line's sectors.
    using Bytes = std::array<std::uint32_t, protocol::most_sectors>;
    static void cover(Bytes& bytes, unsigned offset, unsigned width) {
        const std::uint64_t m = low_bits(std::min(width, 32u));
        bytes[offset / 32] |= static_cast<std::uint32_t>(m << offset % 32);
    }
    static Access access(std::uint64_t line, std::uint32_t touched, const Bytes& covered) {
        constexpr unsigned n = protocol::sector_bytes;
        static_assert(n == 32, "one bit per byte");
        std::uint32_t partial = 0;
        for (std::uint32_t rest = touched; rest; rest &= rest - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(rest));
            partial |= std::uint32_t {covered[i] != ~std::uint32_t {0}} << i;
        }
        const auto first = static_cast<unsigned>(std::countr_zero(touched));
        const auto span = static_cast<unsigned>(std::bit_width(touched)) - first;
        touched >>= first;
        const bool all = (touched & (touched + 1)) == 0;
        return {line + first * n, span * n, static_cast<std::uint16_t>(all ? 0 : touched),
                static_cast<std::uint16_t>(partial >> first)};
    }

    std::uint32_t line_, sector_;
    std::uint32_t count_ = 0;
    std::uint32_t first_of_round_ = 0; ///< accesses before it accept no further lanes
    static constexpr std::size_t most = most_rows * gpu_program::warp_lanes * 2;
    std::array<std::uint64_t, most> lines_ {};
    std::array<std::uint32_t, most> touched_ {};
    std::array<Bytes, most> covered_ {};
    std::array<Access, most> accesses_ {};
};

} // namespace memsim::gpu
