#include "device_parts/page_prefetcher.hh"
#include "device_parts/page_prefetchers/density_trees.hh"

namespace memsim::device_parts {

using namespace memsim::literals;

/// Prefetches by the density of present pages, like NVIDIA's open driver
/// (device_parts/page_prefetchers/density_trees.hh).
class DensityPrefetch final : public PolicyModel<DensityPrefetch, PagePrefetcher> {
  public:
    struct Params {
        Param<Bytes> region {
            2_MiB,
            {1_KiB, 1_GiB},
            "Maximum range transferred for a fault",
            cited("NVIDIA's open driver, uvm_va_block_types.h: UVM_VA_BLOCK_BITS 21"),
            power_of_two()};
        Param<Bytes> block {
            64_KiB,
            {1_KiB, 1_GiB},
            "Block that is always transferred for a fault",
            cited("NVIDIA's open driver, uvm_va_block_types.h: UVM_BIG_PAGE_SIZE 64 KiB"),
            power_of_two(),
            at_most(region)};
        Param<unsigned> share {
            50,
            {0, 100},
            "Percentage of a larger subtree that present and requested pages must exceed",
            assumed("more than half; NVIDIA's open driver has 51 (uvm_perf_prefetch.c: "
                    "UVM_PREFETCH_THRESHOLD_DEFAULT)")};
    };
    struct State {
        DensityTrees trees;
    };
    explicit DensityPrefetch(const Params& p) : params(p) {}
    void resize(std::uint64_t page_bytes, std::uint64_t pages) override {
        const auto in_pages = [&](Bytes b) {
            return std::max(static_cast<std::uint64_t>(b.raw) / page_bytes, std::uint64_t {1});
        };
        state.trees.resize(in_pages(params.block()), in_pages(params.region()), pages,
                           params.share());
    }
    void claimed(const PageName& p) override { state.trees.claimed(p.application, p.page); }
    void evicted(const PageName& p) override { state.trees.evicted(p.application, p.page); }
    void bring(const std::vector<PageName>& faults, std::vector<PageName>& with_them) override {
        for (const PageName& f : faults) state.trees.fault(f.application, f.page);
        state.trees.expand([&](std::uint16_t application, std::uint64_t page) {
            with_them.push_back({page, application});
        });
    }

    const Params params;
    State state;
};

static const PolicyRegistration<DensityPrefetch> density {
    "density", "The whole block, and the largest subtree around it that is dense enough."};

} // namespace memsim::device_parts
