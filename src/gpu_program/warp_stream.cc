#include "gpu_program/warp_stream.hh"

#include "core/base/error.hh"
#include "gpu_program/fill_lanes.hh"

#include <cstring>

namespace memsim::gpu_program {

namespace {

constexpr u8 kind_bits = 7, full_flag = 8, strided_flag = 16, values_flag = 32, waits_flag = 64,
             operands_flag = 128;
constexpr u8 unit_bits = 7, chained_flag = 8, several_flag = 16; ///< next to the unit
constexpr u8 local_flag = 128, copy_flag = 64;                   ///< next to the width
constexpr u8 most_local_words = 4;
constexpr u32 full_mask = 0xffffffff;
constexpr std::size_t longest_varint = 10;
constexpr std::size_t longest_op =
    1 + 4 + 1 + (4 + 2 * warp_lanes) * longest_varint + 8; // flags, mask, width, varints, slack

u64 zigzag(u64 v) { return (v << 1) ^ (0 - (v >> 63)); }
u64 unzigzag(u64 v) { return (v >> 1) ^ (0 - (v & 1)); }

/// A varint of up to 8 bytes is written and read without a branch. Each byte of a word holds seven
/// bits of the number; the highest bit of a byte is set if another byte follows. The buffer has 8
/// bytes left, whatever the length.
constexpr u64 follows = 0x8080808080808080;

u64 spread(u64 v) {
    v = (v & 0x000000000fffffff) | (v & 0x00fffffff0000000) << 4;
    v = (v & 0x00003fff00003fff) | (v & 0x0fffc0000fffc000) << 2;
    return (v & 0x007f007f007f007f) | (v & 0x3f803f803f803f80) << 1;
}
u64 gathered(u64 v) {
    v = (v & 0x007f007f007f007f) | (v & 0x7f007f007f007f00) >> 1;
    v = (v & 0x00003fff00003fff) | (v & 0x3fff00003fff0000) >> 2;
    return (v & 0x000000000fffffff) | (v & 0x0fffffff00000000) >> 4;
}

u8* put(u8* at, u64 v) {
    if (v >> 56 == 0) {
        const auto bytes = (static_cast<u32>(std::bit_width(v | 1)) + 6) / 7;
        const u64 word = spread(v) | (follows & low_bits(8 * (bytes - 1)));
        std::memcpy(at, &word, sizeof word);
        return at + bytes;
    }
    for (; v >= 0x80; v >>= 7) *at++ = static_cast<u8>(v | 0x80);
    *at++ = static_cast<u8>(v);
    return at;
}

u8* put_head(u8* at, WarpOpKind kind, u8 flags, u32 mask, u64 waits, u64 operands) {
    MEMSIM_ASSERT(mask != 0 || !touches_memory(kind), "a memory access without an active lane");
    *at++ = static_cast<u8>(static_cast<u8>(kind) | flags | (mask == full_mask ? full_flag : 0) |
                            (waits != 0 ? waits_flag : 0) | (operands != 0 ? operands_flag : 0));
    if (mask != full_mask) {
        std::memcpy(at, &mask, sizeof mask);
        at += sizeof mask;
    }
    if (waits != 0) at = put(at, waits);
    return operands != 0 ? put(at, operands) : at;
}

constexpr WarpOpKind decoded_kind(u8 head) {
    const auto kind = static_cast<WarpOpKind>(head & kind_bits);
    const bool strided = (head & strided_flag) != 0, values = (head & values_flag) != 0;
    if (kind == WarpOpKind::compute && strided) return WarpOpKind::matrix;
    if (kind == WarpOpKind::compute && values) return WarpOpKind::arithmetic;
    if (kind == WarpOpKind::shared && values) return WarpOpKind::bulk_copy;
    if (kind == WarpOpKind::barrier && strided) return WarpOpKind::await;
    if (kind == WarpOpKind::barrier && values) return WarpOpKind::arrive;
    return kind;
}

constexpr bool decoded_result(u8 head) {
    const WarpOpKind kind = decoded_kind(head);
    return kind == WarpOpKind::load || kind == WarpOpKind::atomic || kind == WarpOpKind::matrix ||
           kind == WarpOpKind::bulk_copy ||
           (kind == WarpOpKind::shared && (head & strided_flag) != 0);
}

/// Kind and result of an operation by the bits of its first byte that determine them. Each
/// operation is decoded twice, so a table replaces the branches.
struct Meaning {
    WarpOpKind kind;
    bool result;
};
constexpr u8 meaning_bits = kind_bits | full_flag | strided_flag | values_flag;
constexpr auto meanings = [] {
    std::array<Meaning, meaning_bits + 1> all {};
    for (std::size_t head = 0; head < all.size(); ++head)
        all[head] = {decoded_kind(static_cast<u8>(head)), decoded_result(static_cast<u8>(head))};
    return all;
}();
WarpOpKind kind_of(u8 head) { return meanings[head & meaning_bits].kind; }
bool has_result(u8 head) { return meanings[head & meaning_bits].result; }

/// The bytes between a position and the end. Reading past the end is a bug of the simulator: the
/// checkpoint's checksum has been checked before.
struct Cursor {
    const u8* at;
    const u8* end;

