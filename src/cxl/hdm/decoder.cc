#include "cxl/hdm/decoder.hh"

#include "core/base/text.hh"

#include <algorithm>

namespace memsim::cxl {

namespace {

// Fields of the control register (8.2.4.20.7). Ways of 1 to 16 have the codes 0 to 4; 3, 6 and 12
// have codes from 8 on. Granularity is coded as its power of two over 256 bytes.
constexpr unsigned ways_bit = 4, position_bit = 24;
constexpr std::uint32_t field = 0xf, first_of_three = 8, powers_of_two = 5, codes_of_three = 3;

} // namespace

std::string HdmDecoder::fault() const {
    if (std::find(all_ways.begin(), all_ways.end(), ways) == all_ways.end())
        return std::to_string(ways) +
               " ways: an interleave set must have 1, 2, 3, 4, 6, 8, 12 or 16";
    if (!std::has_single_bit(granularity) || granularity < least_granularity ||
        granularity > most_granularity)
        return "a granularity of " + bytes_text(granularity) +
               ": it must be a power of two from 256B to 16KiB";
    if (bytes == 0) return "it is empty";
    if (base + (bytes - 1) < base) return "it ends after the last address";
    if (base % granularity) return "it begins within a chunk of " + bytes_text(granularity);
    if (bytes % (std::uint64_t {ways} * granularity))
        return bytes_text(bytes) + " cannot be divided into " + std::to_string(ways) + " ways of " +
               bytes_text(granularity);
    return {};
}

std::uint64_t HdmDecoder::control() const {
    const auto log = static_cast<std::uint32_t>(std::countr_zero(ways));
    const std::uint32_t code = std::has_single_bit(ways) ? log : first_of_three + log;
    const auto chunk =
        static_cast<std::uint32_t>(std::countr_zero(granularity / least_granularity));
    return chunk | code << ways_bit | std::uint64_t {position} << position_bit;
}

void HdmDecoder::set_control(std::uint64_t value) {
    const std::uint32_t code = value >> ways_bit & field, chunk = value & field;
    granularity = chunk <= 6 ? least_granularity << chunk : 0;
    ways = code < powers_of_two ? 1u << code
           : code >= first_of_three && code < first_of_three + codes_of_three
               ? 3u << (code - first_of_three)
               : 0;
    position = value >> position_bit & field;
}

} // namespace memsim::cxl
