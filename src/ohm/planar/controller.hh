#pragma once

#include "core/machine/functional.hh"
#include "ohm/planar/copy_swaps.hh"
#include "ohm/planar/function_swaps.hh"
#include "ohm/planar/postponed_requests.hh"

namespace memsim::ohm {

/// The memory controller of one channel (electrical) or virtual channel (optical) in planar mode,
/// with its DRAM and, at its DDR-T ports, XPoint modules that share the channel (Ohm-GPU II-C,
/// III-B and Fig. 7a; the platforms Hetero and Ohm-base).
///
/// Models        a mapping table look-up for every request (ohm/planar/placement.hh). When the
///               competing counter of an XPoint page reaches `hot_threshold`, the page is swapped
///               with the DRAM page of its group, in pieces of 256 bytes over the same channel:
///               read from DRAM, read from XPoint, write to XPoint, write to DRAM. A swap begins
///               when the outstanding requests to its two pages are complete, and is never
///               cancelled. If all swap buffers are in use, the counter keeps its value and the
///               next access to the page tries again. A hint counts as an access and causes no
///               other transfer.
///               A request to a page being swapped is served from the swap buffer if it is a read,
///               its piece is present and no earlier write to the page waits. Otherwise it waits in
///               a queue of `postponed` places until it can be served or the swap ends. While the
///               queue is full, no request is accepted. Buffer reads take no time, because the
///               controller holds the data. Writes into the buffer are not supported: they would
///               have to overtake pieces already being written back.
///               auto_rw (Ohm-GPU IV-B): XPoint snarfs the data that a swap reads from DRAM, which
///               leaves 3 of 4 transfers.
///               swap_function (Ohm-GPU IV-B): the XPoint controller exchanges the pages over the
///               memory route. When both pages are idle, the bank of the DRAM page is lent to it:
///               the row is opened and other requests to the bank wait (`conflicts`). SWAP-CMD is
///               sent to XPoint over the channel; its DDR sequence generator moves the data
///               (ohm/channel/page_swapper.hh, ohm/channel/memory_route.hh) and reports ready; this
///               controller confirms and resumes the requests that waited. Requests to both pages
///               wait meanwhile. With WOM code the channel runs at 2/3 of its rate while data
///               crosses the memory route.
///               behind_writes: such a swap begins when writes are being served or no read waits.
///               Until then its pages are served at their present place.
/// Ordering      Requests to one 128-byte block take effect in order of arrival. The channel
///               carries one transfer at a time, booked at most `lead` ahead. Among transfers
///               possible at the same time, the order is: demand of XPoint (it has waited for the
///               media), DRAM by its scheduler (demand before migration), migration of XPoint,
///               which uses only idle time of the channel. A swap older than `swap_patience`
///               precedes demand in every queue. While the controller copies a page, `swap_hold`
///               selects the requests that wait. The latency of commands is part of the request
///               latency; the share of the channel that they use is part of its rate
///               (`command_bits`).
/// Guarantees    Contents: in the DRAM, a write takes effect when the scheduler accepts it, a read
///               when its data leaves. Host copies into a page being swapped are applied when the
///               swap ends.
/// Not modelled  ECC; energy; transfers of the mapping table itself.
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
            8, {1, 15}, "XPoint pages per DRAM page", stated("Ohm-GPU table I: 1:8")};
        Param<Bytes> page {2_KiB,
                           {512_B, 4_KiB},
                           "Bytes of a page, the unit of mapping and swap",
                           assumed("a DRAM row; range 1-4 KiB")};
        Param<Routes> routes {Routes::optical, "Transfers that the channel carries at once",
                              stated("Ohm-GPU V-B")};
        Param<unsigned> postponed {32,
                                   {1, 4096},
                                   "Requests that may wait for a swap",
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
            "DDR sequences of the XPoint modules over the memory route, with the swap function"};
    };
    struct Stats {
        ChannelStats channel;
        BankStats<Params> bank;
        SwapStats swap;
        PageDemandStats demand;
        PostponedStats postponed;
        Counter requests {Unit::count, "Demand requests accepted"};
        Counter dram_hits {Unit::count, "Requests whose page was in DRAM on arrival"};
        Counter hints {Unit::count, "Hints that counted as an access to their page"};
        Ratio dram_hit_rate {dram_hits, requests, "Share of requests whose page was in DRAM"};
        Level mapping_table_bytes {
            Unit::byte, "Size of the mapping table in hardware: groups x slots x bits per slot"};
    };

    struct State {
        ChannelState channel;
        PageDemandState demand;
        Fifo<std::uint32_t> postponed; ///< requests that wait for a swap
        ReadyReads ready_migration;    ///< data that copies have read from XPoint
        PageSwapsState pages;
        FunctionSwapsState function;
        Timer next;
        Tick stalled_since = never;
        device_parts::SectorStore dram; ///< contents of the DRAM
    };

    explicit PlanarController(const Params& p) : params(p) {}
    void init() override;
    void start() override { stat.mapping_table_bytes.set(0, placement_.table_bytes()); }
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Placement& placement() const { return placement_; }
    /// The current location of a logical address: 0 in DRAM, k in the k-th XPoint page of its
    /// group.
    std::uint32_t location(std::uint64_t address) const {
        const Placement::Page p = placement_.page_of(address);
        return state.pages.groups.location(p.group, p.slot);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void advance_requests();
    Placement::Page page_of(const protocol::MemRequest& r) const;
    bool only_dram_works() const;
    bool serves_reads() const;
    void take_answers();
    void send_left();
    void take_dram_done();
    bool run_dram();
    void arm_next();
    bool accept(const protocol::MemRequest& r);
    void respond(std::uint32_t id, Contents::Id contents);
    void accept_hint(const protocol::MemRequest& hint);
    void start_swap(Swap* s);
    void end_swap(Swap& s);

    Placement placement_;
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
