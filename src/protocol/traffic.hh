#pragma once

#include "core/kernel/component.hh"

#include <optional>
#include <string>
#include <vector>

/// What is known of the memory requests of a connection once ports are bound: a property of the
/// connection, which the sending component states and the receiving component reads in init().
namespace memsim::protocol {

/// Addresses in chunks of `chunk` bytes that are dealt out in turn over `ways` connections: those
/// of connection `index`. With one way they are all addresses.
struct AddressShare {
    std::uint64_t chunk = 1;
    std::uint32_t ways = 1, index = 0;
    const Component* dealt_by = nullptr; ///< the crossbar that the connection comes from

    bool same(const AddressShare& other) const {
        return ways == other.ways && (ways == 1 || (chunk == other.chunk && index == other.index));
    }
    std::string text() const; ///< 'part 1 of 6 in chunks of 256B'
};

struct Traffic {
    std::optional<AddressShare> share; ///< none: not known
    std::uint64_t block = 0; ///< the largest aligned block that a request is known to span
    const Component* sender = nullptr; ///< of requests that span it
};

/// Implemented by components that know the requests which they send or pass on.
class StatesTraffic {
  public:
    virtual ~StatesTraffic() = default;
    /// Of a requesting port of the component. Known before init(): it follows from parameters and
    /// connections. `hops`: components that the question may still be passed through.
    virtual Traffic traffic(const PortBase& mine, unsigned hops) const = 0;

    static constexpr unsigned most_hops = 16; ///< a ring of components ends there
};

/// Implemented by components that see a share of the addresses, for those that send them hints.
class HasAddressShare {
  public:
    virtual ~HasAddressShare() = default;
    /// Known before init(); none: not known.
    virtual std::optional<AddressShare> share() const = 0;
};

/// What comes to a responding port of a component.
Traffic traffic_to(const PortBase& mine, unsigned hops = StatesTraffic::most_hops);

/// What a crossbar sends by the output `own.index`, of what comes to its inputs. An input of which
/// nothing is known may bring any address.
Traffic dealt(const std::vector<Traffic>& inputs, const AddressShare& own);

/// A share as parameters state it: 0 ways or a chunk of 0 bytes are not stated, nor is an index of
/// `no_index`.
struct StatedShare {
    static constexpr std::uint32_t no_index = ~std::uint32_t {0};
    std::uint32_t ways = 0;
    std::uint64_t chunk = 0;
    std::uint32_t index = no_index;
    /// Names of the parameters.
    const char *ways_param, *chunk_param, *index_param;
};
/// The share of a component: that of the connection to its port, which what its parameters state
/// must not contradict; where the connection has none, what they state.
std::optional<AddressShare> agreed_share(const PortBase& mine, const StatedShare& stated);

/// Refuses a connection whose addresses are dealt out in chunks that split `bytes` aligned bytes,
/// which the component holds as a whole; `param` says how many.
void check_chunk(const PortBase& mine, std::uint64_t bytes, const std::string& param);

/// Refuses a connection whose requests may span more than `block` bytes; `param` says how many.
void check_block(const PortBase& mine, std::uint64_t block, const std::string& param);

} // namespace memsim::protocol
