#include "gpu/dispatch/partition.hh"

#include "core/base/text.hh"

namespace memsim::gpu {

namespace {

[[noreturn]] void refuse(const std::string& path, const char* parameter, const std::string& why) {
    throw ConfigError(path + "." + parameter + ": " + why);
}

} // namespace

std::vector<SmRange> split_sms(const PartitionParams& p, std::uint32_t sms,
                               const std::string& path) {
    const unsigned n = p.applications();
    if (p.partition() == Partition::shared) {
        if (!p.sm_split->empty())
            refuse(path, "sm_split",
                   "applications that share all SMs have no SMs of their own: leave it empty, or "
                   "set partition='spatial'");
        return std::vector<SmRange>(n, {0, sms});
    }
    std::vector<std::uint64_t> split;
    for (const std::string_view part : elements_of(p.sm_split())) {
        try {
            split.push_back(Text<unsigned>::parse(part));
        } catch (const ConfigError& e) {
            refuse(path, "sm_split", e.what());
        }
        if (split.back() == 0) refuse(path, "sm_split", "each application needs at least one SM");
    }
    if (split.empty()) {
        if (n > sms)
            refuse(path, "sms",
                   std::to_string(n) + " applications need one SM each, but there are " +
                       std::to_string(sms) + ": use more SMs, or partition='shared'");
        for (unsigned i = 0; i < n; ++i) split.push_back(sms / n + (i < sms % n));
    }
    std::uint64_t sum = 0;
    for (std::uint64_t s : split) sum += s;
    if (split.size() != n || sum != sms)
        refuse(path, "sm_split",
               "'" + p.sm_split() + "' is for " + std::to_string(split.size()) +
                   " applications and " + std::to_string(sum) + " SMs, but there are " +
                   std::to_string(n) + " and " + std::to_string(sms));
    std::vector<SmRange> ranges;
    std::uint32_t sm = 0;
    for (const std::uint64_t s : split) {
        ranges.push_back({sm, sm + static_cast<std::uint32_t>(s)});
        sm = ranges.back().end;
    }
    return ranges;
}

std::vector<std::uint64_t> place_applications(const AddressParams& p,
                                              const std::vector<std::uint64_t>& footprints,
                                              const std::string& path) {
    const std::vector<std::string_view> given = elements_of(p.bases());
    if (p.translated()) {
        if (!given.empty()) refuse(path, "bases", "an MMU places pages: leave it empty");
        return std::vector<std::uint64_t>(footprints.size(), 0);
    }
    if (!given.empty() && given.size() != footprints.size())
        refuse(path, "bases",
               "'" + p.bases() + "' has " + std::to_string(given.size()) + " addresses for " +
                   std::to_string(footprints.size()) + " applications");
    const auto step = static_cast<std::uint64_t>(p.base_alignment->raw);
    std::vector<std::uint64_t> bases;
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < footprints.size(); ++i) {
        bases.push_back(next);
        if (!given.empty()) try {
                bases.back() = parse_bytes(given[i]);
            } catch (const ConfigError& e) {
                refuse(path, "bases", e.what());
            }
        next = (bases.back() + footprints[i] + step - 1) / step * step;
    }
    return bases;
}

} // namespace memsim::gpu
