#pragma once

#include "core/kernel/component.hh"
#include "protocol/cache_event.hh"
#include "protocol/mem.hh"

namespace memsim::zng {

using namespace memsim::literals;

/// What Fig. 16b of ZnG compares: no prefetches; 1 KB or a page at each miss; a page where the
/// predictor says so; what the access monitor says where the predictor says so.
enum class PrefetchVariant : std::uint8_t { none, small, page, predicted, dynamic };
constexpr std::array<std::string_view, 5> names_of(PrefetchVariant) {
    return {"nopref", "1KBpref", "4KBpref", "predict-4KBpref", "dyn-pref"};
}

/// ZnG's dynamic read prefetch (IV-B), beside an L2 of one or more slices.
///
/// Predictor: a table indexed by the load's PC; an entry has the pages that the first `warps` warps
/// to come by read last, and a saturating counter. A read of the page recorded for its warp counts
/// up, one of another page counts down and is recorded. A miss whose entry, this read included,
/// stands above `threshold` is followed by a hint.
/// Access monitor: of each `window` evictions the share of lines that were prefetched and never
/// asked for; above `high` the size of a prefetch is halved, below `low` it grows by `step`, within
/// a line and a page. A prefetch is that many bytes from the missed line on, begun earlier where
/// the page would end first.
/// Hints only: what finds no room is dropped, and nothing waits for one.
///
/// A slice is told of its own addresses: where the slices have chunks smaller than a page, a
/// prefetch is at most a chunk, and ends with it. Not modelled: the time of the look-up (it is
/// beside the tags'), the width of the table's ports.
class Prefetcher final : public Model<Prefetcher> {
  public:
    struct Params {
        Param<unsigned> slices {1, {1, 256}, "Slices of the L2: one table and monitor for all"};
        Param<PrefetchVariant> variant {PrefetchVariant::dynamic, "Variant of ZnG's Fig. 16b"};
        Param<unsigned> entries {
            512, {1, 1u << 20}, "Entries of the predictor's table", stated("ZnG IV-B: 512")};
        Param<unsigned> warps {5, {1, 64}, "Warps that an entry follows", stated("ZnG IV-B: five")};
        Param<unsigned> counter_bits {
            4, {1, 8}, "Bits of an entry's counter", stated("ZnG IV-B: 4")};
        Param<unsigned> threshold {12,
                                   {0, 254},
                                   "Value that an entry's counter must exceed for a hint",
                                   stated("ZnG IV-B: 12")};
        Param<Bytes> page {4_KiB, {128_B, 64_KiB}, "A flash page", stated("ZnG table I: 4 KB")};
        Param<Bytes> line {128_B, {32_B, 512_B}, "The L2's line; the least that is prefetched"};
        Param<Bytes> initial {
            4_KiB, {32_B, 64_KiB}, "Size of a prefetch at the start", assumed("a page")};
        Param<Bytes> step {1_KiB,
                           {32_B, 64_KiB},
                           "Step by which the length of a prefetch grows",
                           stated("ZnG IV-B: 1 KB")};
        Param<unsigned> window {
            1024, {1, 1u << 20}, "Evictions after which the prefetch size is adjusted", assumed()};
        Param<Fraction> high {30_pct,
                              {0_pct, 100_pct},
                              "Waste above which the prefetch size halves",
                              stated("ZnG: 0.3")};
        Param<Fraction> low {5_pct,
                             {0_pct, 100_pct},
                             "Waste below which the prefetch size grows",
                             stated("ZnG: 0.05")};
        Param<Time> latency {833'334_fs,
                             {1_fs, 1_us},
                             "Time from a miss to its hint",
                             assumed("a cycle of 1.2 GHz")};
        Param<unsigned> queue {
            256, {130, 65536}, "Events in flight: two for each slot of a slice's cycle, and some"};
    };
    struct Ports {
        Many<In<protocol::CacheEvent>> events {
            from<&Params::slices>, {.depth = from<&Params::queue>}, "Events of each slice"};
        Many<Requester<protocol::Mem>> hints {
            from<&Params::slices>,
            {.depth = [](const void*) { return 1u; }, .latency = from<&Params::latency>},
            "Hints at what each slice shall fetch, which nobody answers"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads seen"};
        Counter read_misses {Unit::count, "Reads that missed"};
        Counter predictions {Unit::count, "Reads of warps whose last page with this PC was known, "
                                          "while the counter stood above the threshold: each is "
                                          "predicted to be in that page"};
        Counter predictions_right {Unit::count, "Predictions that came true"};
        Ratio accuracy {predictions_right, predictions, "Accuracy of the predictor"};
        Counter takeovers {Unit::count, "Entries taken from another PC"};
        Counter untracked {Unit::count, "Reads of warps that their entry does not follow"};
        Counter cut_off {Unit::count, "Misses without a prefetch: no gain was predicted"};
        Counter hints {Unit::count, "Hints sent"};
        Counter hints_dropped {Unit::count, "Hints that found no room on their link"};
        Counter hinted_bytes {Unit::byte, "Bytes of the hints sent"};
        Counter evictions {Unit::count, "Lines evicted"};
        Counter unused {Unit::count, "Prefetched lines, evicted, that no access had asked for"};
        Ratio waste {unused, evictions, "Share of unused lines among those evicted"};
        Counter halvings {Unit::count, "Times that the size was halved"};
        Counter growths {Unit::count, "Times that the prefetch size grew"};
        Level size {Unit::byte, "Bytes of a prefetch"};
    };
    struct Entry {
        std::uint64_t key = 0; ///< application and PC, plus one; 0: nobody's
        std::uint8_t followed = 0;
        std::uint8_t counter = 0;
    };
    struct Followed {
        std::uint32_t warp = 0; ///< source and number
        std::uint64_t page = 0;
    };
    struct State {
        std::vector<Entry> table;
        std::vector<Followed> followed;          ///< `warps` of each entry
        std::uint32_t evictions = 0, unused = 0; ///< of this window
        std::uint32_t size = 0;                  ///< of a prefetch
    };

    explicit Prefetcher(const Params& p) : params(p) {}
    void init() override;
    void start() override;
    void wake() override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool predicts() const { return params.variant() >= PrefetchVariant::predicted; }
    bool learn(const protocol::CacheEvent& e);
    void read(unsigned slice, const protocol::CacheEvent& e);
    void evicted(bool unused);
    std::uint32_t longest_prefetch() const;

    std::uint32_t page_ = 0, line_ = 0;
    std::uint32_t longest_ = 0; ///< bytes that a prefetch has at most, and does not cross
};

} // namespace memsim::zng
