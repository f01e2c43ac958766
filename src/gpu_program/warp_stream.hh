#pragma once

#include "core/base/bits.hh"

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

/// The instructions of one warp as bytes: written by a functional run and read by an SM. Addresses
/// are encoded by base and stride, or by base and deltas; a varint has 7 bits per byte, least
/// significant first.
///
///     byte  kind (bits 0-2), full mask (3), strided (4), with values (5), with waits (6), with
///           operands (7)
///     u32   mask, unless it is full
///     with waits: varint, see below
///     with operands: varint, see below
///     compute: varint instructions
///         strided: it is a matrix operation, and varint multiply-accumulates; with values: varint
///         passes of its operands in shared memory
///         with values, not strided: it is arithmetic of a unit. Instead of the instructions: byte
///         unit (bits 0-2), chained (3), several (4); several: varint instructions
///     load, store, atomic, reduce: byte width (bit 7: local memory; bit 6: a copy to shared
///     memory), varint pc, varint address of the first active lane,
///         then
///         strided: zigzag varint stride from a lane to the next (active or not)
///         else:    for each further active lane, zigzag varint distance from the lane before
///         values:  for each active lane, zigzag varint distance from the value before (first: 0),
///                  and a varint: its number among the block's operations with values, from 1
///     shared: varint pc, varint passes; strided: it is a load
///         with values: it is a bulk copy instead, and varint pc, address, bytes of a row, rows,
///         zigzag varint distance of rows, varint barrier
///     barrier: strided: it waits at a transaction barrier, and varint barrier, varint bytes
///         with values: varint arrivals
///         with values, not strided: it arrives at a transaction barrier, and varint barrier
///
/// Loads, copies, atomics, shared loads and matrix operations produce results, numbered in the
/// order of the warp's stream. Bit i of `waits`: the operation needs the i-th last result before it
/// (bit 0: the latest), so it cannot issue before that result is available. Dependences reach back
/// up to 64 results. An operation without waits needs no result; the writer of a stream must set
/// waits for all operations that depend on a load.
///
/// Arithmetic operations have numbers of their own, because their results are available after a
/// fixed time. Bit i of `operands`: the operation needs the result of the i-th last arithmetic
/// operation before it.
///
/// Operations carry no state over to the next one, so a checkpoint needs only the stream and a
/// position.
namespace memsim::gpu_program {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr u32 warp_lanes = 32;

enum class WarpOpKind : u8 {
    compute, ///< `instructions` consecutive ones without memory access
    load,
    store,
    atomic, ///< lanes execute in ascending order
    barrier,
    exit,       ///< the last operation of a warp
    reduce,     ///< an atomic whose result is not used
    shared,     ///< an access to the SM's shared memory
    matrix,     ///< multiplies tiles of matrices on a tensor core
    arithmetic, ///< `instructions` of an arithmetic unit
    bulk_copy,  ///< the copy engine copies a tile to shared memory
    arrive,     ///< the active threads arrive at a transaction barrier
    await,      ///< waits for bytes and arrivals at a transaction barrier
};

/// The units of a scheduler that execute arithmetic.
enum class ArithmeticUnit : u8 {
    fp32,    ///< floating-point values of 32 bits, and pairs of 16 bits
    int32,   ///< integers, moves, conversions
    fp64,    ///< floating-point values of 64 bits
    special, ///< special functions, such as reciprocals
};
inline constexpr std::size_t arithmetic_units = 4;
constexpr std::array<std::string_view, arithmetic_units> names_of(ArithmeticUnit) {
    return {"fp32", "int32", "fp64", "special"};
}

/// Whether the operation has addresses in device memory.
constexpr bool touches_memory(WarpOpKind kind) {
    return kind == WarpOpKind::load || kind == WarpOpKind::store || kind == WarpOpKind::atomic ||
           kind == WarpOpKind::reduce;
}

/// Whether the operation uses the port of shared memory as it issues.
constexpr bool touches_shared(WarpOpKind kind) {
    return kind == WarpOpKind::shared || kind == WarpOpKind::arrive;
}

/// Rows in device memory that a bulk copy writes to shared memory. Their bytes count at a
/// transaction barrier of the block.
struct TileCopy {
    u64 address = 0; ///< of the first row
    u64 pitch = 0;   ///< bytes from a row to the next
    u32 row_bytes = 0, rows = 0;
    u32 barrier = 0; ///< its number in the block

    u64 bytes() const { return u64 {row_bytes} * rows; }
};
inline constexpr u32 most_transaction_barriers = 256; ///< of a block

/// What has happened at a transaction barrier since its block began.
struct BarrierProgress {
    u64 bytes = 0;    ///< that bulk copies have written
    u64 arrivals = 0; ///< of threads

    bool operator==(const BarrierProgress&) const = default;
    bool reaches(const BarrierProgress& other) const {
        return bytes >= other.bytes && arrivals >= other.arrivals;
    }
};

struct WarpOp {
    WarpOpKind kind = WarpOpKind::exit;
    ArithmeticUnit unit = ArithmeticUnit::fp32; ///< of arithmetic
    bool chained = false; ///< of arithmetic: each instruction needs the result of the one before
    u8 width = 0;         ///< bytes per lane: 1, 2, 4, 8 or 16; 0 without memory access
    bool has_values = false;
    bool has_result = false; ///< later operations may wait for it
    bool copy = false;       ///< a load whose data go to shared memory
    bool local = false;   ///< addresses are offsets in each lane's local memory (local_memory.hh)
    u32 pc = 0;           ///< identifies the instruction in its application; 0 without memory
    u32 mask = 0;         ///< bit i: lane i is active; 0 only without memory access
    u32 instructions = 0; ///< of the warp: 1, except for compute and arithmetic
    u32 passes = 0;       ///< cycles of the port of shared memory: of an access, with its bank
                          ///< conflicts, or of the operands of a matrix operation; else 0
    u32 products = 0;     ///< multiply-accumulates of 16-bit values of a matrix operation; else 0
    u64 waits = 0;        ///< bit i: needs the i-th last result before it
    u64 operands = 0; ///< bit i: needs the result of the i-th last arithmetic operation before it
    std::array<u64, warp_lanes> address {}; ///< of active lanes; 0 for the others
    std::array<u64, warp_lanes>
        value {};  ///< value left in memory by a store or atomic, if has_values
    u32 order = 0; ///< of an operation with values: its number in the block, from 1
    TileCopy tile; ///< only of a bulk copy; of an operation of a transaction barrier: its number
    BarrierProgress awaited; ///< only of a wait at a transaction barrier

