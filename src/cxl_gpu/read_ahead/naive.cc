#include "cxl_gpu/read_ahead.hh"

namespace memsim::cxl_gpu {

/// The paper's CXL-NAIVE: the line of 64 bytes of each load, in CXL's own format, regardless of
/// earlier reads and of the endpoint's load.
class NaiveReadAhead final : public PolicyModel<NaiveReadAhead, ReadAhead> {
  public:
    struct Params {};
    struct State {};
    explicit NaiveReadAhead(const Params& p) : params(p) {}
    bool blind() const override { return true; }
    SpecRead window(std::uint64_t address, std::uint32_t, const Neighbours&) const override {
        return {address, SpecRead::line};
    }

    const Params params;
    State state;
};

static const PolicyRegistration<NaiveReadAhead> naive {
    "naive", "Reads the line of each load ahead.", "CXL-GPU, CXL-NAIVE (Fig. 9d)"};

} // namespace memsim::cxl_gpu
