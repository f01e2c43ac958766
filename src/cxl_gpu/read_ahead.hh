#pragma once

#include "core/kernel/policy.hh"

#include <cstdint>
#include <span>

namespace memsim::cxl_gpu {

/// What one speculative read (MemSpecRd) names. The paper's format has an offset in units of 256
/// bytes and two bits of length: 1 to 4 units.
struct SpecRead {
    static constexpr std::uint32_t unit = 256, most_units = 4;

    std::uint64_t address = 0;
    std::uint32_t bytes = 0;

    static std::uint64_t unit_of(std::uint64_t address) { return address / unit * unit; }
};

/// The addresses of other requests: those in the memory queue came before, those in the queue of
/// speculative reads are still to come.
struct Neighbours {
    std::span<const std::uint64_t> prior, upcoming;
};

/// Which bytes a root port asks its endpoint to read ahead for a load: none, naive, fixed, dynamic,
/// window (src/cxl_gpu/read_ahead/), or a policy of your own.
class ReadAhead : public PolicyBase {
  public:
    static constexpr std::string_view family = "speculative read";

    /// False: there are none, and loads go into the memory queue at once.
    virtual bool speculates() const { return true; }
    /// For each load there is one, also where an earlier one has its address.
    virtual bool blind() const { return false; }
    /// Whether the endpoint's load sets the granularity, halts speculative reads and shortens their
    /// queue.
    virtual bool heeds_load() const { return false; }
    /// Whether window() looks at the neighbours: else they are not gathered.
    virtual bool looks_around() const { return false; }
    /// For a load of this address. It has the unit of the address.
    virtual SpecRead window(std::uint64_t address, std::uint32_t granularity,
                            const Neighbours& neighbours) const = 0;
};

} // namespace memsim::cxl_gpu
