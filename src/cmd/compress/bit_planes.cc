#include "cmd/compress/bit_planes.hh"

#include "core/base/bits.hh"
#include "core/base/error.hh"

#include <bit>
#include <utility>

namespace memsim::cmd::bit_planes {

static constexpr std::uint32_t words = 32, planes = 33;
static constexpr std::uint32_t plane_bits = words - 1;
static constexpr std::uint32_t all_ones = low_bits<std::uint32_t>(plane_bits);
static constexpr std::uint32_t position_bits = 5, least_run = 2;

/// Prefixes of the codes of planes, without operands.
struct Code {
    std::uint32_t bits, length;
};
static constexpr Code zero_run {0b01, 2}, one_zero {0b001, 3}, ones {0b00000, 5},
    zero_plane {0b00001, 5}, two_ones {0b00010, 5}, single_one {0b00011, 5}, raw {0b1, 1};
/// A signed base of this many bits.
struct BaseCode {
    Code code;
    std::uint32_t operand;
};
static constexpr std::array<BaseCode, 5> base_codes {
    {{{0b000, 3}, 0}, {{0b001, 3}, 4}, {{0b010, 3}, 8}, {{0b011, 3}, 16}, {{0b1, 1}, 32}}};

static std::uint32_t sign_extended(std::uint32_t value, std::uint32_t bits) {
    if (bits == 0) return 0;
    const auto up = static_cast<std::int32_t>(value << (32 - bits));
    return static_cast<std::uint32_t>(up >> (32 - bits));
}

namespace {

class Writer {
  public:
    void put(std::uint32_t value, std::uint32_t length) {
        while (length) { // fill the current byte
            const std::uint32_t room = 8 - packed.bit_count % 8, n = std::min(room, length);
            length -= n;
            const std::uint32_t part = value >> length & low_bits<std::uint32_t>(n);
            packed.bits[packed.bit_count / 8] |= static_cast<std::uint8_t>(part << (room - n));
            packed.bit_count += n;
        }
    }
    void put(Code code, std::uint32_t operand = 0, std::uint32_t length = 0) {
        put(code.bits, code.length);
        put(operand, length);
    }
    Packed packed;
};

class Reader {
  public:
    explicit Reader(const Packed& packed) : packed_(packed) {}
    std::uint32_t take(std::uint32_t length) {
        std::uint32_t value = 0;
        for (; length; --length, ++at_)
            value = value << 1 | (packed_.bits[at_ / 8] >> (7 - at_ % 8) & 1);
        return value;
    }
    /// Consumes the next bits if they are this code. Returns whether they were.
    bool accept(Code code) {
        const std::uint32_t at = at_;
        if (take(code.length) == code.bits) return true;
        at_ = at;
        return false;
    }
    bool done() const { return at_ == packed_.bit_count; }

  private:
    const Packed& packed_;
    std::uint32_t at_ = 0;
};

} // namespace

/// The planes of the differences, lowest first.
static std::array<std::uint32_t, planes> planes_of(Block block) {
    std::array<std::uint32_t, planes> dbp {};
    for (std::uint32_t i = 0; i < plane_bits; ++i) {
        const std::uint64_t difference =
            std::uint64_t {element<std::uint32_t>(block, i + 1)} - element<std::uint32_t>(block, i);
        for (std::uint32_t p = 0; p < planes; ++p)
            dbp[p] |= static_cast<std::uint32_t>(difference >> p & 1) << i;
    }
    return dbp;
}

static void put_base(Writer& to, std::uint32_t base) {
    for (const BaseCode& b : base_codes)
        if (sign_extended(base, b.operand) == base) return to.put(b.code, base, b.operand);
}
static std::uint32_t take_base(Reader& from) {
    for (const BaseCode& b : base_codes)
        if (from.accept(b.code)) return sign_extended(from.take(b.operand), b.operand);
    return 0; // unreachable: every bit starts a code
}

static void put_zeros(Writer& to, std::uint32_t run) {
    if (run == 1) to.put(one_zero);
    if (run >= least_run) to.put(zero_run, run - least_run, position_bits);
}
static void put_plane(Writer& to, std::uint32_t dbp, std::uint32_t dbx) {
    const auto lowest = static_cast<std::uint32_t>(std::countr_zero(dbx));
    if (dbp == 0)
        to.put(zero_plane);
    else if (dbx == all_ones)
        to.put(ones);
    else if (dbx == 3u << lowest)
        to.put(two_ones, lowest, position_bits);
    else if (dbx == 1u << lowest)
        to.put(single_one, lowest, position_bits);
    else
        to.put(raw, dbx, plane_bits);
}

Packed encode(Block block) {
    Writer to;
    put_base(to, element<std::uint32_t>(block, 0));
    const auto dbp = planes_of(block);
    std::uint32_t zeros = 0, above = 0;
    for (std::uint32_t p = planes; p-- > 0; above = dbp[p])
        if (dbp[p] == above) {
            ++zeros;
        } else {
            put_zeros(to, std::exchange(zeros, 0));
            put_plane(to, dbp[p], dbp[p] ^ above);
        }
    put_zeros(to, zeros);
    return to.packed;
}

BlockBytes decode(const Packed& packed) {
    Reader from(packed);
    const std::uint32_t base = take_base(from);
    std::array<std::uint64_t, plane_bits> differences {};
    for (std::uint32_t p = planes, zeros = 0, dbp = 0; p-- > 0;) {
        if (zeros) // within a run, a plane equals the one above
            --zeros;
        else if (from.accept(zero_run))
            zeros = from.take(position_bits) + least_run - 1;
        else if (from.accept(one_zero))
            ;
        else if (from.accept(ones))
            dbp ^= all_ones;
        else if (from.accept(zero_plane))
            dbp = 0;
        else if (from.accept(two_ones))
            dbp ^= 3u << from.take(position_bits);
        else if (from.accept(single_one))
            dbp ^= 1u << from.take(position_bits);
        else if (from.accept(raw))
            dbp ^= from.take(plane_bits);
        for (std::uint32_t i = 0; i < plane_bits; ++i)
            differences[i] |= std::uint64_t {dbp >> i & 1} << p;
    }
    MEMSIM_ASSERT(from.done(), "the codes of a block have another length");

    BlockBytes block;
    std::uint32_t word = base;
    for (std::uint32_t i = 0; i < words; ++i) {
        std::memcpy(block.data() + i * sizeof word, &word, sizeof word);
        if (i < plane_bits) word += static_cast<std::uint32_t>(differences[i]);
    }
    return block;
}

} // namespace memsim::cmd::bit_planes