    u8 byte() {
        MEMSIM_ASSERT(at != end, "a warp's stream ends inside an operation");
        return *at++;
    }
    u64 varint() {
        u64 word = 0;
        if (end - at >= 8) std::memcpy(&word, at, sizeof word);
        const u64 last = ~word & follows; // its lowest set bit marks the number's end
        if (end - at < 8 || last == 0) return careful_varint();
        at += std::countr_zero(last) / 8 + 1;
        return gathered(word & (last ^ (last - 1)) & ~follows);
    }
    u64 careful_varint() {
        u64 v = byte();
        if (v < 0x80) return v;
        v &= 0x7f;
        for (unsigned shift = 7; shift < 64; shift += 7) {
            const u64 b = byte();
            v |= (b & 0x7f) << shift;
            if (b < 0x80) return v;
        }
        MEMSIM_ASSERT(false, "a varint of a warp's stream has more than 64 bits");
    }
    u32 word() {
        MEMSIM_ASSERT(end - at >= 4, "a warp's stream ends inside a mask");
        u32 v;
        std::memcpy(&v, at, sizeof v);
        at += sizeof v;
        return v;
    }
};

/// The distance between neighbouring lanes, if it is the same for all active lanes.
bool common_stride(u32 mask, const WarpStreamWriter::Addresses& address, u64& stride) {
    const u32 first = std::countr_zero(mask);
    u32 rest = mask & (mask - 1);
    stride = 0;
    if (rest == 0) return true;
    const u32 second = std::countr_zero(rest);
    const auto distance = static_cast<std::int64_t>(address[second] - address[first]);
    const auto lanes = static_cast<std::int64_t>(second - first);
    if (lanes != 1 && distance % lanes != 0) return false;
    stride = static_cast<u64>(lanes == 1 ? distance : distance / lanes);
    for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
        const u32 lane = std::countr_zero(rest);
        if (address[lane] != address[first] + stride * (lane - first)) return false;
    }
    return true;
}

ArithmeticUnit unit_of(u8 byte) {
    MEMSIM_ASSERT((byte & unit_bits) < arithmetic_units, "a warp's stream names an unknown unit");
    return static_cast<ArithmeticUnit>(byte & unit_bits);
}

/// Width, PC, addresses and values of an access to memory.
void read_access(Cursor& in, u8 head, WarpOp& op) {
    const u8 width = in.byte();
    op.width = width & static_cast<u8>(~(local_flag | copy_flag));
    MEMSIM_ASSERT(op.mask != 0 && op.width <= 4 * most_local_words,
                  "a warp's stream holds an access of no lane, or of too many words");
    op.local = (width & local_flag) != 0;
    op.copy = (width & copy_flag) != 0;
    op.pc = static_cast<u32>(in.varint());
    u64 address = in.varint();
    const u32 first = std::countr_zero(op.mask);
    if ((head & strided_flag) != 0) {
        const u64 stride = unzigzag(in.varint());
        if (op.mask == full_mask) {
            for (u32 lane = 0; lane < warp_lanes; ++lane)
                op.address[lane] = address + stride * lane;
        } else {
            for (u32 lane = 0; lane < warp_lanes; ++lane) {
                const u64 active = 0 - u64 {op.mask >> lane & 1};
                op.address[lane] = active & (address + stride * (u64 {lane} - first));
            }
        }
    } else {
        if (op.mask != full_mask) fill_lanes(op.address, u64 {0});
        op.address[first] = address;
        for (u32 rest = op.mask & (op.mask - 1); rest != 0; rest &= rest - 1) {
            address += unzigzag(in.varint());
            op.address[std::countr_zero(rest)] = address;
        }
    }
    if (op.has_values) {
        fill_lanes(op.value, u64 {0});
        u64 value = 0;
        for (u32 rest = op.mask; rest != 0; rest &= rest - 1) {
            value += unzigzag(in.varint());
            op.value[std::countr_zero(rest)] = value;
        }
        op.order = static_cast<u32>(in.varint());
    }
}

bool names_barrier(WarpOpKind kind) {
    return kind == WarpOpKind::bulk_copy || kind == WarpOpKind::arrive || kind == WarpOpKind::await;
}

/// The tile of a bulk copy, and the transaction barrier of an operation that has one.
void read_barrier(Cursor& in, u8 head, WarpOp& op) {
    op.tile = {};
    if (op.kind == WarpOpKind::bulk_copy) {
        op.pc = static_cast<u32>(in.varint());
        op.tile.address = in.varint();
        op.tile.row_bytes = static_cast<u32>(in.varint());
        op.tile.rows = static_cast<u32>(in.varint());
        op.tile.pitch = unzigzag(in.varint());
        MEMSIM_ASSERT(op.tile.bytes() != 0, "a warp's stream holds a bulk copy of no bytes");
    }
    op.tile.barrier = static_cast<u32>(in.varint());
    MEMSIM_ASSERT(op.tile.barrier < most_transaction_barriers,
                  "a warp's stream names a transaction barrier that a block cannot have");
    if (op.kind != WarpOpKind::await) return;
    op.awaited.bytes = in.varint();
    op.awaited.arrivals = (head & values_flag) != 0 ? in.varint() : 0;
}

} // namespace

