#pragma once

#include "cxl/hdm/capability.hh"

#include <functional>

namespace memsim::cxl {

/// Which host addresses the memories of endpoints get, as firmware decides it from their sizes.
struct AddressPlan {
    struct Config {
        std::uint64_t window_base = 0, window = 0; ///< the addresses that the host bridge has
        std::uint32_t ways = 1;                    ///< ports of an interleave set
        std::uint32_t granularity = 256;
        std::string
            ranges {}; ///< first address, granularity and ports of each; empty: side by side
    };
    using Refuse = std::function<void(const char* parameter, const std::string& sentence)>;

    std::vector<HdmEntry> ranges; ///< what the bridge's decoders are to say

    /// `sizes`: bytes behind each port. Calls refuse(parameter, sentence), which throws, for what
    /// cannot be: ranges that overlap, a port without one, more than the window holds.
    AddressPlan(const Config& config, const std::vector<std::uint64_t>& sizes,
                const Refuse& refuse);

    /// What the decoder of the endpoint behind a port is to say.
    HdmDecoder of_port(std::uint32_t port) const;
    std::uint64_t bytes() const;
    std::uint64_t end() const; ///< behind the last address
};

/// Implemented by firmware, which knows its plan before the run: an untimed look at a machine whose
/// decoders are not programmed yet (a program's image is copied in) goes where they will say.
class PlansAddresses {
  public:
    virtual ~PlansAddresses() = default;
    virtual const AddressPlan& plan() const = 0;
    /// The number of the port of the host bridge behind which the endpoint at `mine` stands.
    virtual std::uint32_t port_of(const PortBase& mine) const = 0;
};

/// What firmware asks of the host bridge.
class HasRootPorts {
  public:
    virtual ~HasRootPorts() = default;
    virtual unsigned root_ports() const = 0;
    virtual unsigned hdm_decoders() const = 0;
};

/// What firmware asks of the device behind a root port.
class HasCapacity {
  public:
    virtual ~HasCapacity() = default;
    virtual std::uint64_t capacity() const = 0; ///< bytes
};

} // namespace memsim::cxl
