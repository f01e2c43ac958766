#pragma once

#include "cmd/detect/scheme.hh"
#include "cmd/tables/metadata.hh"
#include "cmd/tables/read_classes.hh"
#include "cmd/unit/host_access.hh"

#include <initializer_list>

namespace memsim::cmd {

/// Actions of reads and writes. Each of the first four takes time; a job takes its next step when
/// all its actions are complete.
class Actions {
  public:
    /// Looks up the entry of a block in a table's cache.
    virtual void look(std::uint32_t id, Table table, std::uint32_t block) = 0;
    virtual void wait(std::uint32_t id, unsigned cycles) = 0;
    /// Passes this many sectors through the hash unit.
    virtual void hash(std::uint32_t id, std::uint32_t sectors) = 0;
    /// Reads sectors of a place. Increments `counter` if memory is accessed.
    virtual void fetch(std::uint32_t id, std::uint32_t place, std::uint32_t sectors,
                       Counter& counter) = 0;
    /// Records a change of a block's table entries and, if any, of a place that became free.
    virtual void change(Placement::Freed freed, std::uint32_t block,
                        std::initializer_list<Table> changed) = 0;
    virtual void begin(std::uint32_t id) = 0; ///< starts a job without a request
    virtual void
    finish(std::uint32_t id) = 0; ///< completes a job and answers its request if needed

  protected:
    ~Actions() = default;
};

/// Objects that reads and writes share.
struct Shared {
    const Scheme& scheme;
    Placement& placement;
    Packing& packing;
    BlockMemory& memory;
    Jobs& jobs;
    Actions& act;
};

} // namespace memsim::cmd