void WarpStreamWriter::count(u32 mask, u32 instructions) {
    ++counts_.operations;
    counts_.warp_instructions += instructions;
    counts_.thread_instructions += u64 {instructions} * bits_set(mask);
}

void WarpStreamWriter::flush() {
    if (pending_ == 0) return;
    u8 buffer[longest_op];
    u8* at = put_head(buffer, WarpOpKind::compute, 0, pending_mask_, pending_waits_,
                      std::exchange(pending_operands_, 0));
    at = put(at, pending_);
    bytes_.insert(bytes_.end(), buffer, at);
    count(pending_mask_, pending_);
    pending_ = 0;
    pending_waits_ = 0;
}

u8* WarpStreamWriter::begin(u8* at, WarpOpKind kind, u8 flags, u32 mask, u64 waits) {
    flush();
    return put_head(at, kind, flags, mask, waits, std::exchange(operands_, 0));
}

void WarpStreamWriter::control(WarpOpKind kind, u32 mask, u64 waits) {
    u8 buffer[longest_op];
    u8* const end = begin(buffer, kind, 0, mask, waits);
    bytes_.insert(bytes_.end(), buffer, end);
    count(mask, 1);
}

void WarpStreamWriter::shared(u32 pc, u32 mask, u32 passes, bool load, u64 waits) {
    MEMSIM_ASSERT(passes != 0, "an access to shared memory takes at least one pass");
    u8 buffer[longest_op];
    u8* at = begin(buffer, WarpOpKind::shared, load ? strided_flag : u8 {0}, mask, waits);
    at = put(at, pc);
    at = put(at, passes);
    bytes_.insert(bytes_.end(), buffer, at);
    count(mask, 1);
}

void WarpStreamWriter::matrix(u32 mask, u32 products, u64 waits, u32 passes) {
    u8 buffer[longest_op];
    const u8 operands = passes != 0 ? values_flag : u8 {0};
    u8* at = begin(buffer, WarpOpKind::compute, strided_flag | operands, mask, waits);
    at = put(at, products);
    if (operands != 0) at = put(at, passes);
    bytes_.insert(bytes_.end(), buffer, at);
    count(mask, 1);
}

void WarpStreamWriter::copy(u32 pc, u32 mask, u8 width, const Addresses& address, u64 waits) {
    access(WarpOpKind::load, pc, mask, static_cast<u8>(width | copy_flag), address, nullptr, waits);
}

void WarpStreamWriter::bulk_copy(u32 pc, u32 mask, const TileCopy& tile, u64 waits) {
    MEMSIM_ASSERT(tile.bytes() != 0, "a bulk copy has at least one byte");
    u8 buffer[longest_op];
    u8* at = begin(buffer, WarpOpKind::shared, values_flag, mask, waits);
    for (const u64 field : {u64 {pc}, tile.address, u64 {tile.row_bytes}, u64 {tile.rows},
                            zigzag(tile.pitch), u64 {tile.barrier}})
        at = put(at, field);
    bytes_.insert(bytes_.end(), buffer, at);
    count(mask, 1);
}

void WarpStreamWriter::arrive(u32 mask, u32 barrier, u64 waits) {
    u8 buffer[longest_op];
    u8* const at = put(begin(buffer, WarpOpKind::barrier, values_flag, mask, waits), barrier);
    bytes_.insert(bytes_.end(), buffer, at);
    count(mask, 1);
}

void WarpStreamWriter::await(u32 mask, u32 barrier, const BarrierProgress& awaited, u64 waits) {
    u8 buffer[longest_op];
    const u8 arrivals = awaited.arrivals != 0 ? values_flag : u8 {0};
    u8* at = begin(buffer, WarpOpKind::barrier, strided_flag | arrivals, mask, waits);
    at = put(put(at, barrier), awaited.bytes);
    if (arrivals != 0) at = put(at, awaited.arrivals);
    bytes_.insert(bytes_.end(), buffer, at);
    count(mask, 1);
}

