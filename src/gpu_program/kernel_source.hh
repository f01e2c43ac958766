#pragma once

#include "core/kernel/contents.hh"
#include "core/state/archive.hh"
#include "gpu_program/warp_stream.hh"

#include <array>
#include <string>
#include <vector>

/// The interface of an application to the dispatcher: launches, and the warps' streams of each
/// block.
namespace memsim::gpu_program {

/// One kernel launch: the data needed for occupancy, without the kernel itself.
struct Launch {
    std::string kernel;
    std::array<u32, 3> grid {1, 1, 1};
    std::array<u32, 3> block {1, 1, 1};
    u32 registers_per_thread = 0;
    u32 shared_bytes = 0; ///< per block

    u32 blocks() const { return grid[0] * grid[1] * grid[2]; }
    u32 threads_per_block() const { return block[0] * block[1] * block[2]; }
    u32 warps_per_block() const { return (threads_per_block() + warp_lanes - 1) / warp_lanes; }
};

/// The execution of one block: a stream for each of its warps, ending with exit.
struct BlockStreams {
    bool with_values = false; ///< set by the caller: stores and atomics carry values
    std::vector<std::vector<u8>> warps;
    StreamCounts counts;
};

static_assert(checkpointable<Launch>() && checkpointable<BlockStreams>() &&
              checkpointable<WarpOp>());

/// A named range of device memory, for the placement of pages and the report of a run.
struct Allocation {
    std::string name;
    u64 base = 0;
    u64 bytes = 0;
};

/// A range of an application's functional memory.
struct MemoryView {
    u64 base = 0; ///< address of its first byte; aligned to a sector
    u64 bytes = 0;
    const u8* data = nullptr; ///< valid up to the end of the last sector
    bool read_only = false;   ///< never written by a kernel or the host
};

/// A host write between two launches, within one sector.
struct HostWrite {
    u64 address = 0;
    SectorBytes data;
};

/// An application as a function, independent of all timing. Blocks must be run in linear order, and
/// all blocks of a launch before the next launch is requested; the behaviour of warps then does not
/// depend on timing. Blocks of a workload::Application may be run in any fixed order, each once.
/// Each application has its own addresses, from 0 to footprint_bytes().
class KernelSource {
  public:
    virtual ~KernelSource() = default;

    /// Returns false when the application has ended.
    virtual bool next_launch(Launch& launch) = 0;
    /// Runs block `block` of the launch to its end and writes its streams. Buffers are reused.
    virtual void run_block(u32 block, BlockStreams& out) = 0;

    /// CUDA streams: launches of one stream are sequential; launches of different streams run
    /// concurrently in one memory.
    virtual u32 streams() const { return 1; }
    /// The source of one stream's launches and their blocks; all other functions are the
    /// application's.
    virtual KernelSource& stream(u32) { return *this; }

    /// The current functional memory; empty for an application without values, such as a trace of
    /// addresses.
    virtual std::vector<MemoryView> memory() const { return {}; }
    /// Records the host's writes in next_launch() from now on.
    virtual void note_host_writes() {}
    /// Returns the recorded writes, each once.
    virtual std::vector<HostWrite> take_host_writes() { return {}; }

    virtual u64 footprint_bytes() const = 0;
    virtual const std::vector<Allocation>& allocations() const = 0;
    /// The files that the application reads.
    virtual std::vector<std::string> inputs() const { return {}; }
    /// Bytes of local memory per thread; 0 if no stream accesses any.
    virtual u64 local_bytes() const { return 0; }
    /// Reserves this amount of local memory at the end of the addresses.
    virtual void reserve_local(u64) {}
    /// A hash of the application's results: equal on all platforms.
    virtual u64 result_digest() const = 0;

    /// The functional state. Read-only inputs are not included: load() compares their hash.
    virtual void save(Saver& to) const = 0;
    virtual void load(Loader& from) = 0;
};

} // namespace memsim::gpu_program
