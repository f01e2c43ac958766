#include "workload/catalogue.hh"

/// Reads of a vector in the forms in which kernels fetch tiles, 64 bytes for each thread: by loads
/// to registers, by asynchronous copies of the threads to shared memory (cp.async), and by one bulk
/// copy for each block (TMA). The loads of a thread, or all copies of a block, are in flight
/// together.
namespace memsim::workload {

namespace {

enum class Form : std::uint8_t { loads, copies, bulk };

constexpr u32 of_thread = 8; ///< doubles
constexpr u32 of_copy = 2;   ///< 16 bytes

template <Form form>
class FormOf final : public Application {
  public:
    explicit FormOf(const Options& options)
        : Application(options), threads_(threads_or(256)),
          blocks_(std::max(static_cast<u32>(options.size / of_thread / threads_), 1u)) {
        std::vector<double> values(u64 {of_thread} * threads_ * blocks_);
        for (u64 i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
        from_ = memory_.input("from", values);
        const u32 shared = form == Form::loads ? 0 : of_thread * threads_ * 8 + 8;
        read_ = kernel(
            "read", 32, [this](Block& b) { read(b); }, Counted::machine_code, shared);
    }
    std::string difference() const override { return wrong_; }

  private:
    enum class Site : u32 { from, tile };

    bool next() override {
        if (launches() == 1) return false;
        launch(read_, u64 {threads_} * blocks_, threads_);
        return true;
    }
    u32 first(const Block& b) const { return b.x() * threads_ * of_thread; }
    void read(Block& b) {
        if constexpr (form == Form::loads)
            b.each([&](Warp& w) { load(w, first(b)); });
        else
            fetch(b);
    }
    void load(Warp& w, u32 from) {
        w.compute(8);
        const auto thread = w.tx();
        std::array<Lanes<double>, of_thread> value;
        for (u32 k = 0; k < of_thread; ++k) {
            w.compute(1);
            value[k] = w.load(Site::from, from_, thread, from + k * threads_);
        }
        for (u32 k = 0; k < of_thread; ++k) compare(w, value[k], from + k * threads_);
    }
    /// Copies to shared memory, of which each thread then reads one element.
    void fetch(Block& b) {
        const auto tile = b.shared<double>(of_thread * threads_);
        const u32 from = first(b);
        if constexpr (form == Form::bulk) {
            TransactionBarrier& barrier = b.transaction_barrier();
            const u32 all = of_thread * threads_;
            b.each([&](Warp& w) {
                w.compute(8);
                if (w.index() == 0)
                    w.bulk_copy(Site::from, barrier, tile, 0, from_, from, {.columns = all});
            });
            b.each([&](Warp& w) { w.wait_barrier(barrier); });
        } else {
            b.each([&](Warp& w) {
                w.compute(8);
                const auto place = w.tx() * of_copy;
                for (u32 at = 0; at < of_thread * threads_; at += of_copy * threads_) {
                    w.compute(1);
                    w.copy(Site::from, tile, place, from_, place,
                           {.elements = of_copy, .plus = from + at, .to_plus = at});
                }
                w.commit_copies();
                w.wait_copies(0);
            });
        }
        b.barrier();
        b.each([&](Warp& w) { compare(w, w.load(Site::tile, tile, w.tx()), from); });
    }
    /// Compares with the element of the thread from here on, as a program that uses the values
    /// would read them.
    void compare(Warp& w, const Lanes<double>& x, u32 from) {
        w.if_(x < -1.0, [] {});
        w.for_active([&](u32 i) {
            if (x[i] != from_[from + w.index() * gpu_program::warp_lanes + i])
                wrong_ = "a thread has read another element than its own";
        });
    }

    u32 threads_, blocks_;
    Array<double> from_;
    u32 read_;
    std::string wrong_; ///< the first finding, of a test
};

template <Form form>
Workload read_by(const char* name, const char* doc) {
    return {.names = {name},
            .doc = doc,
            .tables = "microbenchmarks (memsim silicon)",
            .size_is = "the number of doubles",
            .size = 1 << 20,
            .check_size = 5000,
            .most = 1 << 28,
            .memory = [](const Options& o) { return 16 * o.size; },
            .make = make<FormOf<form>>};
}

const Entry loads {
    read_by<Form::loads>("read_loads", "Reads a vector of doubles by eight loads of each thread")};
const Entry copies {read_by<Form::copies>(
    "read_copies", "Reads a vector of doubles by asynchronous copies to shared memory")};
const Entry bulk {
    read_by<Form::bulk>("read_bulk", "Reads a vector of doubles by bulk copies to shared memory")};

} // namespace

} // namespace memsim::workload
