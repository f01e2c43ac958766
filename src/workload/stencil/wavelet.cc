#include "workload/catalogue.hh"
#include "workload/stencil/bitmap.hh"

/// A wavelet transform of a picture after Rodinia's dwt2d (Che et al., IISWC'09): the 5/3 filter of
/// JPEG 2000 on integers, three levels. `c_CopySrcToComponents` separates red, green and blue. For
/// each of them and each level, `fdwt53Kernel` transforms rows, then columns, and writes four
/// bands; the low one is copied back as the picture of the next level. A block moves down its
/// columns in windows of 8 rows. Rows are transformed in shared memory; the three rows that the
/// next window needs stay in registers [A] (in Rodinia, in shared memory).
namespace memsim::workload {

namespace {

using i32 = std::int32_t;

constexpr u32 levels = 3, colours = 3;
constexpr u32 window_rows = 8, windows = 15; // per block, as in Rodinia
constexpr u32 threads_of_copy = 256;

/// Extends a picture beyond its edges by reflection at its first and last pixels.
i32 mirrored(i32 i, i32 n) {
    const i32 from_left = i < 0 ? -i : i;
    return std::max(0, std::min(from_left, 2 * (n - 1) - from_left));
}
Lanes<i32> mirrored(const Lanes<i32>& i, i32 n) {
    const auto from_left = max(i, 0 - i);
    return max(min(from_left, 2 * (n - 1) - from_left), 0);
}

struct Area {
    u32 width, height;
    u32 low_columns() const { return (width + 1) / 2; }
    u32 low_rows() const { return (height + 1) / 2; }
};

class Wavelet final : public Application {
  public:
    explicit Wavelet(const Options& options) : Application(options) {
        Picture picture;
        if (options.input.empty())
            picture = drawn_picture(static_cast<u32>(options.size), options.seed);
        else {
            InputFile file(options.input);
            picture = read_bitmap(file);
        }
        area_[0] = {picture.width, picture.height};
        for (u32 l = 1; l < levels; ++l)
            area_[l] = {area_[l - 1].low_columns(), area_[l - 1].low_rows()};
        const u64 pixels = picture.rgb.size() / colours,
                  blocks = (pixels - 1) / threads_of_copy + 1;
        std::vector<u32> words(blocks * threads_of_copy * 3 / 4);
        std::memcpy(words.data(), picture.rgb.data(), picture.rgb.size());
        source_ = memory_.input("src", words);
        static constexpr const char* names[] = {"r", "g", "b"};
        for (u32 c = 0; c < colours; ++c) {
            in_[c] = memory_.zeroed<i32>(names[c], pixels);
            out_[c] = memory_.zeroed<i32>(names[c] + std::string("_out"), pixels);
        }
        const u32 width = window_width(area_[0].width);
        split_ = kernel(
            "c_CopySrcToComponents", 12, [this](Block& b) { split(b); }, Counted::by_rule,
            3 * threads_of_copy);
        transform_ = kernel(
            "fdwt53Kernel", 40, [this](Block& b) { transform(b); }, Counted::by_rule,
            window_rows * (width + 17) * 4);
        copy_ = kernel("copy", 8, [this](Warp& w) { copy_low_band(w); });
    }
    std::string difference() const override;

  private:
    static constexpr u32 launches_of_colour = 2 * levels - 1;

    bool next() override {
        const u32 n = launches();
        if (n == 1 + colours * launches_of_colour) return false;
        const u64 pixels = u64 {area_[0].width} * area_[0].height;
        if (n == 0) {
            launch(split_, {static_cast<u32>((pixels - 1) / threads_of_copy + 1), 1, 1},
                   {threads_of_copy, 1, 1});
            return true;
        }
        const u32 step = (n - 1) % launches_of_colour;
        const Area& a = area_[(step + 1) / 2];
        const u32 width = window_width(a.width), rows = window_rows * windows;
        if (step % 2 == 0)
            launch(transform_, {(a.width - 1) / width + 1, (a.height - 1) / rows + 1, 1},
                   {width, 1, 1});
        else
            launch(copy_, u64 {a.width} * a.height);
        return true;
    }
    /// Rodinia's choice.
    static u32 window_width(u32 columns) {
        return columns >= 960 ? 192 : columns >= 480 ? 128 : 64;
    }
    /// For the current launch.
    u32 colour() const { return (launches() - 2) / launches_of_colour; }
    /// The area that identifies a copy: the one that it fills, of the next level.
    const Area& area() const { return area_[((launches() - 2) % launches_of_colour + 1) / 2]; }

