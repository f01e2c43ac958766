#pragma once

#include "core/kernel/component.hh"

#include <optional>
#include <string>
#include <vector>

/// Properties of the memory requests on a connection, known when ports are bound. The sending
/// component provides them, and the receiving component reads them in init().
namespace memsim::protocol {

/// Addresses distributed in chunks of `chunk` bytes over `ways` connections in turn: those of
/// connection `index`. With one way: all addresses.
struct AddressShare {
    std::uint64_t chunk = 1;
    std::uint32_t ways = 1, index = 0;
    const Component* dealt_by = nullptr; ///< the crossbar that distributes them

    bool same(const AddressShare& other) const {
        return ways == other.ways && (ways == 1 || (chunk == other.chunk && index == other.index));
    }
    std::string text() const; ///< 'part 1 of 6 in chunks of 256B'
};

struct Traffic {
    std::optional<AddressShare> share; ///< none: unknown
    std::uint64_t block = 0;           ///< largest aligned block that a request may span
    const Component* sender = nullptr; ///< sender of requests that span it
    std::uint32_t sources = 0; ///< requesters that a crossbar numbers by `source`; 0: unknown
};

/// Implemented by components that know the requests that they send or forward.
class StatesTraffic {
  public:
    static constexpr bool constant = true;
    virtual ~StatesTraffic() = default;
    /// The traffic of a requesting port of the component. Available before init(), because it
    /// follows from parameters and connections. `hops`: number of components through which the
    /// query may still be passed.
    virtual Traffic traffic(const PortBase& mine, unsigned hops) const = 0;

    static constexpr unsigned most_hops = 16; ///< ends the query in a ring of components
};

/// Implemented by components that serve a share of the addresses, for senders of hints.
class HasAddressShare {
  public:
    static constexpr bool constant = true;
    virtual ~HasAddressShare() = default;
    /// Available before init(); none if unknown.
    virtual std::optional<AddressShare> share() const = 0;
};

/// The traffic at a responding port of a component.
Traffic traffic_to(const PortBase& mine, unsigned hops = StatesTraffic::most_hops);

/// The traffic that a crossbar sends through output `own.index`, given the traffic of its inputs.
/// An input with unknown traffic may send any address.
Traffic dealt(const std::vector<Traffic>& inputs, const AddressShare& own);

/// A share given by parameters: 0 ways, a chunk of 0 bytes and an index of `no_index` are not
/// given.
struct StatedShare {
    static constexpr std::uint32_t no_index = ~std::uint32_t {0};
    std::uint32_t ways = 0;
    std::uint64_t chunk = 0;
    std::uint32_t index = no_index;
    /// Names of the parameters.
    const char *ways_param, *chunk_param, *index_param;
};
/// The share of a component: that of the connection to its port, with which its parameters must
/// agree; if the connection has none, that of the parameters.
std::optional<AddressShare> agreed_share(const PortBase& mine, const StatedShare& stated);

/// Refuses a connection whose chunks split `bytes` aligned bytes that the component holds as a
/// whole; `param`: the parameter that defines them.
void check_chunk(const PortBase& mine, std::uint64_t bytes, const std::string& param);

/// Refuses a connection that deals addresses in turn to a component that expects a hash; `param`:
/// the parameter of the hash.
void check_hash(const PortBase& mine, const std::string& param);

/// Refuses a connection whose requests may span more than `block` bytes; `param`: the parameter
/// that defines them.
void check_block(const PortBase& mine, std::uint64_t block, const std::string& param);

} // namespace memsim::protocol
