#include "device_parts/address_map.hh"

#include <bit>
#include <vector>

namespace memsim::device_parts {

AddressMap::AddressMap(const std::string& order, const Geometry& g)
    : groups_(g.groups), low_columns_(g.low_columns), unit_(g.unit) {
    static constexpr std::array<const char*, fields> names {"ro", "ra", "bg", "ba",
                                                            "co", "ch", "cl"};
    std::array<std::uint64_t, fields> radix {g.rows,    g.ranks,    g.groups,     g.banks_per_group,
                                             g.columns, g.channels, g.low_columns};
    std::string lower;
    for (char c : order) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::string prefix = "the address map '" + order + "' ";

    for (std::uint64_t r : radix)
        if (r == 0) throw ConfigError(prefix + "maps a geometry with a dimension of 0");
    if (g.columns % g.low_columns != 0)
        throw ConfigError(prefix + "interleaves " + std::to_string(g.low_columns * g.unit) +
                          " bytes, which do not divide a row of " +
                          std::to_string(g.columns * g.unit));
    radix[column] /= g.low_columns;
    if (lower.find("bg") == std::string::npos) {
        whole_bank_ = true;
        radix[bank] *= radix[group];
        radix[group] = 1;
    }
    std::array<bool, fields> seen {};
    for (std::size_t end = lower.size(); end > 0; end = end < 2 ? 0 : end - 2) {
        const std::string name = end < 2 ? lower.substr(0, end) : lower.substr(end - 2, 2);
        unsigned f = 0;
        while (f < fields && name != names[f]) ++f;
        if (f == fields)
            throw ConfigError(
                prefix + "has a field '" + name +
                "': its fields are Ro, Ra, Bg, Ba, Co, Ch and Cl, as in 'RoRaBaCoCh'");
        if (seen[f]) throw ConfigError(prefix + "names '" + name + "' twice");
        seen[f] = true;
        const auto r = static_cast<std::uint32_t>(radix[f]);
        digits_[used_++] = {static_cast<Field>(f), r,
                            static_cast<std::uint8_t>(std::countr_zero(r)), std::has_single_bit(r)};
    }
    capacity_ = unit_;
    for (unsigned f = 0; f < fields; ++f) {
        if (radix[f] > 1 && !seen[f])
            throw ConfigError(prefix + "does not cover the capacity: it names no '" + names[f] +
                              "', of which there are " + std::to_string(radix[f]) +
                              (f == low_column ? ": append it, as in '" + order + "Cl'" : ""));
        const Uint128 product = static_cast<Uint128>(capacity_) * radix[f];
        if (product >> 62 != 0) throw ConfigError(prefix + "maps more than 2^62 bytes");
        capacity_ = static_cast<std::uint64_t>(product);
    }
    // Columns are contiguous as long as no other field is between them.
    for (unsigned i = 0; i < used_; ++i) {
        const Digit& d = digits_[i];
        if (d.field == low_column || (d.field == column && (run_ == low_columns_)))
            run_ *= d.radix;
        else if (d.radix > 1)
            break;
    }
}

bool AddressMap::within(const AddressMap& other) const {
    if (unit_ != other.unit_ || groups_ != other.groups_ || low_columns_ != other.low_columns_ ||
        (whole_bank_ != other.whole_bank_ && groups_ != 1))
        return false;
    // Digits with radix 1 do not matter.
    const auto counted = [](const AddressMap& map) {
        std::vector<Digit> all;
        for (unsigned i = 0; i < map.used_; ++i)
            if (map.digits_[i].radix > 1) all.push_back(map.digits_[i]);
        return all;
    };
    const std::vector<Digit> mine = counted(*this), others = counted(other);
    for (std::size_t i = 0; i < mine.size(); ++i) {
        if (i == others.size() || mine[i].field != others[i].field) return false;
        const bool highest = i + 1 == mine.size();
        if (highest ? mine[i].radix > others[i].radix : mine[i].radix != others[i].radix)
            return false;
    }
    return true;
}

DramPlace AddressMap::place(std::uint64_t address) const {
    std::array<std::uint32_t, fields> at {};
    std::uint64_t x = address / unit_;
    for (unsigned i = 0; i < used_; ++i) {
        const Digit& d = digits_[i];
        const std::uint64_t rest = d.power ? x >> d.shift : x / d.radix;
        at[d.field] = static_cast<std::uint32_t>(x - rest * d.radix);
        x = rest;
    }
    DramPlace p {at[channel], at[rank], at[group],
                 at[bank],    at[row],  at[column] * low_columns_ + at[low_column]};
    if (whole_bank_) {
        p.group = at[bank] % groups_;
        p.bank = at[bank] / groups_;
    }
    return p;
}

std::uint64_t AddressMap::address(const DramPlace& p) const {
    std::array<std::uint32_t, fields> at {p.row,
                                          p.rank,
                                          p.group,
                                          p.bank,
                                          p.column / low_columns_,
                                          p.channel,
                                          p.column % low_columns_};
    if (whole_bank_) at[bank] = p.bank * groups_ + p.group;
    std::uint64_t x = 0;
    for (unsigned i = used_; i-- > 0;) x = x * digits_[i].radix + at[digits_[i].field];
    return x * unit_;
}

std::uint64_t AddressMap::channel_chunk() const {
    std::uint64_t bytes = unit_;
    for (unsigned i = 0; i < used_ && digits_[i].field != channel; ++i) bytes *= digits_[i].radix;
    return bytes;
}

std::uint32_t AddressMap::contiguous(std::uint64_t address, std::uint32_t most) const {
    const std::uint64_t run = std::uint64_t {run_} * unit_;
    const std::uint64_t left = run - address % run;
    return left < most ? static_cast<std::uint32_t>(left) : most;
}

} // namespace memsim::device_parts
