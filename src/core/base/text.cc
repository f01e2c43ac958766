#include "core/base/text.hh"

#include <algorithm>
#include <utility>

namespace memsim {
namespace detail {

namespace {

/// The number of leading letters that a unit and the written text share.
std::size_t alike(std::string_view unit, std::string_view written, int mask) {
    std::size_t i = 0;
    while (i < std::min(unit.size(), written.size()) && (unit[i] | mask) == (written[i] | mask))
        ++i;
    return i;
}

/// The unit that was probably meant: the unit with the longest common beginning ('KiB' for 'KB',
/// 'kB' for 'kb'). Case counts only between units with equally long common beginnings.
std::string_view meant(std::string_view written, const UnitName* units, std::size_t n) {
    constexpr int no_case = 0x20;
    const auto* best = std::max_element(units, units + n, [&](const auto& a, const auto& b) {
        const auto score = [&](std::string_view unit) {
            return std::pair(alike(unit, written, 0), alike(unit, written, no_case));
        };
        return score(a.suffix) < score(b.suffix);
    });
    // For fractions the unit of 1 is empty; the middle unit is '%'.
    return alike(best->suffix, written, no_case) ? best->suffix
           : units[0].suffix.empty()             ? units[1].suffix
                                                 : units[n / 2].suffix;
}

/// A number with the unit that was probably meant. Without a unit, a number from 1000 up is taken
/// as bytes or hertz, and a number below 1/1000 as seconds, joules, watts or meters.
std::string likely(std::string_view number, std::string_view suffix, const UnitName* units,
                   std::size_t n) {
    if (suffix.empty()) {
        const Decimal d = read_decimal(number);
        const bool from_one = units[n - 1].suffix.front() == 'B' || units[n - 1].suffix == "Hz";
        const UnitName& plain = from_one ? units[n - 1] : units[0];
        const Scaled value = scale_exactly(d, plain.scale);
        if (value.fault == Fault::none &&
            (from_one ? value.value >= 1000 : value.value > 0 && value.value < plain.scale / 1000))
            return show_scaled(value.value, units, n);
    }
    return std::string(number) + std::string(meant(suffix, units, n));
}

/// '2/3' as the fraction '0.666666667'; empty if the text is not a quotient of two numbers.
std::string quotient(std::string_view text) {
    const Decimal over = read_decimal(text);
    if (over.length == 0 || over.length >= text.size() || text[over.length] != '/') return "";
    text.remove_prefix(over.length + 1);
    const Decimal under = read_decimal(text);
    if (under.length != text.size() || under.digits <= 0 || over.digits < 0 || over.places ||
        under.places || over.digits > under.digits)
        return "";
    constexpr Int128 parts = 1'000'000'000;
    const auto share =
        static_cast<std::int64_t>((over.digits * parts * 2 + under.digits) / (under.digits * 2));
    std::string digits = std::to_string(static_cast<std::int64_t>(parts) + share).substr(1);
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
    return share == parts ? "1" : "0." + digits;
}

} // namespace

void refuse_number(std::string_view text, Fault fault, std::string_view type, const UnitName* units,
                   std::size_t n) {
    const std::string quoted = "'" + std::string(text) + "'";
    const std::string named(type);
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const std::size_t end = text.find_last_not_of(" \t\r\n") + 1;
    if (end > begin && end - begin < text.size()) {
        const std::string bare(text.substr(begin, end - begin));
        throw ConfigError(quoted + " has blanks around it: write '" + bare + "'");
    }
    std::string_view suffix = text.substr(read_decimal(text).length);
    const std::string_view number = text.substr(0, text.size() - suffix.size());
    suffix.remove_prefix(std::min(suffix.find_first_not_of(' '), suffix.size()));
    const std::string example = "such as '4" + std::string(meant("", units, n)) + "'";
    const bool letters =
        suffix.empty() || suffix[0] == '%' || (suffix[0] | 0x20) >= 'a' || (suffix[0] & 0x80);
    switch (fault) {
    case Fault::not_a_number:
        throw ConfigError(quoted + " is not a " + named + ": write a number with a unit, " +
                          example);
    case Fault::no_unit:
        if (units[0].suffix.empty() && !quotient(text).empty())
            throw ConfigError(quoted + " is a quotient: write '" + quotient(text) + "'");
        if (!letters)
            throw ConfigError(quoted + " is not one number: write a decimal number with a unit, " +
                              example);
        throw ConfigError(quoted + " has no unit of " + named + ": write '" +
                          likely(number, suffix, units, n) + "' or the like");
    case Fault::not_whole:
        throw ConfigError(quoted + " is finer than the smallest unit of " + named);
    default:
        throw ConfigError(
            quoted + " is out of range: the largest " + named + " is " +
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

std::string bytes_text(std::uint64_t bytes) {
    return Text<Bytes>::show({static_cast<std::int64_t>(bytes)});
}
std::uint64_t parse_bytes(std::string_view text) {
    const Bytes bytes = Text<Bytes>::parse(text);
    if (bytes.raw < 0)
        throw ConfigError("'" + std::string(text) + "' is negative: write a size from 0B on");
    return static_cast<std::uint64_t>(bytes.raw);
}

std::vector<std::string_view> elements_of(std::string_view list, char separator) {
    std::vector<std::string_view> elements;
    for (std::size_t at = 0; !list.empty() && at <= list.size();) {
        const std::size_t end = std::min(list.find(separator, at), list.size());
        std::string_view one = list.substr(at, end - at);
        one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
        elements.push_back(one.substr(0, one.find_last_not_of(" \t") + 1));
        at = end + 1;
    }
    return elements;
}

bool Text<bool>::parse(std::string_view s) {
    if (s == "true" || s == "True" || s == "1") return true;
    if (s == "false" || s == "False" || s == "0") return false;
    throw ConfigError("'" + std::string(s) + "' is neither 'true' nor 'false'");
}

} // namespace memsim
