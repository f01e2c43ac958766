#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

/// The instructions of one warp as bytes: what a functional run writes and an SM reads. Addresses
/// are coded by base and stride, or by base and deltas; a varint is 7 bits a byte, least first.
///
///     byte  kind (bits 0-2), full mask (3), strided (4), with values (5)
///     u32   mask, unless it is full
///     compute: varint instructions
///     load, store, atomic: byte width, varint pc, varint address of the first active lane, then
///         strided: zigzag varint stride from a lane to the next (active or not)
///         else:    for each further active lane, zigzag varint distance from the active lane
///         before values:  for each active lane, zigzag varint distance from the value before
///         (first: 0)
///
/// No state is carried from one operation to the next, so a stream and a position are all that a
/// checkpoint needs.
namespace memsim::protocol {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr u32 warp_lanes = 32;

enum class WarpOpKind : u8 {
    compute, ///< `instructions` in a row that touch no memory
    load,
    store,
    atomic, ///< lanes act in ascending order
    barrier,
    exit, ///< the last one of a warp
};

constexpr bool touches_memory(WarpOpKind kind) {
    return kind == WarpOpKind::load || kind == WarpOpKind::store || kind == WarpOpKind::atomic;
}

struct WarpOp {
    WarpOpKind kind = WarpOpKind::exit;
    u8 width = 0; ///< bytes a lane accesses: 1, 2, 4, 8 or 16; 0 without memory
    bool has_values = false;
    u32 pc = 0;           ///< identifies the instruction in its application; 0 without memory
    u32 mask = 0;         ///< bit i: lane i is active; never 0
    u32 instructions = 0; ///< of the warp: 1, except for compute
    std::array<u64, warp_lanes> address {}; ///< of active lanes; the others are 0
    std::array<u64, warp_lanes> value {}; ///< what store or atomic leaves in memory, if has_values

    /// What --max-instructions counts.
    u64 thread_instructions() const { return u64 {instructions} * std::popcount(mask); }
};

/// What a writer has appended, summed over all warps that share it.
struct StreamCounts {
    u64 operations = 0;
    u64 warp_instructions = 0;
    u64 thread_instructions = 0;
    u64 lane_accesses = 0; ///< active lanes of loads, stores and atomics
};

/// Appends to a stream. Compute operations in a row with one mask become one: call flush() before
/// the bytes are read.
class WarpStreamWriter {
  public:
    using Addresses = std::array<u64, warp_lanes>;

    WarpStreamWriter(std::vector<u8>& bytes, StreamCounts& counts)
        : bytes_(bytes), counts_(counts) {}

    void compute(u32 mask, u32 instructions) {
        if (mask != pending_mask_) flush();
        pending_mask_ = mask;
        pending_ += instructions;
    }
    /// Only the active lanes of `address` and `value` are read; `value` may be null.
    void access(WarpOpKind kind, u32 pc, u32 mask, u8 width, const Addresses& address,
                const Addresses* value = nullptr);
    void barrier(u32 mask) { control(WarpOpKind::barrier, mask); }
    void exit(u32 mask) { control(WarpOpKind::exit, mask); }
    void flush();

  private:
    void control(WarpOpKind kind, u32 mask);
    void count(u32 mask, u32 instructions);

    std::vector<u8>& bytes_;
    StreamCounts& counts_;
    u32 pending_ = 0; ///< compute instructions not yet written
    u32 pending_mask_ = 0;
};

/// The kind of the operation at `position`, without decoding it; exit at the end of the bytes.
inline WarpOpKind next_kind(const std::vector<u8>& bytes, u64 position) {
    return position < bytes.size() ? static_cast<WarpOpKind>(bytes[position] & 7)
                                   : WarpOpKind::exit;
}

/// Reads one operation at a time and allocates nothing. The position belongs to the caller: it is
/// State there, beside the bytes.
class WarpStreamReader {
  public:
    WarpStreamReader(const std::vector<u8>& bytes, u64& position)
        : bytes_(bytes), position_(position) {}

    /// False, and `op` untouched, at the end of the bytes.
    bool next(WarpOp& op);

  private:
    const std::vector<u8>& bytes_;
    u64& position_;
};

} // namespace memsim::protocol
