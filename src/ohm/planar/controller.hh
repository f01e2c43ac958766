#pragma once

#include "core/machine/functional.hh"
#include "ohm/planar/copy_swaps.hh"
#include "ohm/planar/function_swaps.hh"
#include "ohm/planar/postponed_requests.hh"

namespace memsim::ohm {

/// The memory controller of one channel (electrical) or virtual channel (optical) in planar mode,
/// with the DRAM behind it and, at its DDR-T ports, XPoint modules that share the channel
/// (Ohm-GPU II-C, III-B and Fig. 7a; the platforms Hetero and Ohm-base).
///
/// Every request is looked up in the mapping table of its group (ohm/planar/placement.hh). An
/// XPoint page whose competing counter reaches `hot_threshold` is swapped with the DRAM page of its
/// group by this controller, in pieces of 256 bytes, over the same channel: read from DRAM, read
/// from XPoint, write to XPoint, write to DRAM. A swap begins when the requests under way to its
/// two pages are done. It is never given up; one that finds all swap buffers in use is postponed:
/// the counter stays up and the next access to the page tries again. A hint, from who knows what
/// warps access next, counts as an access and moves nothing else.
///
/// A request to a page that is being swapped is served from the swap buffer if it is a read, its
/// piece is there and no write to the page waits before it; else it waits, in a queue of
/// `postponed` places, until it can be or the swap is over. When the queue is full nothing further
/// is accepted. (Serving reads costs nothing: the data is in the controller. Writes into the buffer
/// would have to chase pieces already on their way back.)
///
/// The functions that take migration off the channel (Ohm-GPU IV-B):
/// - auto_rw: XPoint snarfs what a swap reads from DRAM, so it is not sent there. 3 of 4 transfers
///   are left.
/// - swap_function: the pages are exchanged by the XPoint controller, over the memory route. When
///   the two pages are still, the bank of the DRAM page is given away: its other requests wait
///   (`conflicts`), its row is opened. SWAP-CMD goes to XPoint over the channel; XPoint's DDR
///   sequence generator moves the data (ohm/channel/page_swapper.hh, ohm/channel/memory_route.hh)
///   and says ready; then this controller confirms, and all that waited goes on. Requests to the
///   two pages wait as long: the data is not here. With WOM code the channel runs at 2/3 of its
///   rate while data crosses the memory route.
/// - behind_writes: such a swap is begun when writes are served, or no read waits; until then its
///   pages are served where they are.
///
/// The channel: one transfer at a time, booked at most `lead` ahead. Of transfers that could be
/// booked at one time: demand of XPoint (it has waited for the media), then DRAM by its scheduler
/// (demand before migration), then migration of XPoint, which takes a place only where the channel
/// would idle. A swap older than `swap_patience` goes before demand at every queue, so that it ends
/// and its pages are free again. While the controller copies a page, `swap_hold` says what requests
/// wait for.
/// Order: requests to one 128-byte block take effect in order of arrival. The way of commands is
/// part of the latency; what they take of the light is in its rate (`command_bits`).
/// Contents: in the DRAM a write takes effect when the scheduler gets it, a read when its data
/// leaves. What the host copies into a page that is swapped is put there when that is over.
/// Not modelled: ECC, energy, transfers of the mapping table itself.
class PlanarController final : public Model<PlanarController>, public Functional {
  public:
    struct Params {
        ChannelParams channel;
        SwapParams swap;
        Param<Bytes> dram {2_GiB,
                           {4_KiB, Bytes {std::int64_t {1} << 50}},
                           "DRAM of this controller",
                           stated("Ohm-GPU table III, planar: 2 x 1 GiB")};
        Param<unsigned> ratio {
            8, {1, 15}, "XPoint pages to a DRAM page", stated("Ohm-GPU table I: 1:8")};
        Param<Bytes> page {2_KiB,
                           {512_B, 4_KiB},
                           "Page: unit of mapping and swap",
                           assumed("a DRAM row; range 1-4 KiB")};
        Param<Routes> routes {Routes::optical, "What the channel carries at once",
                              stated("Ohm-GPU V-B")};
        Param<unsigned> postponed {32,
                                   {1, 4096},
                                   "Requests that wait for a swap",
                                   assumed("no source gives it; range 8-128")};

        unsigned sequences() const { return swap.swap_function() ? channel.modules() : 0; }
    };
    struct Ports {
        ChannelPorts<Params> channel;
        Many<MemoryRoute::Port> sequences {
            +[](const void* p) { return static_cast<const Params*>(p)->sequences(); },
            {.depth = +[](const void* p) { return static_cast<const Params*>(p)->swap.accesses(); },
             .latency =
                 +[](const void* p) { return static_cast<const Params*>(p)->channel.one_way(); }},
            "DDR sequences of the XPoint modules over the memory route; with the swap function"};
    };
    struct Stats {
        ChannelStats channel;
        BankStats<Params> bank;
        SwapStats swap;
        PageDemandStats demand;
        PostponedStats postponed;
        Counter requests {Unit::count, "Demand requests accepted"};
        Counter dram_hits {Unit::count, "Requests whose page was in DRAM when they came"};
        Counter hints {Unit::count, "Hints that counted as an access to their page"};
        Ratio dram_hit_rate {dram_hits, requests, "Share of requests whose page was in DRAM"};
        Level mapping_table_bytes {Unit::byte,
                                   "Mapping table in hardware: groups x slots x bits of a slot"};
    };

    struct State {
        ChannelState channel;
        PageDemandState demand;
        Fifo<std::uint32_t> postponed; ///< requests that wait for a swap
        ReadyReads ready_migration;    ///< what copies have read from XPoint
        PageSwapsState pages;
        FunctionSwapsState function;
        Timer next;
        Tick stalled_since = never;
        parts::SectorStore dram; ///< its contents
    };

    explicit PlanarController(const Params& p) : params(p) {}
    void init() override;
    void start() override { stat.mapping_table_bytes.set(0, table_bytes_); }
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Placement& placement() const { return placement_; }
    /// Where the data of a logical address lies now: 0 in DRAM, k in the group's k-th XPoint page.
    std::uint32_t location(std::uint64_t address) const {
        const Placement::Page p = placement_.page_of(address);
        return state.pages.groups.location(p.group, p.slot);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void work();
    Placement::Page page_of(const protocol::MemRequest& r) const;
    bool only_dram_works() const;
    bool serves_reads() const;
    void take_answers();
    void send_left();
    void take_dram_done();
    bool run_dram();
    void arm_next();
    bool accept(const protocol::MemRequest& r);
    void finish(std::uint32_t id, Contents::Id contents);
    void foresee(const protocol::MemRequest& hint);
    void begin(Swap* s);
    void end_swap(Swap& s);

    Placement placement_;
    std::uint64_t table_bytes_ = 0;
    std::optional<MemoryChannel> channel_;
    std::optional<ModuleSide> modules_;
    std::optional<PageSwaps> swaps_;
    DemandPort requests_ {*this, port.channel.cpu_side, stat.channel, state.stalled_since};
    std::optional<PageDemand> demand_;
    std::optional<PostponedRequests> postponed_;
    std::optional<CopySwaps> copies_;
    std::optional<FunctionSwaps> function_; ///< with the swap function
};

} // namespace memsim::ohm
