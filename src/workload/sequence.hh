#pragma once

#include "workload/catalogue.hh"

namespace memsim::workload {

/// Workloads of the catalogue that run one after the other as one application, each with its own
/// arrays and kernels. Used for workloads that papers compose of others.
class Sequence final : public Application {
  public:
    struct Part {
        std::string name;
        u64 size;
    };
    Sequence(const Options& options, const std::vector<Part>& parts);

    bool next_launch(Launch& launch) override;
    void run_block(u32 block, BlockStreams& out) override;
    std::vector<gpu_program::MemoryView> memory() const override;
    void note_host_writes() override;
    std::vector<gpu_program::HostWrite> take_host_writes() override;
    u64 footprint_bytes() const override { return parts_.back()->footprint_bytes(); }
    const std::vector<Allocation>& allocations() const override { return allocations_; }
    u64 result_digest() const override;
    void save(Saver& to) const override;
    void load(Loader& from) override;
    std::string difference() const override;

  private:
    bool next() override { return false; } // the parts have hosts

    std::vector<std::unique_ptr<Application>> parts_;
    std::vector<Allocation> allocations_;
    u32 current_ = 0; ///< the part that is running
};

} // namespace memsim::workload
