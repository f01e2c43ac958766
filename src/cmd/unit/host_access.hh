#pragma once

#include "cmd/tables/store_order.hh"
#include "cmd/unit/block_memory.hh"
#include "cmd/unit/jobs.hh"
#include "cmd/unit/placement.hh"

namespace memsim::cmd {

/// Looks and copies of the host, without time. What the host writes does not pass the
/// deduplication: a block that has its own place for itself stays there; else it comes home with
/// all its sectors, as one that was never written back, or, where its own place is others', goes to
/// a donor. A part.
class HostAccess {
  public:
    HostAccess(Placement& placement, Packing& packing, BlockMemory& memory, Jobs& jobs,
               StoreOrder& order)
        : placement_(placement), packing_(packing), memory_(memory), jobs_(jobs), order_(order) {}

    /// Sees writes that are not done, too.
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
