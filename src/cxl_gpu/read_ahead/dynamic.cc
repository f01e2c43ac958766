#include "cxl_gpu/read_ahead.hh"

namespace memsim::cxl_gpu {

class DynamicReadAhead final : public PolicyModel<DynamicReadAhead, ReadAhead> {
  public:
    struct Params {};
    struct State {};
    explicit DynamicReadAhead(const Params& p) : params(p) {}
    bool heeds_load() const override { return true; }
    SpecRead window(std::uint64_t address, std::uint32_t granularity,
                    const Neighbours&) const override {
        return {SpecRead::unit_of(address), granularity};
    }

    const Params params;
    State state;
};

static const PolicyRegistration<DynamicReadAhead> dynamic {
    "dynamic", "Reads ahead from the load's unit; the endpoint's load sets the length.",
    "CXL-GPU, CXL-DYN (Fig. 9d)"};

} // namespace memsim::cxl_gpu
