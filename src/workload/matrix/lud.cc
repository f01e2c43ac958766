#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// LU decomposition after Rodinia (Che et al., IISWC'09), in blocks of 16. For each diagonal block,
/// one warp decomposes it, `perimeter` processes the blocks to the right and below, and `internal`
/// subtracts their products from the rest, all in shared memory.
namespace memsim::workload {

struct LudHost {
    u32 offset = 0; ///< of the diagonal block
    u32 kernel = 0; ///< the next kernel
};

namespace {

constexpr u32 side = 16;

class Lud final : public HostedApplication<LudHost> {
  public:
    explicit Lud(const Options& options)
        : HostedApplication(options), n_(static_cast<u32>(options.size) * side) {
        first_ = random_floats(options.seed, "m", u64 {n_} * n_);
        for (u32 i = 0; i < n_; ++i)
            first_[i * (n_ + 1)] += static_cast<float>(n_); // makes the matrix regular
        m_ = memory_.filled("m", first_);
        constexpr u32 tile = side * side * sizeof(float);
        diagonal_ = kernel(
            "lud_diagonal", 22, [this](Block& b) { diagonal(b); }, Counted::by_rule, tile);
        perimeter_ = kernel(
            "lud_perimeter", 26, [this](Block& b) { perimeter(b); }, Counted::by_rule, 3 * tile);
        internal_ = kernel(
            "lud_internal", 20, [this](Block& b) { internal(b); }, Counted::by_rule, 2 * tile);
    }
    std::string difference() const override;

  private:
    u32 rest() const {
        return (n_ - host.offset) / side - 1;
    } ///< blocks to the right of the diagonal block

    bool next() override {
        if (host.kernel == 3 || (host.kernel == 1 && rest() == 0)) {
            host.kernel = 0;
            host.offset += side;
        }
        if (host.offset == n_) return false;
        if (host.kernel == 0)
            launch(diagonal_, {1, 1, 1}, {side, 1, 1});
        else if (host.kernel == 1)
            launch(perimeter_, {rest(), 1, 1}, {2 * side, 1, 1});
        else
            launch(internal_, {rest(), rest(), 1}, {side, side, 1});
        ++host.kernel;
        return true;
    }
    enum class Site : u32 {
        fetch,
        put,
        left,
        upper,
        old,
        set,
        pivot,
        quotient,
        set_quotient,
        take,
        write_back,
        fetch_row,
        put_row,
        fetch_column,
        put_column,
        column_left,
        column_upper,
        column_old,
        column_set,
        column_pivot,
        column_value,
        column_quotient,
        take_row,
        write_row,
        take_column,
        write_column
    };

