#include "cxl_gpu/read_ahead.hh"

namespace memsim::cxl_gpu {

/// The paper's CXL-NAIVE: 64 bytes for each load, regardless of earlier reads and of the endpoint's
/// load. The format cannot express less than a unit of 256 bytes, so the unit that contains the 64
/// bytes is named. An endpoint whose cache is filled in such units reads the same data.
class NaiveReadAhead final : public PolicyModel<NaiveReadAhead, ReadAhead> {
  public:
    struct Params {};
    struct State {};
    explicit NaiveReadAhead(const Params& p) : params(p) {}
    bool blind() const override { return true; }
    SpecRead window(std::uint64_t address, std::uint32_t, const Neighbours&) const override {
        return {SpecRead::unit_of(address), SpecRead::unit};
    }

    const Params params;
    State state;
};

static const PolicyRegistration<NaiveReadAhead> naive {
    "naive", "Reads the unit of 256 bytes of each load ahead.", "CXL-GPU, CXL-NAIVE (Fig. 9d)"};

} // namespace memsim::cxl_gpu
