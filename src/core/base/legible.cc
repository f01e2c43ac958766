#include "core/base/legible.hh"

#include <cstdint>

namespace memsim {

namespace {

/// The length of the UTF-8 character that begins here; 0 if none does (RFC 3629, section 4).
std::size_t character(std::string_view s) {
    const auto byte = [&](std::size_t i) {
        return i < s.size() ? static_cast<std::uint8_t>(s[i]) : std::uint8_t {0};
    };
    const auto from_to = [&](std::size_t i, unsigned from, unsigned to) {
        return byte(i) >= from && byte(i) <= to;
    };
    const auto tail = [&](std::size_t i) { return from_to(i, 0x80, 0xbf); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (from_to(0, 0xc2, 0xdf)) return tail(1) ? 2 : 0;
    if (from_to(0, 0xe0, 0xef)) { // neither overlong nor half of a surrogate pair
        const bool second = from_to(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
        return second && tail(2) ? 3 : 0;
    }
    if (from_to(0, 0xf0, 0xf4)) {
        const bool second = from_to(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
        return second && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

/// Control codes of a terminal: C0 except the line feed, DEL, and C1 (U+0080 to U+009F).
bool controls(std::string_view c) {
    const auto first = static_cast<std::uint8_t>(c[0]);
    if (c.size() == 1) return (first < 0x20 && first != '\n') || first == 0x7f;
    return c.size() == 2 && first == 0xc2 && static_cast<std::uint8_t>(c[1]) < 0xa0;
}

} // namespace

std::string legible(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    while (!bytes.empty()) {
        const std::size_t n = character(bytes);
        if (n > 0 && !controls(bytes.substr(0, n))) {
            text += bytes.substr(0, n);
            bytes.remove_prefix(n);
            continue;
        }
        const auto byte = static_cast<std::uint8_t>(bytes[0]);
        text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        bytes.remove_prefix(1);
    }
    return text;
}

} // namespace memsim