    void split(Block& b) {
        enum class Site : u32 { fetch, put, red, green, blue, set };
        constexpr u32 words = threads_of_copy * 3 / 4;
        const auto packed = b.shared<u32>(words);
        const Shared<u8> bytes {packed.base, reinterpret_cast<u8*>(packed.data), words * 4};
        b.each([&](Warp& w) {
            const auto t = w.tx();
            w.if_(t < words, [&] {
                w.store(Site::put, packed, t, w.load(Site::fetch, source_, t + b.x() * words));
            });
        });
        b.barrier();
        b.each([&](Warp& w) {
            const auto at = w.thread();
            w.if_(at < area_[0].width * area_[0].height, [&] {
                const auto first = w.tx() * 3;
                for (u32 c = 0; c < colours; ++c) {
                    const auto byte = w.load(static_cast<u32>(Site::red) + c, bytes, first, c);
                    const auto level = as<i32>(byte) - 128;
                    w.store(static_cast<u32>(Site::set) + c, in_[c], at, level);
                }
            });
        });
    }
    void copy_low_band(Warp& w) {
        enum class Site : u32 { from, to };
        const auto i = w.thread();
        w.if_(i < area().width * area().height,
              [&] { w.store(Site::to, in_[colour()], i, w.load(Site::from, out_[colour()], i)); });
    }

    /// Rows of a block's window in shared memory, with two more columns on the left and one on the
    /// right. Even columns come first; odd ones follow at an offset of 16 banks.
    struct Tile {
        u32 width; ///< of the window
        u32 odd, pitch;
        Shared<i32> cell;

        Tile(Block& b, u32 threads)
            : width(threads), odd(width / 2 + 16), pitch(width + 17),
              cell(b.shared<i32>(window_rows * pitch)) {}
    };
    using Columns = std::vector<Registers<i32>>;