    /// The number that --max-instructions counts.
    u64 thread_instructions() const { return u64 {instructions} * bits_set(mask); }
};

/// The operations appended by a writer, summed over all warps that share it.
struct StreamCounts {
    u64 operations = 0;
    u64 warp_instructions = 0;
    u64 thread_instructions = 0;
    u64 lane_accesses = 0; ///< active lanes of loads, stores, atomics and reductions
    u64 stores = 0;        ///< operations with values
};

/// Appends to a stream. Consecutive compute operations with the same mask are merged if the later
/// ones have no new waits; call flush() before reading the bytes. `waits` is explained above.
class WarpStreamWriter {
  public:
    using Addresses = std::array<u64, warp_lanes>;

    WarpStreamWriter(std::vector<u8>& bytes, StreamCounts& counts)
        : bytes_(bytes), counts_(counts) {}

    void compute(u32 mask, u32 instructions, u64 waits = 0) {
        if (mask != pending_mask_ || (waits & ~pending_waits_) != 0 || operands_ != 0) flush();
        if (pending_ == 0) pending_waits_ = waits, pending_operands_ = std::exchange(operands_, 0);
        pending_mask_ = mask;
        pending_ += instructions;
    }
    /// A load, store, atomic or reduction. Only the active lanes of `address` and `value` are read;
    /// `value` may be null. With `local`, addresses are offsets, which the SM converts.
    void access(WarpOpKind kind, u32 pc, u32 mask, u8 width, const Addresses& address,
                const Addresses* value = nullptr, u64 waits = 0, bool local = false);
    /// An access to shared memory that takes `passes` cycles: 1 without bank conflicts.
    void shared(u32 pc, u32 mask, u32 passes, bool load, u64 waits = 0);
    /// A matrix operation of a warp: so many multiply-accumulates of 16-bit values, of 8-bit values
    /// half as many. `passes`: cycles in which it reads operands from shared memory.
    void matrix(u32 mask, u32 products, u64 waits = 0, u32 passes = 0);
    /// A load whose data go to shared memory, not to registers (cp.async). Later operations may
    /// wait for its result: the data are then in shared memory.
    void copy(u32 pc, u32 mask, u8 width, const Addresses& address, u64 waits = 0);
    /// A copy of a tile by the copy engine (cp.async.bulk). Its result is complete with its bytes.
    void bulk_copy(u32 pc, u32 mask, const TileCopy& tile, u64 waits = 0);
    /// The active threads arrive at a transaction barrier (mbarrier.arrive).
    void arrive(u32 mask, u32 barrier, u64 waits = 0);
    /// Waits at a transaction barrier until it has seen `awaited` since the block's start.
    void await(u32 mask, u32 barrier, const BarrierProgress& awaited, u64 waits = 0);
    /// Instructions of an arithmetic unit. With `chained`, each needs the result of the one before.
    void arithmetic(ArithmeticUnit unit, u32 mask, u32 instructions = 1, bool chained = false,
                    u64 waits = 0);
    /// The next operation needs these arithmetic results, in the format of `operands`.
    void needs_arithmetic(u64 operands) { operands_ |= operands; }
    void barrier(u32 mask, u64 waits = 0) { control(WarpOpKind::barrier, mask, waits); }
    void exit(u32 mask, u64 waits = 0) { control(WarpOpKind::exit, mask, waits); }
    void flush();

  private:
    void control(WarpOpKind kind, u32 mask, u64 waits);
    /// Writes the stretch before an operation, and the head of that operation.
    u8* begin(u8* at, WarpOpKind kind, u8 flags, u32 mask, u64 waits);
    void count(u32 mask, u32 instructions);

    std::vector<u8>& bytes_;
    StreamCounts& counts_;
    u32 pending_ = 0; ///< compute instructions not yet written
    u32 pending_mask_ = 0;
    u64 pending_waits_ = 0;
    u64 pending_operands_ = 0;
    u64 operands_ = 0; ///< of the next operation
};

/// The properties of an operation that a scheduler needs before it issues.
struct WarpOpHead {
    WarpOpKind kind = WarpOpKind::exit;
    bool has_result = false;
    u64 waits = 0;
    u64 operands = 0;
    ArithmeticUnit unit = ArithmeticUnit::fp32; ///< of arithmetic
    bool chained = false;
};
/// The properties of the operation at `position`, without decoding the rest; exit at the end of the
/// bytes.
WarpOpHead peek(const std::vector<u8>& bytes, u64 position);

/// Reads one operation at a time and allocates nothing. The position belongs to the caller's State,
/// next to the bytes.
class WarpStreamReader {
  public:
    WarpStreamReader(const std::vector<u8>& bytes, u64& position)
        : bytes_(bytes), position_(position) {}

    /// Returns false, and leaves `op` unchanged, at the end of the bytes.
    bool next(WarpOp& op);

  private:
    const std::vector<u8>& bytes_;
    u64& position_;
};

} // namespace memsim::gpu_program
