#include "cxl/hdm/address_plan.hh"

#include "core/base/text.hh"
#include "cxl/flit/encoding.hh"

#include <sstream>

namespace memsim::cxl {

namespace {

/// The end of the addresses that a flit's message can name, in lines.
constexpr std::uint64_t flit_reach = std::uint64_t {line_bytes} << RwdFields::address.width;

std::string show(const HdmDecoder& d) {
    return bytes_text(d.bytes) + " from " + bytes_text(d.base);
}
std::string ports_of(const HdmEntry& e) {
    std::string text = e.decoder.ways == 1 ? "port" : "ports";
    for (std::uint32_t i = 0; i < e.decoder.ways; ++i) text += " " + std::to_string(e.targets[i]);
    return text;
}

/// Ranges given by a script, such as '0B 256B 0 1, 1GiB 4KiB 2'; sizes are set later.
std::vector<HdmEntry> read_ranges(const std::string& ranges, std::size_t ports,
                                  const AddressPlan::Refuse& refuse) {
    std::vector<HdmEntry> all;
    for (const std::string_view one : elements_of(ranges)) {
        std::istringstream words {std::string(one)};
        HdmEntry e;
        e.decoder.ways = 0;
        try {
            std::string base, granularity;
            words >> base >> granularity;
            e.decoder.base = parse_bytes(base);
            e.decoder.granularity = static_cast<std::uint32_t>(parse_bytes(granularity));
            for (std::string port; words >> port; ++e.decoder.ways) {
                const auto number = Text<std::uint16_t>::parse(port);
                if (number >= ports || e.decoder.ways == e.targets.size())
                    throw ConfigError("port " + port + " is not one of " + std::to_string(ports) +
                                      ", or is the seventeenth of a set");
                e.targets[e.decoder.ways] = static_cast<std::uint8_t>(number);
            }
        } catch (const ConfigError& error) {
            refuse("ranges", "'" + std::string(one) +
                                 "' is not a first address, a granularity and ports, such as '0B "
                                 "256B 0 1': " +
                                 error.what());
        }
        all.push_back(e);
    }
    return all;
}

/// Sets of consecutive ports, without addresses.
std::vector<HdmEntry> sets(const AddressPlan::Config& config, std::size_t ports,
                           const AddressPlan::Refuse& refuse) {
    if (ports % config.ways)
        refuse("ways", std::to_string(config.ways) + " ways do not divide the " +
                           std::to_string(ports) + " ports of the host bridge");
    std::vector<HdmEntry> all(ports / config.ways);
    for (std::size_t p = 0; p < ports; ++p) {
        HdmEntry& e = all[p / config.ways];
        e.decoder.ways = config.ways;
        e.decoder.granularity = config.granularity;
        e.targets[p % config.ways] = static_cast<std::uint8_t>(p);
    }
    return all;
}

} // namespace

AddressPlan::AddressPlan(const Config& config, const std::vector<std::uint64_t>& sizes,
                         const Refuse& refuse) {
    const bool given = !config.ranges.empty();
    const char* const blamed = given ? "ranges" : "ways";
    ranges = given ? read_ranges(config.ranges, sizes.size(), refuse)
                   : sets(config, sizes.size(), refuse);
    std::vector<unsigned> uses(sizes.size());
    std::uint64_t next = config.window_base;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        HdmEntry& e = ranges[i];
        HdmDecoder& d = e.decoder;
        if (!given) d.base = next;
        for (std::uint32_t w = 0; w < d.ways; ++w) {
            ++uses[e.targets[w]];
            if (sizes[e.targets[w]] != sizes[e.targets[0]])
                refuse(blamed,
                       "endpoints of one interleave set must have equal sizes: those behind " +
                           ports_of(e) + " have " + bytes_text(sizes[e.targets[0]]) + " and " +
                           bytes_text(sizes[e.targets[w]]));
        }
        d.bytes = d.ways ? sizes[e.targets[0]] * d.ways : 0;
        if (const std::string fault = d.fault(); !fault.empty())
            refuse(blamed, "the range of " + ports_of(e) + " cannot be decoded: " + fault);
        const std::uint64_t offset = d.base - config.window_base;
        if (d.base < config.window_base || offset > config.window ||
            d.bytes > config.window - offset)
            refuse("window", "the endpoint memory behind " + ports_of(e) + ", " + show(d) +
                                 ", is outside the window of " + bytes_text(config.window) +
                                 " from " + bytes_text(config.window_base));
        if (d.bytes > flit_reach || d.base > flit_reach - d.bytes)
            refuse(given ? "ranges" : "window_base",
                   "the endpoint memory behind " + ports_of(e) + ", " + show(d) + ", ends above " +
                       bytes_text(flit_reach) + ", where addresses of a flit end: place it lower");
        for (std::size_t other = 0; other < i; ++other)
            if (ranges[other].decoder.overlaps(d))
                refuse(blamed, "the range of " + ports_of(e) + ", " + show(d) +
                                   ", overlaps that of " + ports_of(ranges[other]) + ", " +
                                   show(ranges[other].decoder));
        next = d.base + d.bytes;
    }
    for (std::size_t p = 0; p < uses.size(); ++p)
        if (uses[p] != 1)
            refuse(blamed, "port " + std::to_string(p) +
                               (uses[p] ? " is in more than one range"
                                        : " is in no range: the memory behind it is unmapped"));
}

HdmDecoder AddressPlan::of_port(std::uint32_t port) const {
    for (const HdmEntry& e : ranges)
        for (std::uint32_t w = 0; w < e.decoder.ways; ++w)
            if (e.targets[w] == port) {
                HdmDecoder d = e.decoder;
                d.position = w;
                return d;
            }
    return {};
}

std::uint64_t AddressPlan::bytes() const {
    std::uint64_t all = 0;
    for (const HdmEntry& e : ranges) all += e.decoder.bytes;
    return all;
}

std::uint64_t AddressPlan::end() const {
    std::uint64_t last = 0;
    for (const HdmEntry& e : ranges) last = std::max(last, e.decoder.base + e.decoder.bytes);
    return last;
}

} // namespace memsim::cxl
