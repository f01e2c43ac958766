#pragma once

#include "gpu_program/kernel_source.hh"

#include <fstream>

namespace memsim::workload {

/// The file written by memsim.simt.record(). For each step it has one array each, over all threads
/// of a launch, of addresses, values and active threads. A text index follows:
///
///     array NAME BASE BYTES
///     launch NAME BLOCKS THREADS_A_BLOCK REGISTERS [SHARED_BYTES_A_BLOCK]
///     step KIND PC WIDTH INSTRUCTIONS ACTIVE ADDRESSES VALUES N NEEDED..
///
/// KIND is compute, load, store, atomic, reduce, barrier, shared_load or shared_store; addresses of
/// the last two lie in the block's shared memory. ACTIVE (one byte per thread), ADDRESSES and
/// VALUES (u64 per thread) are offsets in the file, or 0 if absent. NEEDED are the N numbers, from
/// 0, of earlier steps of this launch whose results the step uses. The file begins with `memsimS1`
/// and the offset of the index (u64), and ends with the line `end DIGEST`.
class Recording final : public gpu_program::KernelSource {
  public:
    explicit Recording(const std::string& path);

    bool next_launch(gpu_program::Launch& launch) override;
    void run_block(gpu_program::u32 block, gpu_program::BlockStreams& out) override;
    gpu_program::u64 footprint_bytes() const override { return footprint_; }
    const std::vector<gpu_program::Allocation>& allocations() const override {
        return allocations_;
    }
    std::vector<std::string> inputs() const override { return {path_}; }
    gpu_program::u64 result_digest() const override { return 0; } ///< Python holds the results
    void save(Saver& to) const override;
    void load(Loader& from) override;

  private:
    struct Step {
        gpu_program::WarpOpKind kind = gpu_program::WarpOpKind::compute;
        bool has_result = false;
        gpu_program::u8 width = 0;
        gpu_program::u32 pc = 0, instructions = 0;
        gpu_program::u64 active = 0, addresses = 0, values = 0; ///< offsets in the file
        std::vector<gpu_program::u32> needs;
    };
    struct Kernel {
        gpu_program::Launch launch;
        std::vector<Step> steps;
    };
    struct Warp {
        std::vector<gpu_program::u32> result_of; ///< by step: number of its result, from 1; 0: none
        gpu_program::u32 results = 0;
    };

    [[noreturn]] void refuse(const std::string& what) const;
    void read_index();
    void read_line(const std::string& line, gpu_program::u64 number);
    void fetch(gpu_program::u64 place, gpu_program::u64 first, gpu_program::u64 n,
               gpu_program::u64 size, void* to);
    void write_step(const Step& step, std::size_t number, gpu_program::u32 warp, Warp& so_far,
                    gpu_program::u32 threads, gpu_program::WarpStreamWriter& to, bool with_values);

    std::string path_;
    std::ifstream file_;
    gpu_program::u64 index_ = 0; ///< its offset
    std::string digest_;
    std::vector<gpu_program::Allocation> allocations_;
    std::vector<Kernel> kernels_;
    gpu_program::u64 footprint_ = 0;
    gpu_program::u32 launches_ = 0, next_block_ = 0; ///< progress
    std::vector<gpu_program::u8> active_;            ///< threads of the current block and step
    std::vector<gpu_program::u64> addresses_, values_;
};

} // namespace memsim::workload
