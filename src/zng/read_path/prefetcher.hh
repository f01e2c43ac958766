#pragma once

#include "core/kernel/component.hh"
#include "protocol/cache_event.hh"
#include "protocol/mem.hh"

namespace memsim::zng {

using namespace memsim::literals;

/// The variants of ZnG Fig. 16b: no prefetches; 1 KB at each miss; a page at each miss; a page
/// where the predictor expects a use; there, the size that the access monitor sets.
enum class PrefetchVariant : std::uint8_t { none, small, page, predicted, dynamic };
constexpr std::array<std::string_view, 5> names_of(PrefetchVariant) {
    return {"nopref", "1KBpref", "4KBpref", "predict-4KBpref", "dyn-pref"};
}

/// ZnG's dynamic read prefetcher (IV-B), next to an L2 of one or more slices. It sends hints only:
/// a hint that finds no room is dropped, and no request waits for one.
///
/// Models        a predictor: a table indexed by the load's PC. An entry holds the pages last read
///               by the first `warps` warps that used it, and a saturating counter. A read of the
///               page recorded for its warp increments the counter; a read of another page
///               decrements it and is recorded. A miss whose entry, including this read, is above
///               `threshold` causes a hint. An access monitor: of every `window` evictions it
///               computes the share of prefetched lines that were never used. Above `high` the
///               prefetch size is halved; below `low` it grows by `step`, within a line and a page.
///               A prefetch covers that many bytes from the missed line; it begins earlier if the
///               page would end first.
/// Requires      Prefetches do not cross the address chunk of a slice: if slices interleave chunks
///               smaller than a page, a prefetch is at most one chunk.
/// Not modelled  The time of the look-up (parallel to the tags); the width of the table's ports.
class Prefetcher final : public Model<Prefetcher> {
  public:
    struct Params {
        Param<unsigned> slices {
            1, {1, 256}, "Slices of the L2, which share one table and monitor", from_wiring()};
        Param<PrefetchVariant> variant {PrefetchVariant::dynamic, "Variant of ZnG's Fig. 16b",
                                        stated("ZnG IV-B: dyn-pref")};
        Param<unsigned> entries {
            512, {1, 1u << 20}, "Entries of the predictor's table", stated("ZnG IV-B: 512")};
        Param<unsigned> warps {5, {1, 64}, "Warps that an entry tracks", stated("ZnG IV-B: five")};
        Param<unsigned> counter_bits {
            4, {1, 8}, "Bits of an entry's counter", stated("ZnG IV-B: 4")};
        Param<unsigned> threshold {12,
                                   {0, 254},
                                   "Value that an entry's counter must exceed for a hint",
                                   stated("ZnG IV-B: 12")};
        Param<Bytes> page {
            4_KiB, {128_B, 64_KiB}, "Bytes of a flash page", stated("ZnG table I: 4 KB")};
        Param<Bytes> line {128_B,
                           {32_B, 512_B},
                           "Bytes of an L2 line; the smallest prefetch",
                           assumed("the L2's line")};
        Param<Bytes> initial {
            4_KiB, {32_B, 64_KiB}, "Initial size of a prefetch", assumed("a page")};
        Param<Bytes> step {1_KiB,
                           {32_B, 64_KiB},
                           "Bytes by which the prefetch size grows",
                           stated("ZnG IV-B: 1 KB")};
        Param<unsigned> window {
            1024, {1, 1u << 20}, "Evictions after which the prefetch size is adjusted", assumed()};
        Param<Fraction> high {30_pct,
                              {0_pct, 100_pct},
                              "Share of unused lines above which the prefetch size halves",
                              stated("ZnG: 0.3")};
        Param<Fraction> low {5_pct,
                             {0_pct, 100_pct},
                             "Share of unused lines below which the prefetch size grows",
                             stated("ZnG: 0.05")};
        Param<Time> latency {833'334_fs,
                             {1_fs, 1_us},
                             "Time from a miss to its hint",
                             assumed("a cycle of 1.2 GHz")};
        Param<unsigned> queue {256,
                               {130, 65536},
                               "Events in flight (two per slot of a slice's cycle, and a margin)",
                               queue_places()};
    };
    struct Ports {
        Many<In<protocol::CacheEvent>> events {
            from<&Params::slices>, {.depth = from<&Params::queue>}, "Events of each slice"};
        Many<Requester<protocol::Mem>> hints {
            from<&Params::slices>,
            {.depth = [](const void*) { return 1u; }, .latency = from<&Params::latency>},
            "Prefetch hints to each slice, without answers"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads seen"};
        Counter read_misses {Unit::count, "Reads that missed"};
        Counter predictions {Unit::count, "Reads predicted to be in the page that their warp last "
                                          "read with the same PC, because the entry's counter was "
                                          "above the threshold"};
        Counter predictions_right {Unit::count, "Correct predictions"};
        Ratio accuracy {predictions_right, predictions, "Accuracy of the predictor"};
        Counter takeovers {Unit::count, "Entries reassigned from another PC"};
        Counter untracked {Unit::count, "Reads of warps that their entry does not track"};
        Counter cut_off {Unit::count,
                         "Misses without a prefetch, because no benefit was predicted"};
        Counter hints {Unit::count, "Hints sent"};
        Counter hints_dropped {Unit::count, "Hints dropped because their link was full"};
        Counter hinted_bytes {Unit::byte, "Bytes of the hints sent"};
        Counter evictions {Unit::count, "Lines evicted"};
        Counter unused {Unit::count, "Prefetched lines evicted without an access"};
        Ratio waste {unused, evictions, "Share of unused lines among those evicted"};
        Counter halvings {Unit::count, "Times that the prefetch size was halved"};
        Counter growths {Unit::count, "Times that the prefetch size grew"};
        Level size {Unit::byte, "Bytes of a prefetch"};
    };
    struct Entry {
        std::uint64_t key = 0; ///< application and PC, plus one; 0: unused
        std::uint8_t followed = 0;
        std::uint8_t counter = 0;
    };
    struct Followed {
        std::uint32_t warp = 0; ///< source and number of the warp
        std::uint64_t page = 0;
    };
    struct State {
        std::vector<Entry> table;
        std::vector<Followed> followed;          ///< `warps` per entry
        std::uint32_t evictions = 0, unused = 0; ///< of the current window
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
    std::uint32_t longest_ =
        0; ///< bytes that a prefetch has at most, and whose multiples it does not cross
};

} // namespace memsim::zng
