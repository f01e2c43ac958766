#include "mem/read_ahead/arrays.hh"

#include "core/base/text.hh"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace memsim::mem {

namespace {

AheadArray array_of(const std::string& text, std::uint32_t group, std::uint64_t line) {
    std::istringstream words(text);
    std::string base, bytes, signal, more;
    if (!(words >> base >> bytes) || (words >> signal && words >> more))
        throw ConfigError("'" + text +
                          "' is not a first address and a size, such as '0B 4KiB', perhaps with "
                          "the number of a signal");
    AheadArray array {.base = parse_bytes(base), .bytes = parse_bytes(bytes), .group = group};
    if (!signal.empty()) array.signal = Text<std::uint32_t>::parse(signal);
    if (array.bytes == 0 || array.base % line || array.bytes % line)
        throw ConfigError("'" + text + "' does not consist of whole lines");
    return array;
}

} // namespace

AheadArrays::AheadArrays(const std::string& text, std::uint64_t line) {
    for (const std::string_view group : elements_of(text, ';')) {
        for (const std::string_view one : elements_of(group))
            all_.push_back(array_of(std::string(one), groups_, line));
        if (all_.empty() || all_.back().group != groups_)
            throw ConfigError("group " + std::to_string(groups_) + " has no array");
        ++groups_;
    }
    sort_by_address();
}

void AheadArrays::sort_by_address() {
    by_address_.resize(all_.size());
    std::iota(by_address_.begin(), by_address_.end(), 0u);
    std::sort(by_address_.begin(), by_address_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return all_[a].base < all_[b].base; });
    for (std::size_t i = 1; i < by_address_.size(); ++i)
        if (all_[by_address_[i - 1]].end() > all_[by_address_[i]].base)
            throw ConfigError("two arrays overlap at address " +
                              std::to_string(all_[by_address_[i]].base));
}

std::uint32_t AheadArrays::find(std::uint64_t address) const {
    const auto after = std::upper_bound(
        by_address_.begin(), by_address_.end(), address,
        [this](std::uint64_t a, std::uint32_t array) { return a < all_[array].base; });
    if (after == by_address_.begin() || address >= all_[*(after - 1)].end()) return none;
    return *(after - 1);
}

std::uint32_t AheadArrays::overlapping(std::uint64_t begin, std::uint64_t end) const {
    for (std::uint32_t a = 0; a < size(); ++a)
        if (all_[a].base < end && begin < all_[a].end()) return a;
    return none;
}

std::uint32_t AheadArrays::first(std::uint32_t group) const {
    const auto at =
        std::lower_bound(all_.begin(), all_.end(), group,
                         [](const AheadArray& array, std::uint32_t g) { return array.group < g; });
    return static_cast<std::uint32_t>(at - all_.begin());
}

} // namespace memsim::mem