    void diagonal(Block& b) {
        const auto shadow = b.shared<float>(side * side);
        const u32 corner = host.offset * n_ + host.offset;
        b.each([&](Warp& w) {
            const auto t = w.tx();
            w.repeat(side, [&](u32 i) {
                const auto moved = w.load(Site::fetch, m_, t + (corner + i * n_));
                w.store(Site::put, shadow, t + i * side, moved);
            });
        });
        b.barrier();
        for (u32 i = 0; i + 1 < side; ++i) {
            b.each([&](Warp& w) {
                const auto t = w.tx();
                w.if_(t > i, [&] {
                    auto value = w.load(Site::old, shadow, mad(t, side, all_lanes(i)));
                    w.repeat(i, [&](u32 j) {
                        const auto left = w.load(Site::left, shadow, mad(t, side, all_lanes(j)));
                        const auto upper = w.load(Site::upper, shadow, all_lanes(j * side + i));
                        value = value - left * upper;
                    });
                    const auto pivot = w.load(Site::pivot, shadow, all_lanes(i * side + i));
                    const auto quotient = w.divide(value, pivot);
                    w.store(Site::set_quotient, shadow, mad(t, side, all_lanes(i)), quotient);
                });
            });
            b.barrier();
            b.each([&](Warp& w) {
                const auto t = w.tx();
                w.if_(t > i, [&] {
                    auto value = w.load(Site::old, shadow, t + (i + 1) * side);
                    w.repeat(i + 1, [&](u32 j) {
                        const auto left = w.load(Site::left, shadow, all_lanes((i + 1) * side + j));
                        const auto upper = w.load(Site::upper, shadow, t + j * side);
                        value = value - left * upper;
                    });
                    w.store(Site::set, shadow, t + (i + 1) * side, value);
                });
            });
            b.barrier();
        }
        b.each([&](Warp& w) {
            const auto t = w.tx();
            w.repeat(side - 1, [&](u32 i) { // the first row stays as it is
                const auto moved = w.load(Site::take, shadow, t + (i + 1) * side);
                w.store(Site::write_back, m_, t + (corner + (i + 1) * n_), moved);
            });
        });
    }
    /// Calls right(w, t) for the first 16 threads and below(w, t - 16) for the others.
    template <class Right, class Below>
    static void each_half(Block& b, Right&& right, Below&& below) {
        b.each([&](Warp& w) {
            const auto t = w.tx();
            w.if_(
                t < side, [&] { right(w, t); }, [&] { below(w, t - side); });
        });
    }
    /// Each of the first 16 threads processes a column of the block to the right, each of the
    /// others a row of the block below.
    void perimeter(Block& b) {
        const auto dia = b.shared<float>(side * side), row = b.shared<float>(side * side),
                   column = b.shared<float>(side * side);
        const u32 corner = host.offset * n_ + host.offset;
        const u32 right = corner + (b.x() + 1) * side, below = corner + (b.x() + 1) * side * n_;
        each_half(
            b,
            [&](Warp& w, const Lanes<u32>& t) {
                w.repeat(side / 2, [&](u32 i) {
                    const auto moved = w.load(Site::fetch, m_, t + (corner + i * n_));
                    w.store(Site::put, dia, t + i * side, moved);
                });
                w.repeat(side, [&](u32 i) {
                    const auto moved = w.load(Site::fetch_row, m_, t + (right + i * n_));
                    w.store(Site::put_row, row, t + i * side, moved);
                });
            },
            [&](Warp& w, const Lanes<u32>& c) {
                w.repeat(side / 2, [&](u32 i) {
                    const u32 k = i + side / 2;
                    const auto moved = w.load(Site::fetch, m_, c + (corner + k * n_));
                    w.store(Site::put, dia, c + k * side, moved);
                });
                w.repeat(side, [&](u32 i) {
                    const auto moved = w.load(Site::fetch_column, m_, c + (below + i * n_));
                    w.store(Site::put_column, column, c + i * side, moved);
                });
            });
        b.barrier();
        each_half(
            b,
            [&](Warp& w, const Lanes<u32>& t) {
                w.repeat(side - 1, [&](u32 k) {
                    const u32 i = k + 1;
                    auto value = w.load(Site::old, row, t + i * side);
                    w.repeat(i, [&](u32 j) {
                        const auto left = w.load(Site::left, dia, all_lanes(i * side + j));
                        const auto upper = w.load(Site::upper, row, t + j * side);
                        value = value - left * upper;
                    });
                    w.store(Site::set, row, t + i * side, value);
                });
            },
            [&](Warp& w, const Lanes<u32>& c) {
                w.repeat(side, [&](u32 i) {
                    auto value = w.load(Site::column_old, column, mad(c, side, all_lanes(i)));
                    w.repeat(i, [&](u32 j) {
                        const auto left =
                            w.load(Site::column_left, column, mad(c, side, all_lanes(j)));
                        const auto upper = w.load(Site::column_upper, dia, all_lanes(j * side + i));
                        value = value - left * upper;
                    });
                    const auto pivot = w.load(Site::column_pivot, dia, all_lanes(i * side + i));
                    const auto quotient = w.divide(value, pivot);
                    w.store(Site::column_quotient, column, mad(c, side, all_lanes(i)), quotient);
                });
            });
        b.barrier();
        each_half(
            b,
            [&](Warp& w, const Lanes<u32>& t) {
                w.repeat(side - 1, [&](u32 k) {
                    const u32 i = k + 1;
                    const auto moved = w.load(Site::take_row, row, t + i * side);
                    w.store(Site::write_row, m_, t + (right + i * n_), moved);
                });
            },
            [&](Warp& w, const Lanes<u32>& c) {
                w.repeat(side, [&](u32 i) {
                    const auto moved = w.load(Site::take_column, column, c + i * side);
                    w.store(Site::write_column, m_, c + (below + i * n_), moved);
                });
            });
    }
    void internal(Block& b) {
        const auto row = b.shared<float>(side * side), column = b.shared<float>(side * side);
        const u32 corner = host.offset * n_ + host.offset;
        const u32 right = corner + (b.x() + 1) * side, below = corner + (b.y() + 1) * side * n_;
        b.each([&](Warp& w) {
            const auto x = w.tx();
            const auto y = w.ty();
            const auto at = mad(y, n_, x), in_tile = mad(y, side, x);
            const auto from_row = w.load(Site::fetch_row, m_, at + right);
            w.store(Site::put_row, row, in_tile, from_row);
            const auto from_column = w.load(Site::fetch_column, m_, at + below);
            w.store(Site::put_column, column, in_tile, from_column);
        });
        b.barrier();
        b.each([&](Warp& w) {
            const auto tx = w.tx(), ty = w.ty();
            Lanes<float> sum = all_lanes(0.0f);
            sum.flow = &w;
            w.repeat(side, [&](u32 i) {
                const auto left = w.load(Site::left, column, mad(ty, side, all_lanes(i)));
                const auto upper = w.load(Site::upper, row, tx + i * side);
                sum = mad(left, upper, sum);
            });
            const auto at = mad(ty, n_, tx) + (below + (b.x() + 1) * side);
            const auto old = w.load(Site::old, m_, at);
            w.store(Site::set, m_, at, old - sum);
        });
    }

