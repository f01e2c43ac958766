#pragma once

#include "core/kernel/policy.hh"

#include <cstdint>
#include <span>

namespace memsim::cxl_gpu {

/// The range of a speculative read (MemSpecRd). The paper's format has an offset in units of 256
/// bytes and two bits of length: 1 to 4 units. CXL's own announces one line.
struct SpecRead {
    static constexpr std::uint32_t unit = 256, most_units = 4, line = 64;

    std::uint64_t address = 0;
    std::uint32_t bytes = 0;

    static std::uint64_t unit_of(std::uint64_t address) { return address / unit * unit; }
};

/// The addresses of other requests: `prior` in the memory queue, `upcoming` in the queue of
/// speculative reads.
struct Neighbours {
    std::span<const std::uint64_t> prior, upcoming;
};

/// The policy that chooses the bytes that an endpoint reads ahead for a load: none, naive, fixed,
/// dynamic, window (src/cxl_gpu/read_ahead/), or a user's policy.
class ReadAhead : public PolicyBase {
  public:
    static constexpr std::string_view family = "speculative read";

    /// False: no speculative reads; loads enter the memory queue directly.
    virtual bool speculates() const { return true; }
    /// Whether every load causes a speculative read, even if its address was read ahead.
    virtual bool blind() const { return false; }
    /// Whether the endpoint's load sets the granularity, stops speculative reads and shortens their
    /// queue.
    virtual bool heeds_load() const { return false; }
    /// Whether window() uses the neighbours; otherwise they are not collected.
    virtual bool looks_around() const { return false; }
    /// The range for a load from this line. It must contain the line.
    virtual SpecRead window(std::uint64_t address, std::uint32_t granularity,
                            const Neighbours& neighbours) const = 0;
};

} // namespace memsim::cxl_gpu
