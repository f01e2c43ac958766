#include "mem/crossbar/shared_links.hh"

#include "core/base/error.hh"
#include "core/base/text.hh"

#include <sstream>

namespace memsim::mem {

namespace {

std::int64_t rate_of(const std::string& text) {
    return Text<Fraction>::parse(text).raw / (Fraction {1'000'000'000}.raw / GroupLevel::port);
}

GroupLevel level_of(const std::string& text) {
    std::istringstream words(text);
    std::string members, requests, responses, more;
    if (!(words >> members >> requests >> responses) || words >> more)
        throw ConfigError("'" + text +
                          "' is not the number of requesters and two rates, such as "
                          "'2 1.5 2'");
    const GroupLevel level {Text<unsigned>::parse(members), rate_of(requests), rate_of(responses)};
    if (level.members == 0 || level.requests <= 0 || level.responses <= 0)
        throw ConfigError("'" + text + "' has no requester, or a link without a rate");
    return level;
}

unsigned groups(const GroupLevel& level, unsigned requesters) {
    return (requesters + level.members - 1) / level.members;
}

} // namespace

std::vector<GroupLevel> group_levels(std::string_view text) {
    std::vector<GroupLevel> all;
    for (const std::string_view one : elements_of(text)) {
        const GroupLevel level = level_of(std::string(one));
        if (!all.empty() && level.members % all.back().members)
            throw ConfigError("groups of " + std::to_string(level.members) +
                              " requesters do not consist of groups of " +
                              std::to_string(all.back().members));
        all.push_back(level);
    }
    return all;
}

SharedLinks::SharedLinks(const std::vector<GroupLevel>& levels, std::int64_t GroupLevel::*rate,
                         unsigned requesters, Use& use) {
    std::vector<const GroupLevel*> limiting;
    for (const GroupLevel& level : levels)
        if (level.limits(level.*rate)) limiting.push_back(&level);
    links_.resize(limiting.size() * requesters);
    for (std::size_t n = 0; n < limiting.size(); ++n) {
        const GroupLevel& level = *limiting[n];
        for (unsigned r = 0; r < requesters; ++r)
            links_[r * limiting.size() + n] =
                static_cast<std::uint32_t>(rates_.size()) + r / level.members;
        levels_.push_back(level.*rate);
        rates_.resize(rates_.size() + groups(level, requesters), level.*rate);
    }
    if (!any()) return;
    use.next.assign(rates_.size(), 0);
    use.delayed.assign(requesters, 0);
    use.waiting.reserve(requesters);
}

unsigned SharedLinks::count(const std::vector<GroupLevel>& levels, std::int64_t GroupLevel::*rate,
                            unsigned requesters) {
    unsigned links = 0;
    for (const GroupLevel& level : levels)
        if (level.limits(level.*rate)) links += groups(level, requesters);
    return links;
}

bool SharedLinks::sound(const Use& use) const {
    const auto valid = [&](std::uint32_t r) { return r < use.delayed.size() && use.delayed[r]; };
    const auto link = [&](std::uint32_t l) { return l <= rates_.size(); };
    const auto waiting = static_cast<std::ptrdiff_t>(use.waiting.size());
    return std::ranges::all_of(use.waiting, valid) && std::ranges::all_of(use.delayed, link) &&
           std::ranges::all_of(use.next, [](std::int64_t next) { return next >= 0; }) &&
           std::ranges::count_if(use.delayed, [](std::uint32_t l) { return l != 0; }) == waiting;
}

} // namespace memsim::mem
