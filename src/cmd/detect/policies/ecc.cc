#include "cmd/detect/ecc.hh"

#include "cmd/detect/detector.hh"

namespace memsim::cmd {

/// The L2's check bits as a fingerprint, which costs no time. A match is verified by reading the
/// reference (controller/write_verify.cc).
class EccDetector final : public PolicyModel<EccDetector, Detector> {
  public:
    struct Params {};
    struct State {};
    explicit EccDetector(const Params& p) : params(p) {}
    bool verifies() const override { return true; }
    Reference::Digest digest(Block block, std::uint32_t mask) const override {
        return ecc_of(block, mask);
    }
    unsigned cycles(std::uint32_t) const override { return 0; }
    unsigned interval() const override { return 0; }

    const Params params;
    State state;
};

static const PolicyRegistration<EccDetector> ecc {
    "ecc", "Error-correcting check bits as a weak fingerprint, verified by a read.",
    "Du, Wu, Wu, Mao, Wang: ESD, HPCA 2023"};

} // namespace memsim::cmd
