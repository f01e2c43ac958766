#pragma once

#include "cxl/hdm/capability.hh"

#include <functional>

namespace memsim::cxl {

/// The assignment of host addresses to the memories of endpoints, as decided by firmware from their
/// sizes.
struct AddressPlan {
    struct Config {
        std::uint64_t window_base = 0, window = 0; ///< address window of the host bridge
        std::uint32_t ways = 1;                    ///< ports of an interleave set
        std::uint32_t granularity = 256;
        std::string ranges {}; ///< first address, granularity and ports of each; empty: consecutive
    };
    using Refuse = std::function<void(const char* parameter, const std::string& sentence)>;

    std::vector<HdmEntry> ranges; ///< values for the bridge's decoders

    /// `sizes`: bytes behind each port. Calls refuse(parameter, sentence), which throws, for
    /// invalid plans: overlapping ranges, a port without a range, more memory than the window.
    AddressPlan(const Config& config, const std::vector<std::uint64_t>& sizes,
                const Refuse& refuse);

    /// The value for the decoder of the endpoint behind a port.
    HdmDecoder of_port(std::uint32_t port) const;
    std::uint64_t bytes() const;
    std::uint64_t end() const; ///< first address after the ranges
};

/// Implemented by firmware, which knows its plan before the run. Functional accesses before the
/// decoders are programmed (such as loading a program's image) use the planned addresses.
class PlansAddresses {
  public:
    static constexpr bool constant = true;
    virtual ~PlansAddresses() = default;
    virtual const AddressPlan& plan() const = 0;
    /// The number of the host bridge's port behind which the endpoint at `mine` is located.
    virtual std::uint32_t port_of(const PortBase& mine) const = 0;
};

/// The properties of the host bridge that firmware needs.
class HasRootPorts {
  public:
    static constexpr bool constant = true;
    virtual ~HasRootPorts() = default;
    virtual unsigned root_ports() const = 0;
    virtual unsigned hdm_decoders() const = 0;
};

/// The property of the device behind a root port that firmware needs.
class HasCapacity {
  public:
    static constexpr bool constant = true;
    virtual ~HasCapacity() = default;
    virtual std::uint64_t capacity() const = 0; ///< bytes
};

} // namespace memsim::cxl
