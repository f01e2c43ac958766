#include "cmd/detect/md5.hh"

#include "cmd/detect/detector.hh"

namespace memsim::cmd {

/// A strong hash. Equal hashes count as equal data.
class Md5Detector final : public PolicyModel<Md5Detector, Detector> {
  public:
    struct Params {
        Param<unsigned> round_cycles {76,
                                      {0, 10000},
                                      "Cycles per 64 bytes",
                                      stated("CMD IV-E: 228 for 128 bytes, three rounds")};
        Param<unsigned> interval {4,
                                  {0, 10000},
                                  "Cycles between the starts of consecutive blocks",
                                  assumed("pipelined; range to 228, one core")};
    };
    struct State {};
    explicit Md5Detector(const Params& p) : params(p) {}
    Reference::Digest digest(Block block, std::uint32_t mask) const override {
        return md5(block, mask);
    }
    unsigned cycles(std::uint32_t sectors) const override {
        return md5_rounds(sectors) * params.round_cycles();
    }
    unsigned interval() const override { return params.interval(); }

    const Params params;
    State state;
};

static const PolicyRegistration<Md5Detector> md5_detector {
    "md5", "A strong hash in a separate unit, without verification.", "CMD, IV-A"};

} // namespace memsim::cmd
