#include "core/text.hh"

#include <algorithm>
#include <utility>

namespace memsim {
namespace detail {

namespace {

/// The unit that was probably meant: the one that begins most like it ('KiB' for 'KB', 'kB' for
/// 'kb'), where upper and lower case count only between two that are equally long.
std::string_view meant(std::string_view written, const UnitName* units, std::size_t n) {
    const auto alike = [&](std::string_view unit, int mask) {
        std::size_t i = 0;
        while (i < std::min(unit.size(), written.size()) && (unit[i] | mask) == (written[i] | mask))
            ++i;
        return i;
    };
    constexpr int no_case = 0x20;
    const auto* best = std::max_element(units, units + n, [&](const auto& a, const auto& b) {
        const std::string_view x = a.suffix, y = b.suffix;
        return std::pair(alike(x, 0), alike(x, no_case)) <
               std::pair(alike(y, 0), alike(y, no_case));
    });
    return alike(best->suffix, no_case) ? best->suffix : units[n / 2].suffix;
}

} // namespace

void refuse_number(std::string_view text, Fault fault, std::string_view type, const UnitName* units,
                   std::size_t n) {
    const std::string quoted = "'" + std::string(text) + "'";
    std::string_view suffix = text.substr(read_decimal(text).length);
    const std::string_view number = text.substr(0, text.size() - suffix.size());
    suffix.remove_prefix(std::min(suffix.find_first_not_of(' '), suffix.size()));
    switch (fault) {
    case Fault::not_a_number:
        throw ConfigError(quoted + " is not a " + std::string(type) + ": write a number with a " +
                          "unit, such as '4" + std::string(units[n / 2].suffix) + "'");
    case Fault::no_unit:
        throw ConfigError(quoted + " has no unit of " + std::string(type) + ": write '" +
                          std::string(number) + std::string(meant(suffix, units, n)) +
                          "' or the like");
    case Fault::not_whole:
        throw ConfigError(quoted + " is finer than the smallest unit of " + std::string(type));
    default:
        throw ConfigError(
            quoted + " is out of range: the largest " + std::string(type) + " is " +
            std::to_string(std::numeric_limits<std::int64_t>::max() / units[0].scale) +
            std::string(units[0].suffix));
    }
}

std::string show_scaled(std::int64_t raw, const UnitName* units, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        if (raw % units[i].scale == 0 && (raw != 0 || i + 1 == n))
            return std::to_string(raw / units[i].scale) + std::string(units[i].suffix);
    return std::to_string(raw);
}

std::int64_t read_integer(std::string_view text, Int128 min, Int128 max) {
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    Int128 value = 0;
    bool ok = true;
    if (hex) {
        for (char c : text.substr(2)) {
            const int lower = c | 0x20;
            const int digit = c >= '0' && c <= '9'           ? c - '0'
                              : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                             : -1;
            ok = ok && digit >= 0 && value <= max;
            value = value * 16 + digit;
            if (!ok) break;
        }
    } else {
        const Decimal d = read_decimal(text);
        ok = d.length == text.size() && d.length > 0 && d.places == 0 && !d.too_large;
        value = d.digits;
    }
    if (!ok) throw ConfigError("'" + std::string(text) + "' is not a whole number");
    if (value < min || value > max)
        throw ConfigError("'" + std::string(text) + "' does not fit: it must be from " +
                          std::to_string(static_cast<std::int64_t>(min)) + " to " +
                          std::to_string(static_cast<std::int64_t>(max)));
    return static_cast<std::int64_t>(value);
}

std::string list_words(const std::string_view* words, std::size_t n) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += (i ? ", '" : "'") + std::string(words[i]) + "'";
    return all;
}

bool reciprocal(std::string_view text, std::string_view wanted, std::int64_t& raw) {
    // Seconds x hertz = 1, in femtoseconds: the product of the two raw values is 10^15.
    Scaled other;
    if (wanted == TimeTag::name)
        other = read_quantity<FrequencyTag>(text);
    else if (wanted == FrequencyTag::name)
        other = read_quantity<TimeTag>(text);
    else
        return false;
    if (other.fault != Fault::none || other.value <= 0) return false;
    raw = static_cast<std::int64_t>((Int128 {ticks_per_second} * 2 + other.value) /
                                    (Int128 {2} * other.value));
    return true;
}

} // namespace detail

bool Text<bool>::parse(std::string_view s) {
    if (s == "true" || s == "True" || s == "1") return true;
    if (s == "false" || s == "False" || s == "0") return false;
    throw ConfigError("'" + std::string(s) + "' is neither 'true' nor 'false'");
}

} // namespace memsim
