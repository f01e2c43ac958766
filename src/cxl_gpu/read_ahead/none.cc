#include "cxl_gpu/read_ahead.hh"

namespace memsim::cxl_gpu {

class NoReadAhead final : public PolicyModel<NoReadAhead, ReadAhead> {
  public:
    struct Params {};
    struct State {};
    explicit NoReadAhead(const Params& p) : params(p) {}
    bool speculates() const override { return false; }
    SpecRead window(std::uint64_t, std::uint32_t, const Neighbours&) const override { return {}; }

    const Params params;
    State state;
};

static const PolicyRegistration<NoReadAhead> none {"none",
                                                   "No speculative reads, only the memory queue."};

} // namespace memsim::cxl_gpu
