#include "cxl_gpu/read_ahead.hh"

namespace memsim::cxl_gpu {

using namespace memsim::literals;

class FixedReadAhead final : public PolicyModel<FixedReadAhead, ReadAhead> {
  public:
    struct Params {
        Param<Bytes> bytes {
            1024_B, {256_B, 1024_B}, "Length of each speculative read", multiple_of(256_B)};
    };
    struct State {};
    explicit FixedReadAhead(const Params& p) : params(p) {}
    SpecRead window(std::uint64_t address, std::uint32_t, const Neighbours&) const override {
        return {SpecRead::unit_of(address), static_cast<std::uint32_t>(params.bytes->raw)};
    }

    const Params params;
    State state;
};

static const PolicyRegistration<FixedReadAhead> fixed {
    "fixed",
    "Reads a fixed number of bytes ahead from the load's unit, at any load of the endpoint.",
    "CXL-GPU, the largest requests at all times (Fig. 9d's text)"};

} // namespace memsim::cxl_gpu
