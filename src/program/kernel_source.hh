#pragma once

#include "core/kernel/contents.hh"
#include "core/state/archive.hh"
#include "program/warp_stream.hh"

#include <array>
#include <string>
#include <vector>

/// What a dispatcher asks of an application: launches, and for each block its warps' streams.
namespace memsim::program {

/// One kernel launch: what occupancy needs, and nothing of what the kernel does.
struct Launch {
    std::string kernel;
    std::array<u32, 3> grid {1, 1, 1};
    std::array<u32, 3> block {1, 1, 1};
    u32 registers_per_thread = 0;
    u32 shared_bytes = 0; ///< of a block

    u32 blocks() const { return grid[0] * grid[1] * grid[2]; }
    u32 threads_per_block() const { return block[0] * block[1] * block[2]; }
    u32 warps_per_block() const { return (threads_per_block() + warp_lanes - 1) / warp_lanes; }
};

/// All that one block does: a stream for each of its warps, ending with exit.
struct BlockStreams {
    bool with_values = false; ///< asked for by the caller: stores and atomics carry values
    std::vector<std::vector<u8>> warps;
    StreamCounts counts;
};

static_assert(checkpointable<Launch>() && checkpointable<BlockStreams>() &&
              checkpointable<WarpOp>());

/// A named piece of device memory, for placing pages and for reading a run's report.
struct Allocation {
    std::string name;
    u64 base = 0;
    u64 bytes = 0;
};

/// A piece of an application's functional memory.
struct MemoryView {
    u64 base = 0; ///< address of its first byte: a multiple of a sector
    u64 bytes = 0;
    const u8* data = nullptr; ///< up to the end of its last sector
    bool read_only = false;   ///< no kernel and no host ever writes it
};

/// What the host wrote between two launches into one sector.
struct HostWrite {
    u64 address = 0;
    SectorBytes data;
};

/// An application as a function, apart from all timing. Blocks must be run in linear order and to
/// the last one of a launch before the next launch is asked for; so what warps do does not depend
/// on the timing. Those of a workload::Application may be run in any fixed order, each once. Each
/// application has its own addresses, from 0 to footprint_bytes().
class KernelSource {
  public:
    virtual ~KernelSource() = default;

    /// False when the application has ended.
    virtual bool next_launch(Launch& launch) = 0;
    /// Runs block `block` of the launch to its end and writes its streams; buffers are reused.
    virtual void run_block(u32 block, BlockStreams& out) = 0;

    /// CUDA streams: launches of one follow each other, launches of several run concurrently in one
    /// memory.
    virtual u32 streams() const { return 1; }
    /// Where the launches of one of them come from, and their blocks; all else is the
    /// application's.
    virtual KernelSource& stream(u32) { return *this; }

    /// The functional memory as it stands; empty of an application that has no values, such as a
    /// trace of addresses.
    virtual std::vector<MemoryView> memory() const { return {}; }
    /// Asks it to note from now on what the host writes in next_launch().
    virtual void note_host_writes() {}
    /// What it has noted, each write once.
    virtual std::vector<HostWrite> take_host_writes() { return {}; }

    virtual u64 footprint_bytes() const = 0;
    virtual const std::vector<Allocation>& allocations() const = 0;
    /// The files that it reads.
    virtual std::vector<std::string> inputs() const { return {}; }
    /// Of local memory for each thread; 0 if no stream accesses any.
    virtual u64 local_bytes() const { return 0; }
    /// Local memory takes so much at the end of its addresses from now on.
    virtual void reserve_local(u64) {}
    /// A hash of what the application computed: equal on any platform.
    virtual u64 result_digest() const = 0;

    /// The functional state. Read-only inputs are not part of it: load() compares their hash.
    virtual void save(Saver& to) const = 0;
    virtual void load(Loader& from) = 0;
};

} // namespace memsim::program
