#include "cmd/compress/compressor.hh"

namespace memsim::cmd {

/// All blocks are raw.
class NoCompressor final : public PolicyModel<NoCompressor, Compressor> {
  public:
    struct Params {};
    struct State {};
    explicit NoCompressor(const Params& p) : params(p) {}
    bool compresses() const override { return false; }
    unsigned pack_cycles() const override { return 0; }
    unsigned unpack_cycles() const override { return 0; }
    void resize(std::uint32_t) override {}
    bool compressed(std::uint32_t) const override { return false; }
    std::uint32_t sectors(std::uint32_t) const override { return block_sectors; }
    void write(std::uint32_t, BlockBytes&) override {}
    void set_raw(std::uint32_t) override {}

    const Params params;
    State state;
};

static const PolicyRegistration<NoCompressor> none {"none", "Blocks are written uncompressed."};

} // namespace memsim::cmd
