#include "cmd/detect/detector.hh"

namespace memsim::cmd {

class NoDetector final : public PolicyModel<NoDetector, Detector> {
  public:
    struct Params {};
    struct State {};
    explicit NoDetector(const Params& p) : params(p) {}
    bool detects() const override { return false; }
    Reference::Digest digest(Block, std::uint32_t) const override { return {}; }
    unsigned cycles(std::uint32_t) const override { return 0; }
    unsigned interval() const override { return 0; }

    const Params params;
    State state;
};

static const PolicyRegistration<NoDetector> none {"none", "No detection of equal blocks."};

} // namespace memsim::cmd