    void transform(Block& b) {
        const Area& a = area();
        const Tile tile(b, b.warps() * warp_lanes);
        const u32 first = b.y() * window_rows * windows;
        const u32 last = std::min(a.height, first + window_rows * windows);
        Columns row(window_rows + 3, Registers<i32>(b)); // row 2 is the first of the window
        transform_rows(b, tile, static_cast<i32>(first) - 2, 3, row, 0);
        for (u32 y = first; y < last; y += window_rows) {
            transform_rows(b, tile, static_cast<i32>(y) + 1, window_rows, row, 3);
            b.each([&](Warp& w) { transform_columns(w, tile, y, row); });
        }
    }
    /// Transforms rows from `y` on; each thread keeps its own column of them in registers from
    /// `into` on.
    void transform_rows(Block& b, const Tile& tile, i32 y, u32 count, Columns& row, u32 into) {
        enum class Site : u32 {
            fetch,
            put,
            fetch_edge,
            put_edge,
            left,
            right,
            odd,
            set_odd,
            last_left,
            last_right,
            last_odd,
            set_last,
            before,
            after,
            even,
            set_even,
            take
        };
        const Area& a = area();
        const auto wide = static_cast<i32>(a.width);
        const Array<i32>& in = in_[colour()];
        const Shared<i32>& cell = tile.cell;
        const u32 first = b.x() * tile.width, half = tile.width / 2;
        const auto start = [&](u32 r) {
            return static_cast<u32>(mirrored(y + static_cast<i32>(r), static_cast<i32>(a.height))) *
                   a.width;
        };
        b.each([&](Warp& w) {
            const auto t = w.tx();
            const auto x = as<u32>(mirrored(as<i32>(t + first), wide));
            const auto place = mad(t & 1, tile.odd, t >> 1) + 1;
            w.repeat(count, [&](u32 r) {
                const auto value = w.load(Site::fetch, in, x + start(r));
                w.store(Site::put, cell, place, value, r * tile.pitch);
            });
            w.if_(t < 3, [&] { // columns 0 and 1 and the last one
                const auto column = select(t < 2, t, t + tile.width);
                const auto edge = as<u32>(mirrored(as<i32>(column + first - 2), wide));
                const auto there = mad(column & 1, tile.odd, column >> 1);
                w.repeat(count, [&](u32 r) {
                    const auto value = w.load(Site::fetch_edge, in, edge + start(r));
                    w.store(Site::put_edge, cell, there, value, r * tile.pitch);
                });
            });
        });
        b.barrier();
        // Half of the warps processes the even rows, the other half the odd rows.
        const auto upper = [&](const Warp& w) { return w.index() * warp_lanes >= half; };
        const auto pair = [&](Warp& w) {
            w.extra(2); // selecting the half: a comparison and a selection
            return w.tx() - (upper(w) ? half : 0);
        };
        b.each([&](Warp& w) {
            const auto k = pair(w);
            for (u32 r = upper(w); r < count; r += 2) {
                const auto at = k + r * tile.pitch;
                const auto left = w.load(Site::left, cell, at);
                const auto right = w.load(Site::right, cell, at, 1);
                const auto odd = w.load(Site::odd, cell, at, tile.odd);
                const auto both = left + right;
                w.store(Site::set_odd, cell, at, odd - (both >> 1), tile.odd);
            }
            const auto t = w.tx();
            w.if_(t < count, [&] { // the last odd column
                const auto at = mad(t, tile.pitch, all_lanes(half));
                const auto left = w.load(Site::last_left, cell, at);
                const auto right = w.load(Site::last_right, cell, at, 1);
                const auto odd = w.load(Site::last_odd, cell, at, tile.odd);
                const auto both = left + right;
                w.store(Site::set_last, cell, at, odd - (both >> 1), tile.odd);
            });
        });
        b.barrier();
        b.each([&](Warp& w) {
            const auto k = pair(w);
            for (u32 r = upper(w); r < count; r += 2) {
                const auto at = k + r * tile.pitch;
                const auto before = w.load(Site::before, cell, at, tile.odd);
                const auto after = w.load(Site::after, cell, at, tile.odd + 1);
                const auto even = w.load(Site::even, cell, at, 1);
                const auto both = before + after;
                w.store(Site::set_even, cell, at, even + ((both + 2) >> 2), 1);
            }
        });
        b.barrier();
        b.each([&](Warp& w) { // half of the warps processes the even columns, the other half the
                              // odd columns
            const auto at = pair(w) + (upper(w) ? tile.odd : 0);
            for (u32 r = 0; r < count; ++r)
                row[into + r][w] = w.load(Site::take, cell, at, 1 + r * tile.pitch);
        });
        b.barrier();
    }
    /// Each thread transforms its own column in registers and writes it to the four bands.
    void transform_columns(Warp& w, const Tile& tile, u32 y, Columns& row) {
        constexpr u32 set = 32; // a site for each row, after those of transform_rows
        const Area& a = area();
        const u32 half = tile.width / 2;
        const bool upper = w.index() * warp_lanes >= half;
        std::array<Lanes<i32>, window_rows + 3> value;
        for (u32 r = 0; r < value.size(); ++r) value[r] = row[r][w];
        for (u32 r = 0; r < 3; ++r) row[r][w] = value[window_rows + r]; // renamed, not moved
        for (u32 r = 1; r + 1 < value.size(); r += 2) {
            const auto both = value[r - 1] + value[r + 1];
            value[r] = value[r] - (both >> 1);
        }
        for (u32 r = 2; r + 1 < value.size(); r += 2) {
            const auto both = value[r - 1] + value[r + 1];
            value[r] = value[r] + ((both + 2) >> 2);
        }
        const u32 columns = upper ? a.width / 2 : a.low_columns();
        const u32 low_band = upper ? a.low_columns() * a.low_rows() : 0;
        const u32 high_band =
            a.width * a.low_rows() + (upper ? a.low_columns() * (a.height / 2) : 0);
        w.extra(4); // selections of the four above
        const auto column = w.tx() + (w.bx() * half - (upper ? half : 0));
        w.if_(column < columns, [&] {
            for (u32 r = 0; r < window_rows && y + r < a.height; ++r) {
                const u32 band = r % 2 == 0 ? low_band : high_band;
                const auto at = column + (band + (y + r) / 2 * columns);
                w.store(set + r, out_[colour()], at, value[r + 2]);
            }
        });
    }

