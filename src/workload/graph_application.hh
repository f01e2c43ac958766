#pragma once

#include "workload/csr.hh"
#include "workload/simt.hh"

namespace memsim::workload {

/// How far an application has come; a part of its State.
struct Progress {
    u64 input = 0;    ///< digest of the graph: load() refuses another one
    Launch launch;    ///< the current one
    u32 kernel = 0;   ///< its number in the application
    u32 launches = 0; ///< begun so far
    u32 next_block = 0;
};

struct LaunchOptions {
    u32 threads_per_block = 256;   ///< usual for bfs (or 512) and PageRank
    u64 operation_limit = 1 << 24; ///< warp operations of one block [A]: some 100 MB of streams
};

/// The words of a kernel's launch that its machine code fixes (ptxas -v, docs/models/workloads.md).
struct KernelInfo {
    const char* name;
    u32 registers_per_thread;
};

/// What all graph applications share: the graph in device memory (allocated first, read-only, not
/// part of State) and the bookkeeping of launches and blocks. State is an aggregate of values whose
/// first field is `Progress progress`.
template <class StateType>
class GraphApplication : public KernelSource {
    static_assert(checkpointable<StateType>());

  public:
    using State = StateType;
    State state;

    GraphApplication(Csr graph, const LaunchOptions& options) : options_(options) {
        validate(graph, "the graph");
        if (graph.vertices == 0)
            throw ConfigError("the graph has no vertex; give one with at least 1");
        if (options.threads_per_block < 1 || options.threads_per_block > 1024)
            throw ConfigError("threads_per_block is " + std::to_string(options.threads_per_block) +
                              ", but a block has 1 to 1024 threads");
        vertices_ = graph.vertices;
        state.progress.input = digest_of(graph);
        row_ = memory_.allocate("row", std::move(graph.row));
        col_ = memory_.allocate("col", std::move(graph.col));
    }

    u64 footprint_bytes() const override { return memory_.next; }
    const std::vector<Allocation>& allocations() const override { return memory_.allocations; }

    void save(Saver& to) const override { to(state); }
    void load(Loader& from) override {
        State loaded;
        from(loaded);
        if (loaded.progress.input != state.progress.input)
            throw ConfigError("the checkpoint was taken with another graph: put the graph's file "
                              "back as it was, or start again without --restore");
        state = std::move(loaded);
    }

  protected:
    /// Describes the next launch: one thread for each of `threads` items.
    void begin_launch(Launch& launch, u32 kernel, const KernelInfo& info, u32 threads) {
        Progress& p = state.progress;
        MEMSIM_ASSERT(p.launches == 0 || p.next_block == p.launch.blocks(),
                      "a launch was asked for before all blocks of the last one ran");
        const u32 size = options_.threads_per_block;
        p.launch = {info.name,
                    {(threads - 1) / size + 1, 1, 1},
                    {size, 1, 1},
                    info.registers_per_thread,
                    0};
        p.kernel = kernel;
        p.next_block = 0;
        ++p.launches;
        launch = p.launch;
    }
    BlockRun begin_block(u32 block, BlockStreams& out) {
        Progress& p = state.progress;
        MEMSIM_ASSERT(block == p.next_block && block < p.launch.blocks(),
                      "blocks of a launch must be run in linear order, each once");
        ++p.next_block;
        return {p.launch, p.kernel, block, options_.operation_limit, out};
    }

    LaunchOptions options_;
    DeviceMemory memory_;
    u32 vertices_ = 0;
    Array<u32> row_, col_;
};

} // namespace memsim::workload
