#include "cmd/compress/base_delta.hh"
#include "cmd/compress/compressor.hh"

namespace memsim::cmd {

using namespace memsim::literals;

/// Stores a base, a difference, and equal differences once. Memory holds the differences.
class BaseDeltaCompressor final : public PolicyModel<BaseDeltaCompressor, Compressor> {
  public:
    struct Params {
        Param<unsigned> ways {16, {1, 1024}, "Ways of the stores on chip", assumed()};
        Param<unsigned> bases {
            128, {1, 1u << 20}, "Bases on chip", assumed("CMD's area"), multiple_of(ways)};
        Param<unsigned> differences {
            320, {1, 1u << 20}, "Differences on chip", assumed("CMD's area"), multiple_of(ways)};
        Param<unsigned> cluster_bits {
            16, {1, 31}, "High bits of each word that select a block's cluster", assumed()};
        Param<unsigned> pack_cycles {5, {0, 10000}, "Cycles to compress a block", assumed()};
        Param<unsigned> unpack_cycles {5, {0, 10000}, "Cycles to expand a block", assumed()};
    };
    struct State {
        std::vector<BaseDelta> how; ///< by block
        BaseDeltaStores stores;
    };
    explicit BaseDeltaCompressor(const Params& p) : params(p) {}
    bool deduplicates() const override { return true; }
    bool codes() const override { return true; }
    unsigned pack_cycles() const override { return params.pack_cycles(); }
    unsigned unpack_cycles() const override { return params.unpack_cycles(); }
    void resize(std::uint32_t blocks) override {
        state.how.assign(blocks, {});
        state.stores.resize(params.bases(), params.differences(), params.ways(),
                            params.cluster_bits());
    }
    bool compressed(std::uint32_t place) const override {
        return state.how[place].kind != BaseDelta::Kind::raw;
    }
    std::uint32_t sectors(std::uint32_t place) const override {
        return state.how[place].moved() / sector_bytes;
    }
    BlockBytes decode(std::uint32_t place, const BlockBytes& code) const override {
        return state.stores.decode(state.how[place], code);
    }
    void write(std::uint32_t place, BlockBytes& data) override {
        set_raw(place);
        const BlockBytes block = data;
        state.how[place] = state.stores.encode(Block {block}, data);
    }
    void set_raw(std::uint32_t place) override {
        state.stores.release(state.how[place]);
        state.how[place] = {};
    }
    void check_loaded(Loader& l) const override {
        for (const BaseDelta& how : state.how)
            l.check(state.stores.has(how), "represents a block by entries that do not exist");
    }

    const Params params;
    State state;
};

static const PolicyRegistration<BaseDeltaCompressor> bcd {
    "bcd", "Base and compressed difference; a known difference is not written.",
    "Park, Kang, Moon, Ahn, Suh: BCD Deduplication, ASPLOS 2021"};

} // namespace memsim::cmd
