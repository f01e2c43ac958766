#include "flash/ftl/geometry.hh"

namespace memsim::flash {

std::vector<std::uint32_t> plane_order(const std::string& order, const Geometry& g) {
    struct Digit {
        std::uint32_t radix, weight;
    };
    std::vector<Digit> digits;
    std::string seen;
    for (char c : order) {
        if (seen.find(c) != std::string::npos)
            throw ConfigError("'" + order + "' names '" + std::string(1, c) + "' twice");
        seen += c;
        if (c == 'C')
            digits.push_back({g.channels, g.packages * g.dies * g.planes});
        else if (c == 'W')
            digits.push_back({g.packages, g.dies * g.planes});
        else if (c == 'D')
            digits.push_back({g.dies, g.planes});
        else if (c == 'P')
            digits.push_back({g.planes, 1});
        else
            throw ConfigError("'" + order + "' has a '" + std::string(1, c) +
                              "': the letters are C (channel), W (way), D (die) and P (plane), as "
                              "in 'CWDP'");
    }
    if (digits.size() != 4)
        throw ConfigError("'" + order +
                          "' does not cover the drive: name C, W, D and P, as in 'CWDP'");
    std::vector<std::uint32_t> planes(g.all_planes());
    for (std::uint32_t i = 0; i < planes.size(); ++i) {
        std::uint32_t rest = i;
        for (const Digit& d : digits) {
            planes[i] += rest % d.radix * d.weight;
            rest /= d.radix;
        }
    }
    return planes;
}

} // namespace memsim::flash
