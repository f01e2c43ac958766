#include "workload/catalogue.hh"

/// Streams over vectors of doubles, one element per thread: reads, scales and writes, which measure
/// bandwidth. The first launch covers the vector once. With more iterations, a second launch has
/// the same threads, each of which processes further elements at a large distance. If the vector
/// fits in the L2 but not in an L1, it measures the L2.
namespace memsim::workload {

namespace {

enum class Stream : std::uint8_t { read, scale, write };

/// Per element, besides its accesses: index, address and test.
constexpr u32 instructions = 8;

template <Stream kind>
class StreamOf final : public Application {
  public:
    explicit StreamOf(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)) {
        std::vector<double> values(kind == Stream::write ? 0 : n_);
        for (u32 i = 0; i < values.size(); ++i) values[i] = i;
        if (kind != Stream::write) from_ = memory_.input("from", values);
        if (kind != Stream::read) to_ = memory_.zeroed<double>("to", n_);
        pass_ = kernel(
            "stream", 16, [this](Warp& w) { pass(w); }, Counted::machine_code);
    }
    std::string difference() const override {
        if (kind == Stream::read) return "";
        std::vector<double> expected(n_);
        for (u32 i = 0; i < n_; ++i) expected[i] = kind == Stream::write ? 1.0 : 3.0 * i;
        return first_difference("to", to_, expected);
    }

  private:
    bool next() override {
        if (launches() == std::min(options_.iterations, 2u)) return false;
        launch(pass_, n_, threads_or(1024));
        return true;
    }
    void pass(Warp& w) const {
        const u32 rounds = launches() == 1 ? 1 : options_.iterations - 1; // the first launch counts
        for (u32 k = 0; k < rounds; ++k) element(w, n_ / rounds * k);
    }
    /// The thread's element, displaced by `further` strides.
    void element(Warp& w, u32 further) const {
        enum class Site : u32 { from, to };
        w.compute(instructions);
        const auto thread = w.thread();
        const auto i = w.template map<u32>([&](u32 lane) { return (thread[lane] + further) % n_; });
        if constexpr (kind == Stream::read)
            compare(w, w.load(Site::from, from_, i));
        else if constexpr (kind == Stream::scale)
            w.store(Site::to, to_, i, w.load(Site::from, from_, i) * 3.0);
        else
            w.store(Site::to, to_, i, Lanes<double>(1.0));
    }

    /// Compares with a value that never occurs, because compilers remove a load whose result is
    /// unused.
    static void compare(Warp& w, const Lanes<double>& x) {
        w.if_(x < -1.0, [] {});
    }

    u32 n_;
    Array<double> from_, to_;
    u32 pass_;
};

/// `bytes` of host memory per element.
template <Stream kind, u64 bytes>
Workload stream(const char* name, const char* doc) {
    return {.names = {name},
            .doc = doc,
            .tables = "microbenchmarks (memsim silicon)",
            .size_is = "the number of elements",
            .size = 1 << 20,
            .check_size = 5000,
            .most = 1 << 28,
            .memory = [](const Options& o) { return bytes * o.size; },
            .make = make<StreamOf<kind>>};
}

const Entry read {stream<Stream::read, 16>("stream_read", "Reads a vector of doubles")};
const Entry scale {stream<Stream::scale, 24>("stream_scale", "b = 3 a over vectors of doubles")};
const Entry write {stream<Stream::write, 8>("stream_write", "Writes a vector of doubles")};

} // namespace

} // namespace memsim::workload
