#pragma once

#include "cmd/controller/block_memory.hh"
#include "cmd/controller/jobs.hh"
#include "cmd/controller/placement.hh"
#include "cmd/tables/store_order.hh"

namespace memsim::cmd {

/// Functional reads and writes by the host. Host writes bypass deduplication. A block that alone
/// uses its own place stays there. Otherwise it returns to its own place with all sectors, as if
/// never written back, or, if that place holds other blocks' data, moves to a donor's place. A
/// part.
class HostAccess {
  public:
    HostAccess(Placement& placement, Packing& packing, BlockMemory& memory, Jobs& jobs,
               StoreOrder& order)
        : placement_(placement), packing_(packing), memory_(memory), jobs_(jobs), order_(order) {}

    /// Includes writes that are not complete.
    void read(std::uint32_t block, std::uint64_t sector, SectorBytes& to);
    void write(std::uint32_t block, std::uint64_t sector, const SectorBytes& data);

  private:
    void held(std::uint32_t block, std::uint32_t sector, SectorBytes& to);
    std::uint32_t free_place(std::uint32_t block);

    Placement& placement_;
    Packing& packing_;
    BlockMemory& memory_;
    Jobs& jobs_;
    StoreOrder& order_;
};

} // namespace memsim::cmd
