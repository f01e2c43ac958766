#pragma once

#include "workload/application.hh"
#include "workload/llm/serving/batch_launch.hh"

namespace memsim::workload {

/// Processes requests in batches with a decoder of the Llama or Mixtral family.
///
/// Models        The kernels of docs/models/llm.md, launched one after the other for each layer of
///               a step: products on tensor cores, attention of prompts and of single tokens over
///               the cache's block tables, a mixture of experts, choice of tokens.
///               Instructions are counted by the rule of docs/models/workloads.md.
/// Requires      As Decoder; heads that share keys and values are at most 64.
/// Not modelled  Tokens that end a request early.
class BatchDecoder final : public Application {
  public:
    BatchDecoder(const Options& options, const BatchShape& shape);

    std::string difference() const override { return batch_difference(arrays_); }
    const BatchMemory& arrays() const { return arrays_; }
    /// All launches, in order.
    const std::vector<PlannedLaunch>& plan() const { return plan_; }

  private:
    bool next() override;
    void add_kernels();
    /// The body of a kernel, from a function of a class in batch_kernels.hh.
    template <class Kernels, class Unit>
    auto body(void (Kernels::*kernel)(Unit&) const) {
        return [this, kernel](Unit& unit) {
            (Kernels {BatchLaunch(arrays_, plan_[launches() - 1])}.*kernel)(unit);
        };
    }
    /// Registers a kernel of a body for each shape of tile. `beside`: for two matrices.
    template <class Body>
    void add_product(BatchKernel kernel, const char* name, bool beside, Body body);

    BatchMemory arrays_;
    std::vector<PlannedLaunch> plan_;
    std::array<std::array<u32, tile_shapes>, batch_kernels> number_ {}; ///< of kernels
};

} // namespace memsim::workload
