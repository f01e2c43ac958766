#include "workload/catalogue.hh"

/// Reads of a vector through a ring of buffers in shared memory, as kernels with specialised warps
/// fetch their tiles: one warp copies tiles by the copy engine, the others read them. A transaction
/// barrier of each buffer opens when its tile has arrived, another one when all threads have read
/// it.
namespace memsim::workload {

namespace {

constexpr u32 readers = 128; ///< threads, besides the warp that copies
constexpr u32 of_reader = 4; ///< doubles of a tile
constexpr u32 tile_size = readers * of_reader;
constexpr u32 buffers = 4;
constexpr u32 tiles_of_block = 16;

class Ring final : public Application {
  public:
    explicit Ring(const Options& options)
        : Application(options),
          blocks_(std::max(static_cast<u32>(options.size / tile_size / tiles_of_block), 1u)) {
        std::vector<double> values(u64 {tile_size} * tiles_of_block * blocks_);
        for (u64 i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
        from_ = memory_.input("from", values);
        constexpr u32 shared = buffers * (tile_size + 2) * 8;
        read_ = kernel(
            "read", 32, [this](Block& b) { read(b); }, Counted::by_rule, shared);
    }
    std::string difference() const override { return wrong_; }

  private:
    enum class Site : u32 { from, tile };
    struct Buffer {
        Shared<double> tile;
        TransactionBarrier& full;
        TransactionBarrier& empty;
    };

    bool next() override {
        if (launches() == 1) return false;
        constexpr u32 threads = warp_lanes + readers;
        launch(read_, u64 {threads} * blocks_, threads);
        return true;
    }
    void read(Block& b) {
        std::vector<Buffer> ring;
        for (u32 i = 0; i < buffers; ++i)
            ring.push_back(
                {b.shared<double>(tile_size), b.transaction_barrier(), b.transaction_barrier()});
        const u32 first = b.x() * tile_size * tiles_of_block;
        const auto copy = [&](u32 t) {
            if (t >= tiles_of_block) return;
            Buffer& to = ring[t % buffers];
            b.each([&](Warp& w) {
                if (w.index() != 0) return;
                if (t >= buffers) w.wait_barrier(to.empty);
                w.bulk_copy(Site::from, to.full, to.tile, 0, from_, first + t * tile_size,
                            {.columns = tile_size});
            });
        };
        for (u32 t = 0; t < buffers; ++t) copy(t);
        for (u32 t = 0; t < tiles_of_block; ++t) {
            b.each([&](Warp& w) {
                if (w.index() != 0) use(w, ring[t % buffers], first + t * tile_size);
            });
            copy(t + buffers);
        }
    }
    void use(Warp& w, Buffer& buffer, u32 from) {
        w.wait_barrier(buffer.full);
        const auto reader = w.tx() - warp_lanes;
        std::array<Lanes<double>, of_reader> value;
        for (u32 k = 0; k < of_reader; ++k)
            value[k] = w.load(Site::tile, buffer.tile, reader, k * readers);
        w.arrive(buffer.empty, value[0], value[1], value[2], value[3]);
        for (u32 k = 0; k < of_reader; ++k)
            w.for_active([&](u32 i) {
                const u32 at = from + (w.index() - 1) * warp_lanes + i + k * readers;
                if (value[k][i] != from_[at])
                    wrong_ = "a thread has read another element than its own";
            });
    }

    u32 blocks_;
    Array<double> from_;
    u32 read_;
    std::string wrong_; ///< the first finding, of a test
};

const Entry ring {{.names = {"read_ring"},
                   .doc = "Reads a vector of doubles through a ring of tiles in shared memory, "
                          "which one warp of each block has the copy engine fill",
                   .tables = "microbenchmarks",
                   .size_is = "the number of doubles",
                   .size = 1 << 20,
                   .check_size = 20'000,
                   .most = 1 << 28,
                   .memory = [](const Options& o) { return 16 * o.size; },
                   .make = make<Ring>}};

} // namespace

} // namespace memsim::workload