void WarpStreamWriter::arithmetic(ArithmeticUnit unit, u32 mask, u32 instructions, bool chained,
                                  u64 waits) {
    MEMSIM_ASSERT(instructions != 0, "an arithmetic operation has at least one instruction");
    u8 buffer[longest_op];
    u8* at = begin(buffer, WarpOpKind::compute, values_flag, mask, waits);
    *at++ = static_cast<u8>(static_cast<u8>(unit) | (chained ? chained_flag : 0) |
                            (instructions > 1 ? several_flag : 0));
    if (instructions > 1) at = put(at, instructions);
    bytes_.insert(bytes_.end(), buffer, at);
    count(mask, instructions);
}

void WarpStreamWriter::access(WarpOpKind kind, u32 pc, u32 mask, u8 width, const Addresses& address,
                              const Addresses* value, u64 waits, bool local) {
    u64 stride;
    const bool strided = common_stride(mask, address, stride);
    u8 buffer[longest_op];
    u8* at =
        begin(buffer, kind,
              static_cast<u8>((strided ? strided_flag : 0) | (value != nullptr ? values_flag : 0)),
              mask, waits);
    *at++ = static_cast<u8>(width | (local ? local_flag : 0));
    at = put(at, pc);
    u64 before = address[std::countr_zero(mask)];
    at = put(at, before);
    if (strided)
        at = put(at, zigzag(stride));
    else
        for (u32 rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
            const u64 here = address[std::countr_zero(rest)];
            at = put(at, zigzag(here - before));
            before = here;
        }
    if (value != nullptr) {
        before = 0;
        for (u32 rest = mask; rest != 0; rest &= rest - 1) {
            const u64 here = (*value)[std::countr_zero(rest)];
            at = put(at, zigzag(here - before));
            before = here;
        }
        at = put(at, ++counts_.stores);
    }
    bytes_.insert(bytes_.end(), buffer, at);
    count(mask, 1);
    counts_.lane_accesses += bits_set(mask);
}

WarpOpHead peek(const std::vector<u8>& bytes, u64 position) {
    if (position >= bytes.size()) return {};
    Cursor in {bytes.data() + position, bytes.data() + bytes.size()};
    const u8 head = in.byte();
    WarpOpHead next {.kind = kind_of(head), .has_result = has_result(head)};
    const bool arithmetic = next.kind == WarpOpKind::arithmetic;
    if ((head & (waits_flag | operands_flag)) == 0 && !arithmetic) return next;
    if ((head & full_flag) == 0) in.word();
    if ((head & waits_flag) != 0) next.waits = in.varint();
    if ((head & operands_flag) != 0) next.operands = in.varint();
    if (arithmetic) {
        const u8 unit = in.byte();
        next.unit = unit_of(unit);
        next.chained = (unit & chained_flag) != 0;
    }
    return next;
}

bool WarpStreamReader::next(WarpOp& op) {
    if (position_ == bytes_.size()) return false;
    MEMSIM_ASSERT(position_ < bytes_.size(), "a warp's position lies past its stream");
    Cursor in {bytes_.data() + position_, bytes_.data() + bytes_.size()};
    const u8 head = in.byte();
    op.kind = kind_of(head);
    op.mask = (head & full_flag) != 0 ? full_mask : in.word();
    op.waits = (head & waits_flag) != 0 ? in.varint() : 0;
    op.operands = (head & operands_flag) != 0 ? in.varint() : 0;
    op.has_values = (head & values_flag) != 0 && touches_memory(op.kind);
    op.has_result = has_result(head);
    op.width = 0;
    op.copy = op.local = false;
    op.pc = 0;
    op.instructions = 1;
    op.passes = 0;
    op.products = 0;
    op.order = 0;
    op.chained = false;
    if (op.kind == WarpOpKind::arithmetic) {
        const u8 unit = in.byte();
        op.unit = unit_of(unit);
        op.chained = (unit & chained_flag) != 0;
        if ((unit & several_flag) != 0) op.instructions = static_cast<u32>(in.varint());
    }
    if (op.kind == WarpOpKind::compute) op.instructions = static_cast<u32>(in.varint());
    if (op.kind == WarpOpKind::matrix) {
        op.products = static_cast<u32>(in.varint());
        if ((head & values_flag) != 0) op.passes = static_cast<u32>(in.varint());
    }
    if (op.kind == WarpOpKind::shared) {
        op.pc = static_cast<u32>(in.varint());
        op.passes = static_cast<u32>(in.varint());
    }
    if (op.kind == WarpOpKind::arrive) op.passes = 1;
    if (names_barrier(op.kind)) read_barrier(in, head, op);
    if (touches_memory(op.kind)) read_access(in, head, op);
    position_ = static_cast<u64>(in.at - bytes_.data());
    return true;
}

} // namespace memsim::gpu_program
