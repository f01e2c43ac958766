#pragma once

#include "cmd/detect/scheme.hh"
#include "cmd/tables/metadata.hh"
#include "cmd/tables/read_classes.hh"
#include "cmd/unit/host_access.hh"

#include <initializer_list>

namespace memsim::cmd {

/// What a read or a write does on its way. Each of the first four takes time: the job takes its
/// next step when all of them are done.
class Actions {
  public:
    /// Into the cache of a table, for the entry of a block.
    virtual void look(std::uint32_t id, Table table, std::uint32_t block) = 0;
    virtual void wait(std::uint32_t id, unsigned cycles) = 0;
    /// So many sectors pass the hash unit.
    virtual void hash(std::uint32_t id, std::uint32_t sectors) = 0;
    /// Reads sectors of a place; `counter` counts it if memory is asked.
    virtual void fetch(std::uint32_t id, std::uint32_t place, std::uint32_t sectors,
                       Counter& counter) = 0;
    /// The tables say something else of a block, and of a place that may be lent again.
    virtual void change(Placement::Freed freed, std::uint32_t block,
                        std::initializer_list<Table> changed) = 0;
    virtual void begin(std::uint32_t id) = 0;  ///< a job that nothing came for
    virtual void finish(std::uint32_t id) = 0; ///< it is done, and is answered if it is to be

  protected:
    ~Actions() = default;
};

/// What reads and writes share.
struct Shared {
    const Scheme& scheme;
    Placement& placement;
    Packing& packing;
    BlockMemory& memory;
    Jobs& jobs;
    Actions& act;
};

} // namespace memsim::cmd
