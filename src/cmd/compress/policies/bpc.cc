#include "cmd/compress/bit_planes.hh"
#include "cmd/compress/compressor.hh"

namespace memsim::cmd {

/// Bit-plane compression. Memory holds the blocks' bytes: only the compressed size matters here,
/// and encoder and decoder have tests of their own.
class BitPlaneCompressor final : public PolicyModel<BitPlaneCompressor, Compressor> {
  public:
    struct Params {
        Param<unsigned> pack_cycles {
            11,
            {0, 10000},
            "Cycles to compress a block",
            assumed("of the order of the hardware of Kim et al., ISCA'16; not looked up")};
        Param<unsigned> unpack_cycles {
            11,
            {0, 10000},
            "Cycles to expand a block",
            assumed("of the order of the hardware of Kim et al., ISCA'16; not looked up")};
    };
    struct State {
        std::vector<std::uint8_t> sectors; ///< by place; 0: raw
    };
    explicit BitPlaneCompressor(const Params& p) : params(p) {}
    unsigned pack_cycles() const override { return params.pack_cycles(); }
    unsigned unpack_cycles() const override { return params.unpack_cycles(); }
    void resize(std::uint32_t blocks) override { state.sectors.assign(blocks, 0); }
    bool compressed(std::uint32_t place) const override { return state.sectors[place]; }
    std::uint32_t sectors(std::uint32_t place) const override { return state.sectors[place]; }
    void write(std::uint32_t place, BlockBytes& data) override {
        const std::uint32_t n = bit_planes::packed_sectors(Block {data});
        state.sectors[place] = n < block_sectors ? static_cast<std::uint8_t>(n) : 0;
    }
    void set_raw(std::uint32_t place) override { state.sectors[place] = 0; }
    void check_loaded(Loader& l) const override {
        for (const std::uint8_t n : state.sectors)
            l.check(n < block_sectors, "has a block that saves no sector");
    }

    const Params params;
    State state;
};

static const PolicyRegistration<BitPlaneCompressor> bpc {
    "bpc", "Bit-plane compression: a block occupies 1 to 4 sectors.",
    "Kim, Sullivan, Choukse, Erez: Bit-Plane Compression, ISCA 2016"};

} // namespace memsim::cmd