    u32 n_;
    std::vector<float> first_;
    Array<float> m_;
    u32 diagonal_, perimeter_, internal_;
};

/// Reference by blocks, because the products of a block are summed before they are subtracted.
std::string Lud::difference() const {
    std::vector<float> m = first_;
    const auto at = [&](u32 i, u32 j) -> float& { return m[u64 {i} * n_ + j]; };
    for (u32 o = 0; o < n_; o += side) {
        const u32 end = o + side;
        for (u32 i = o; i < end; ++i) {
            for (u32 j = i; j < n_; ++j) // a row, to the right end
                for (u32 k = o; k < i; ++k) at(i, j) = at(i, j) - at(i, k) * at(k, j);
            for (u32 j = i + 1; j < n_; ++j) { // a column, to the bottom
                for (u32 k = o; k < i; ++k) at(j, i) = at(j, i) - at(j, k) * at(k, i);
                at(j, i) = at(j, i) / at(i, i);
            }
        }
        for (u32 i = end; i < n_; ++i)
            for (u32 j = end; j < n_; ++j) {
                float sum = 0;
                for (u32 k = o; k < end; ++k) sum = at(i, k) * at(k, j) + sum;
                at(i, j) = at(i, j) - sum;
            }
    }
    return first_difference("m", m_, m);
}

const Entry entry {{.names = {"lud"},
                    .doc =
                        "LU decomposition in blocks of 16, in shared memory, after Rodinia (Che et "
                        "al., IISWC'09)",
                    .tables = "Ohm II (lud)",
                    .size_is = "the number of rows over 16",
                    .size = 16,
                    .check_size = 4,
                    .most = 1024,
                    .memory = [](const Options& o) { return 2048 * o.size * o.size; },
                    .make = make<Lud>}};

} // namespace

} // namespace memsim::workload
