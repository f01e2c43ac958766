#include "cxl_gpu/read_ahead.hh"

namespace memsim::cxl_gpu {

/// The paper's CXL-NAIVE: 64 bytes for each load, whatever was read ahead and however busy the
/// endpoint is. The format with an offset of 256 bytes cannot say less than a unit, so it names the
/// unit that holds them; an endpoint whose cache is filled by such units reads the same either way.
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
    "naive", "Each load's own unit of 256 bytes is read ahead.", "CXL-GPU, CXL-NAIVE (Fig. 9d)"};

} // namespace memsim::cxl_gpu
