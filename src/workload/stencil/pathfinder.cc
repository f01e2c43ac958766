#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// The cheapest path down a grid after Rodinia's pathfinder (Che et al., IISWC'09): each launch
/// processes several rows; a block of 256 threads holds its columns and a halo in shared memory.
namespace memsim::workload {

struct PathfinderHost {
    u32 row = 0;  ///< rows completed
    u32 rows = 0; ///< of the current launch
    u32 launch = 0;
};

namespace {

constexpr u32 threads = 256, height = 20; // pyramid height of Rodinia's usual run
constexpr u32 rows_in_all = 100;

class Pathfinder final : public HostedApplication<PathfinderHost> {
  public:
    explicit Pathfinder(const Options& options)
        : HostedApplication(options), n_(static_cast<u32>(options.size)) {
        wall_ =
            memory_.input("wall", random_words(options.seed, "wall", u64 {n_} * rows_in_all, 10));
        const std::vector<u32> top(wall_.data, wall_.data + n_);
        cost_[0] = memory_.filled("cost_0", top);
        cost_[1] = memory_.zeroed<u32>("cost_1", n_);
        step_ = kernel(
            "dynproc_kernel", 20, [this](Block& b) { step(b); }, Counted::by_rule, 2 * threads * 4);
    }
    std::string difference() const override {
        std::vector<u32> cost(wall_.data, wall_.data + n_);
        for (u32 row = 1; row < rows_in_all; ++row) {
            std::vector<u32> next(n_);
            for (u32 x = 0; x < n_; ++x) {
                u32 least = cost[x];
                if (x > 0) least = std::min(least, cost[x - 1]);
                if (x + 1 < n_) least = std::min(least, cost[x + 1]);
                next[x] = least + wall_[u64 {row} * n_ + x];
            }
            cost = next;
        }
        return first_difference("cost", cost_[host.launch % 2], cost);
    }

  private:
    bool next() override {
        host.row += host.rows;
        if (host.row + 1 >= rows_in_all) return false;
        host.rows = std::min(height, rows_in_all - 1 - host.row);
        ++host.launch;
        const u32 useful = threads - 2 * height;
        launch(step_, {(n_ - 1) / useful + 1, 1, 1}, {threads, 1, 1});
        return true;
    }
    void step(Block& b) {
        enum class Site : u32 { fetch, put, left, up, right, wall, set, take, result, copy };
        const Array<u32>&in = cost_[(host.launch - 1) % 2], &out = cost_[host.launch % 2];
        const auto before = b.shared<u32>(threads), after = b.shared<u32>(threads);
        const u32 useful = threads - 2 * height;
        // Thread t has column first + t; the first and last `height` columns are the halo.
        const u32 first = b.x() * useful - height;
        const auto inside = [&](const Lanes<u32>& x) { return x < n_; }; // wraps below 0
        b.each([&](Warp& w) {
            const auto t = w.tx(), x = t + first;
            w.if_(inside(x), [&] { w.store(Site::put, before, t, w.load(Site::fetch, in, x)); });
        });
        b.barrier();
        for (u32 i = 0; i < host.rows; ++i) {
            b.each([&](Warp& w) {
                const auto t = w.tx(), x = t + first;
                w.if_(inside(x) && t > i && t < threads - 1 - i, [&] {
                    const auto west = select(x == 0, t, t - 1);
                    const auto east = select(x == n_ - 1, t, t + 1);
                    const auto left = w.load(Site::left, before, west);
                    const auto up = w.load(Site::up, before, t);
                    const auto right = w.load(Site::right, before, east);
                    const auto wall = w.load(Site::wall, wall_, x + (host.row + 1 + i) * n_);
                    w.store(Site::set, after, t, min(min(left, up), right) + wall);
                });
            });
            b.barrier();
            b.each([&](Warp& w) {
                const auto t = w.tx(), x = t + first;
                w.if_(inside(x) && t > i && t < threads - 1 - i,
                      [&] { w.store(Site::copy, before, t, w.load(Site::take, after, t)); });
            });
            b.barrier();
        }
        b.each([&](Warp& w) {
            const auto t = w.tx(), x = t + first;
            w.if_(inside(x) && t >= height && t < threads - height,
                  [&] { w.store(Site::result, out, x, w.load(Site::take, before, t)); });
        });
    }

    u32 n_;
    Array<u32> wall_;
    std::array<Array<u32>, 2> cost_;
    u32 step_;
};

const Entry entry {
    {.names = {"path", "pathfinder"},
     .doc = "The cheapest path down a grid of 100 rows, 20 rows per launch, after Rodinia "
            "(Che et al., IISWC'09)",
     .tables = "CXL (path)",
     .size_is = "the number of columns",
     .size = 1 << 16,
     .check_size = 1000,
     .most = 1 << 24,
     .memory = [](const Options& o) { return 800 * o.size; },
     .make = make<Pathfinder>}};

} // namespace

} // namespace memsim::workload
