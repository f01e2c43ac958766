#pragma once

#include "device_parts/hashed_interleave/hashed_interleave.hh"
#include "flash/hbf/params.hh"
#include "protocol/traffic.hh"

#include <optional>

namespace memsim::flash {

/// The interleaving of addresses over stacks: from the connection of the stack's port, or from its
/// parameters. Nothing if the stack has all addresses.
inline std::optional<device_parts::HashedInterleave> interleave_of(const HbfShare& s,
                                                                   const PortBase& port) {
    const auto refuse = [&](const char* parameter, const std::string& why) {
        throw ConfigError(port.owner().path() + "." + parameter + ": " + why);
    };
    const std::uint32_t ways = s.interleave_ways();
    if (s.interleave_index() >= std::max(1u, ways))
        refuse("interleave_index", s.interleave_index.text() + " is not below interleave_ways");
    if (ways > 1 && s.interleave_granularity->raw == 0)
        refuse("interleave_granularity", "is 0B: give the chunk that lies in one of the stacks");
    const auto share = protocol::agreed_share(
        port, {ways, static_cast<std::uint64_t>(s.interleave_granularity->raw),
               ways ? s.interleave_index() : protocol::StatedShare::no_index, "interleave_ways",
               "interleave_granularity", "interleave_index"});
    if (s.hash_rounds() && !ways)
        refuse("hash_rounds", "the stacks that a hash selects are not known from the connection: "
                              "give interleave_ways and interleave_granularity, too");
    if (!share || share->ways == 1) return {};
    if (s.hash_rounds()) protocol::check_hash(port, "hash_rounds");
    return device_parts::HashedInterleave(share->chunk, share->ways, s.hash_rounds());
}

/// Refuses an address that belongs to another stack, if parameters state the share of this one.
inline void check_own(const HbfShare& s, const device_parts::HashedInterleave& dealt,
                      std::uint64_t address, const Component& stack) {
    const std::uint32_t way = s.interleave_ways() > 1 ? dealt.way(address) : s.interleave_index();
    if (way != s.interleave_index())
        throw ConfigError(stack.path() + ".interleave_index: address " + std::to_string(address) +
                          " belongs to stack " + std::to_string(way) +
                          ": the component that spreads the requests must use the same share");
}

} // namespace memsim::flash