    std::array<Area, levels> area_;
    Array<u32> source_; ///< three bytes per pixel
    std::array<Array<i32>, colours> in_, out_;
    u32 split_, transform_, copy_;
};

/// Transforms one line of pixels: low half first, then the high half. At an edge, the existing
/// neighbour counts twice.
std::vector<i32> lifted(const std::vector<i32>& line) {
    std::vector<i32> low, high;
    for (std::size_t i = 0; i < line.size(); ++i) (i % 2 == 0 ? low : high).push_back(line[i]);
    for (std::size_t i = 0; i < high.size(); ++i)
        high[i] -= (low[i] + (i + 1 < low.size() ? low[i + 1] : low[i])) >> 1;
    for (std::size_t i = 0; i < low.size() && !high.empty(); ++i) {
        const i32 before = i > 0 ? high[i - 1] : high[0];
        const i32 after = i < high.size() ? high[i] : high.back();
        low[i] += (before + after + 2) >> 2;
    }
    low.insert(low.end(), high.begin(), high.end());
    return low;
}

std::string Wavelet::difference() const {
    std::vector<u8> rgb(source_.size * 4);
    std::memcpy(rgb.data(), source_.data, rgb.size());
    for (u32 c = 0; c < colours; ++c) {
        std::vector<i32> picture(out_[c].size), out(out_[c].size);
        for (u64 i = 0; i < picture.size(); ++i) picture[i] = rgb[i * 3 + c] - 128;
        for (const Area& a : area_) {
            for (u32 y = 0; y < a.height; ++y) {
                const auto row = picture.begin() + y * a.width;
                const auto bands = lifted({row, row + a.width});
                std::copy(bands.begin(), bands.end(), row);
            }
            u64 at[2][2] {{0, a.low_columns() * a.low_rows()}, {a.width * a.low_rows(), 0}};
            at[1][1] = at[1][0] + a.low_columns() * (a.height / 2);
            std::vector<std::vector<i32>> columns;
            for (u32 x = 0; x < a.width; ++x) {
                std::vector<i32> column;
                for (u32 y = 0; y < a.height; ++y) column.push_back(picture[y * a.width + x]);
                columns.push_back(lifted(column));
            }
            for (u32 y = 0; y < a.height; ++y)
                for (u32 x = 0; x < a.width; ++x)
                    out[at[y >= a.low_rows()][x >= a.low_columns()]++] = columns[x][y];
            std::copy(out.begin(), out.begin() + a.low_columns() * a.low_rows(), picture.begin());
        }
        const std::string name = std::string(1, "rgb"[c]) + "_out";
        if (auto wrong = first_difference(name, out_[c], out); !wrong.empty()) return wrong;
    }
    return "";
}

const Entry entry {{.names = {"dwt2d"},
                    .doc = "A 5/3 wavelet transform of a picture (a .bmp, or drawn), three levels, "
                           "after Rodinia (Che et al., IISWC'09)",
                    .tables = "CMD I (dwt2d)",
                    .size_is = "the number of pixels along each side",
                    .size = 1024,
                    .check_size = 150,
                    .most = 1 << 13,
                    .memory = [](const Options& o) { return 33 * o.size * o.size; },
                    .reads = "a bitmap",
                    .make = make<Wavelet>}};

} // namespace

} // namespace memsim::workload
