#include "protocol/traffic.hh"

#include <algorithm>

namespace memsim::protocol {

namespace {

/// Intersects the addresses of `above` with `own`; adds no element if the intersection is empty.
/// Returns false if the result is not a share.
bool restrict_to(const AddressShare& own, const std::optional<AddressShare>& above,
                 std::vector<AddressShare>& parts) {
    if (own.ways == 1) {
        if (above) parts.push_back(*above);
        return above.has_value();
    }
    if (!above || above->ways == 1) return parts.push_back(own), true;
    if (above->chunk != own.chunk) return false;
    if (above->ways % own.ways == 0) {
        if (above->index % own.ways == own.index) parts.push_back(*above);
        return true;
    }
    if (own.ways % above->ways != 0) return false;
    if (own.index % above->ways == above->index) parts.push_back(own);
    return true;
}

/// Combines several shares into one.
std::optional<AddressShare> unite(const std::vector<AddressShare>& parts) {
    if (parts.empty()) return {};
    const std::uint64_t chunk = parts.front().chunk;
    const std::uint32_t ways = parts.front().ways;
    std::vector<std::uint32_t> indices;
    for (const AddressShare& p : parts) {
        if (p.ways == 1) return p;
        if (p.ways != ways || p.chunk != chunk) return {};
        indices.push_back(p.index);
    }
    std::ranges::sort(indices);
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    const auto n = static_cast<std::uint32_t>(indices.size());
    const std::uint32_t first = indices.front(), apart = ways / n;
    if (ways % n) return {};
    if (indices.back() - first == n - 1 && first % n == 0) // adjacent chunks form one
        return AddressShare {chunk * n, apart, first / n};
    for (const std::uint32_t i : indices)
        if (i % apart != first % apart) return {};
    return AddressShare {chunk, apart, first % apart};
}

} // namespace

std::string AddressShare::text() const {
    if (ways == 1) return "all addresses";
    return "part " + std::to_string(index) + " of " + std::to_string(ways) + " in chunks of " +
           bytes_text(chunk);
}

Traffic traffic_to(const PortBase& mine, unsigned hops) {
    const auto* sender = mine.peer() ? mine.find_interface<const StatesTraffic>() : nullptr;
    return sender && hops ? sender->traffic(*mine.peer(), hops - 1) : Traffic {};
}

Traffic dealt(const std::vector<Traffic>& inputs, const AddressShare& own) {
    Traffic out;
    std::vector<AddressShare> parts;
    bool known = true;
    for (const Traffic& in : inputs) {
        known = known && restrict_to(own, in.share, parts);
        if (in.block > out.block) out.block = in.block, out.sender = in.sender;
    }
    if (known) out.share = unite(parts);
    if (out.share) out.share->dealt_by = own.dealt_by;
    return out;
}

std::optional<AddressShare> agreed_share(const PortBase& mine, const StatedShare& stated) {
    const std::optional<AddressShare> known = traffic_to(mine).share;
    const std::uint32_t index = stated.index == StatedShare::no_index ? 0 : stated.index;
    if (!known) {
        if (stated.ways == 0) return {};
        return AddressShare {stated.chunk, stated.ways, index};
    }
    AddressShare own = *known;
    const char* wrong = nullptr;
    if (stated.index != StatedShare::no_index && known->ways > 1 && index != known->index)
        own.index = index, wrong = stated.index_param;
    if (stated.chunk && known->ways > 1 && stated.chunk != known->chunk)
        own.chunk = stated.chunk, wrong = stated.chunk_param;
    if (stated.ways && stated.ways != known->ways) {
        if (stated.chunk) own.chunk = stated.chunk;
        own.ways = stated.ways, own.index = index, wrong = stated.ways_param;
    }
    if (wrong)
        throw ConfigError(mine.owner().path() + "." + wrong + ": it states " + own.text() +
                          ", but " + known->dealt_by->path() + " sends it " + known->text() +
                          ": give both the same");
    return known;
}

void check_chunk(const PortBase& mine, std::uint64_t bytes, const std::string& param) {
    const auto known = traffic_to(mine).share;
    if (!known || known->ways == 1 || known->chunk % bytes == 0) return;
    throw ConfigError(mine.owner().path() + "." + param + ": it holds " + bytes_text(bytes) +
                      " as a whole, but " + known->dealt_by->path() + " sends it " + known->text() +
                      ": make the chunks a multiple");
}

void check_hash(const PortBase& mine, const std::string& param) {
    const auto known = traffic_to(mine).share;
    if (!known || known->ways == 1) return;
    throw ConfigError(mine.owner().path() + "." + param + ": " + known->dealt_by->path() +
                      " sends it " + known->text() + " in turn: give both the same");
}

void check_block(const PortBase& mine, std::uint64_t block, const std::string& param) {
    const Traffic traffic = traffic_to(mine);
    if (traffic.block <= block) return;
    throw ConfigError(mine.owner().path() + "." + param + ": a request must lie within " +
                      bytes_text(block) + ", but those of " + traffic.sender->path() +
                      " may span " + bytes_text(traffic.block) + ": give both the same line");
}

} // namespace memsim::protocol
