#include "workload/catalogue.hh"

/// Atomic additions with results: of one thread, each of which needs the one before, so that their
/// time is the latency; of all threads to one word; and of each thread to a word of its own.
namespace memsim::workload {

namespace {

enum class Words : std::uint8_t { chained, one, many };

/// Per addition, besides the atomic: the sum.
constexpr u32 instructions_of_sum = 1;

template <Words words>
class AtomicsOn final : public Application {
  public:
    explicit AtomicsOn(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)) {
        counters_ = memory_.zeroed<u32>("counters", words == Words::many ? n_ : 1);
        last_ = memory_.zeroed<u32>("last", n_);
        add_ = kernel(
            "add", 12, [this](Warp& w) { add(w); }, Counted::machine_code);
    }
    std::string difference() const override {
        const u32 each = words == Words::chained ? 0
                         : words == Words::one   ? n_ * options_.iterations
                                                 : options_.iterations;
        return first_difference("counters", counters_, std::vector<u32>(counters_.size, each));
    }

  private:
    bool next() override {
        if (launches() == 1) return false;
        launch(add_, n_, threads_or(1024));
        return true;
    }
    void add(Warp& w) const {
        enum class Site : u32 { add, end };
        const auto thread = w.thread();
        w.if_(thread < n_, [&] {
            Lanes<u32> at = w.map<u32>([&](u32 i) { return words == Words::many ? thread[i] : 0; });
            Lanes<u32> sum = all_lanes(0u);
            for (u32 i = 0; i < options_.iterations; ++i) {
                if constexpr (words == Words::chained) {
                    at = w.atomic_add(Site::add, counters_, at, all_lanes(0u));
                    continue;
                }
                sum = sum + w.atomic_add(Site::add, counters_, at, all_lanes(1u));
                w.compute(instructions_of_sum);
            }
            w.store(Site::end, last_, thread, words == Words::chained ? at : sum);
        });
    }

    u32 n_;
    Array<u32> counters_, last_;
    u32 add_;
};

template <Words words>
Workload atomics(const char* name, const char* doc, u64 most) {
    return {.names = {name},
            .doc = doc,
            .tables = "microbenchmarks (memsim silicon)",
            .size_is = "the number of threads; iterations are the additions of each thread",
            .size = most == 1 ? 1u : 1u << 12,
            .check_size = most == 1 ? 1u : 100u,
            .most = most,
            .iterations = 16,
            .memory = [](const Options& o) { return (words == Words::many ? 8 : 4) * o.size; },
            .make = make<AtomicsOn<words>>};
}

const Entry atomic_chain {atomics<Words::chained>(
    "atomic_chain", "One thread adds to a word; each addition needs the result of the one before",
    1)};
const Entry atomic_one {atomics<Words::one>("atomic_one", "All threads add to one word", 1u << 24)};
const Entry atomic_many {
    atomics<Words::many>("atomic_many", "Each thread adds to a word of its own", 1u << 24)};

} // namespace

} // namespace memsim::workload
