#pragma once

#include "core/base/error.hh"

#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

/// Quantities have their unit in their type and hold an exact integer. Text such as '1.2GHz' is
/// parsed exactly or refused. Capacities that papers write as KB, MB, GB are KiB, MiB, GiB here.
namespace memsim {

/// Simulated time: a whole number of femtoseconds since the start (int64: 2.5 simulated hours).
using Tick = std::int64_t;
inline constexpr Tick never = std::numeric_limits<Tick>::max();
inline constexpr Tick ticks_per_second = 1'000'000'000'000'000;

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

struct UnitName {
    std::string_view suffix;
    std::int64_t scale; ///< in base units
};

template <class Tag>
struct Quantity {
    std::int64_t raw = 0; ///< in Tag's base unit

    // NOLINTNEXTLINE(modernize-use-nullptr): there is no pointer
    auto operator<=>(const Quantity&) const = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.raw + b.raw}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.raw - b.raw}; }
    friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return {a.raw * n}; }
    friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return {a.raw * n}; }
    friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.raw / b.raw; }
    friend constexpr Quantity operator/(Quantity a, std::int64_t n) { return {a.raw / n}; }
};

// Each tag names its units from the largest to the base unit; the last is the base.
struct TimeTag {
    static constexpr std::string_view name = "Time";
    static constexpr std::array<UnitName, 6> units {{{"s", 1'000'000'000'000'000},
                                                     {"ms", 1'000'000'000'000},
                                                     {"us", 1'000'000'000},
                                                     {"ns", 1'000'000},
                                                     {"ps", 1'000},
                                                     {"fs", 1}}};
};
struct BytesTag {
    static constexpr std::string_view name = "Bytes";
    static constexpr std::array<UnitName, 9> units {{{"TiB", std::int64_t {1} << 40},
                                                     {"TB", 1'000'000'000'000},
                                                     {"GiB", 1 << 30},
                                                     {"GB", 1'000'000'000},
                                                     {"MiB", 1 << 20},
                                                     {"MB", 1'000'000},
                                                     {"KiB", 1 << 10},
                                                     {"kB", 1'000},
                                                     {"B", 1}}};
};
struct FrequencyTag {
    static constexpr std::string_view name = "Frequency";
    static constexpr std::array<UnitName, 4> units {
        {{"GHz", 1'000'000'000}, {"MHz", 1'000'000}, {"kHz", 1'000}, {"Hz", 1}}};
};
struct RateTag {
    static constexpr std::string_view name = "Rate";
    static constexpr std::array<UnitName, 7> units {{{"GiB/s", 1 << 30},
                                                     {"GB/s", 1'000'000'000},
                                                     {"MiB/s", 1 << 20},
                                                     {"MB/s", 1'000'000},
                                                     {"KiB/s", 1 << 10},
                                                     {"kB/s", 1'000},
                                                     {"B/s", 1}}};
};
struct EnergyTag {
    static constexpr std::string_view name = "Energy";
    static constexpr std::array<UnitName, 6> units {{{"J", 1'000'000'000'000'000},
                                                     {"mJ", 1'000'000'000'000},
                                                     {"uJ", 1'000'000'000},
                                                     {"nJ", 1'000'000},
                                                     {"pJ", 1'000},
                                                     {"fJ", 1}}};
};
struct PowerTag {
    static constexpr std::string_view name = "Power";
    static constexpr std::array<UnitName, 4> units {
        {{"W", 1'000'000'000}, {"mW", 1'000'000}, {"uW", 1'000}, {"nW", 1}}};
};
/// A loss or gain of power.
struct DecibelTag {
    static constexpr std::string_view name = "Decibel";
    static constexpr std::array<UnitName, 2> units {{{"dB", 1'000}, {"mdB", 1}}};
};
struct LengthTag {
    static constexpr std::string_view name = "Length";
    static constexpr std::array<UnitName, 4> units {
        {{"m", 1'000'000}, {"cm", 10'000}, {"mm", 1'000}, {"um", 1}}};
};
/// A share of 1; the only quantity that may be written without a unit ('0.25' or '25%').
struct FractionTag {
    static constexpr std::string_view name = "Fraction";
    static constexpr std::array<UnitName, 4> units {
        {{"", 1'000'000'000}, {"%", 10'000'000}, {"ppm", 1'000}, {"ppb", 1}}};
};

using Time = Quantity<TimeTag>;           ///< fs
using Bytes = Quantity<BytesTag>;         ///< B
using Frequency = Quantity<FrequencyTag>; ///< Hz
using Rate = Quantity<RateTag>;           ///< B/s
using Energy = Quantity<EnergyTag>;       ///< fJ
using Power = Quantity<PowerTag>;         ///< nW
using Decibel = Quantity<DecibelTag>;     ///< 1e-3 dB
using Length = Quantity<LengthTag>;       ///< um
using Fraction = Quantity<FractionTag>;   ///< 1e-9

namespace detail {

enum class Fault { none, not_a_number, no_unit, not_whole, too_large };

struct Scaled {
    std::int64_t value = 0;
    Fault fault = Fault::none;
};

/// The digits of a decimal number, parsed exactly: value = digits / 10^places.
struct Decimal {
    Int128 digits = 0;
    int places = 0;
    std::size_t length = 0; ///< characters read; 0 when there is no number
    bool too_large = false;
};

/// Parses an exponent such as 'e-3' or 'E12' at `i` and moves `i` past it. A lone 'e' begins the
/// name of a unit.
constexpr int read_exponent(std::string_view s, std::size_t& i) {
    constexpr int beyond = 1000; // its magnitude exceeds every number that fits
    std::size_t at = i + 1;
    const bool negative = at < s.size() && s[at] == '-';
    if (at < s.size() && (s[at] == '-' || s[at] == '+')) ++at;
    if (i >= s.size() || (s[i] | 0x20) != 'e' || at >= s.size() || s[at] < '0' || s[at] > '9')
        return 0;
    int exponent = 0;
    for (; at < s.size() && s[at] >= '0' && s[at] <= '9'; ++at)
        exponent = exponent < beyond ? exponent * 10 + (s[at] - '0') : beyond;
    i = at;
    return negative ? -exponent : exponent;
}

constexpr Decimal read_decimal(std::string_view s) {
    Decimal d;
    bool negative = false, point = false, any = false;
    std::size_t i = 0;
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) negative = s[i++] == '-';
    for (; i < s.size(); ++i) {
        const char c = s[i];
        if (c == '\'' || c == '_') continue; // digit separators of C++ and Python
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9') break;
        any = true;
        if (d.digits > (Int128 {1} << 100))
            d.too_large = true;
        else
            d.digits = d.digits * 10 + (c - '0');
        if (point) ++d.places;
    }
    if (any) {
        d.places -= read_exponent(s, i);
        d.length = i;
    }
    for (; d.places < 0 && d.digits != 0 && !d.too_large; ++d.places) {
        d.too_large = d.digits > (Int128 {1} << 100);
        d.digits *= 10;
    }
    if (d.digits == 0 || d.places < 0) d.places = 0;
    if (negative) d.digits = -d.digits;
    return d;
}

/// digits / 10^places x scale, or the reason why the result is not a 64-bit integer.
constexpr Scaled scale_exactly(Decimal d, std::int64_t scale) {
    if (d.too_large) return {0, Fault::too_large};
    Int128 s = scale;
    while (d.places > 0 && d.digits % 10 == 0) {
        d.digits /= 10;
        --d.places;
    }
    for (; d.places > 0; --d.places) {
        if (s % 10 == 0)
            s /= 10;
        else if (d.digits % 2 == 0 && s % 5 == 0)
            d.digits /= 2, s /= 5;
        else if (d.digits % 5 == 0 && s % 2 == 0)
            d.digits /= 5, s /= 2;
        else
            return {0, Fault::not_whole};
    }
    constexpr Int128 limit = std::numeric_limits<std::int64_t>::max();
    const Int128 magnitude = d.digits < 0 ? -d.digits : d.digits;
    if (magnitude != 0 && magnitude > limit / s) return {0, Fault::too_large};
    return {static_cast<std::int64_t>(d.digits * s), Fault::none};
}

template <class Tag>
constexpr Scaled read_quantity(std::string_view text) {
    const Decimal d = read_decimal(text);
    if (d.length == 0) return {0, Fault::not_a_number};
    std::string_view suffix = text.substr(d.length);
    while (!suffix.empty() && suffix.front() == ' ') suffix.remove_prefix(1);
    for (const UnitName& u : Tag::units)
        if (u.suffix == suffix) return scale_exactly(d, u.scale);
    return {0, Fault::no_unit};
}

template <class Tag>
consteval Quantity<Tag> literal(const char* digits, std::int64_t scale) {
    const Scaled s = scale_exactly(read_decimal(digits), scale);
    if (s.fault != Fault::none) throw "this literal is not a whole number of base units";
    return {s.value};
}

} // namespace detail

inline namespace literals {
consteval Time operator""_fs(const char* s) { return detail::literal<TimeTag>(s, 1); }
consteval Time operator""_ps(const char* s) { return detail::literal<TimeTag>(s, 1'000); }
consteval Time operator""_ns(const char* s) { return detail::literal<TimeTag>(s, 1'000'000); }
consteval Time operator""_us(const char* s) { return detail::literal<TimeTag>(s, 1'000'000'000); }
consteval Time operator""_ms(const char* s) {
    return detail::literal<TimeTag>(s, 1'000'000'000'000);
}
consteval Time operator""_s(const char* s) {
    return detail::literal<TimeTag>(s, 1'000'000'000'000'000);
}
consteval Bytes operator""_B(const char* s) { return detail::literal<BytesTag>(s, 1); }
consteval Bytes operator""_KiB(const char* s) { return detail::literal<BytesTag>(s, 1 << 10); }
consteval Bytes operator""_MiB(const char* s) { return detail::literal<BytesTag>(s, 1 << 20); }
consteval Bytes operator""_GiB(const char* s) { return detail::literal<BytesTag>(s, 1 << 30); }
consteval Frequency operator""_MHz(const char* s) {
    return detail::literal<FrequencyTag>(s, 1'000'000);
}
consteval Frequency operator""_GHz(const char* s) {
    return detail::literal<FrequencyTag>(s, 1'000'000'000);
}
consteval Rate operator""_MBps(const char* s) { return detail::literal<RateTag>(s, 1'000'000); }
consteval Rate operator""_GBps(const char* s) { return detail::literal<RateTag>(s, 1'000'000'000); }
consteval Energy operator""_fJ(const char* s) { return detail::literal<EnergyTag>(s, 1); }
consteval Energy operator""_pJ(const char* s) { return detail::literal<EnergyTag>(s, 1'000); }
consteval Energy operator""_nJ(const char* s) { return detail::literal<EnergyTag>(s, 1'000'000); }
consteval Power operator""_uW(const char* s) { return detail::literal<PowerTag>(s, 1'000); }
consteval Power operator""_mW(const char* s) { return detail::literal<PowerTag>(s, 1'000'000); }
consteval Decibel operator""_dB(const char* s) { return detail::literal<DecibelTag>(s, 1'000); }
consteval Length operator""_cm(const char* s) { return detail::literal<LengthTag>(s, 10'000); }
consteval Length operator""_um(const char* s) { return detail::literal<LengthTag>(s, 1); }
consteval Fraction operator""_pct(const char* s) {
    return detail::literal<FractionTag>(s, 10'000'000);
}
} // namespace literals

} // namespace memsim
