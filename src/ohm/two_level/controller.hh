#pragma once

#include "core/machine/functional.hh"
#include "ohm/channel/demand_port.hh"
#include "ohm/two_level/evictions.hh"
#include "ohm/two_level/line_demand.hh"
#include "ohm/two_level/reverse_writes.hh"
#include "ohm/two_level/set_queues.hh"

namespace memsim::ohm {

/// The memory controller of one channel in two-level mode: DRAM is a direct-mapped inclusive cache
/// of the XPoint modules behind the same channel (Ohm-GPU III-B, Fig. 7b).
///
/// Every request reads its line of DRAM, tag and data in one access. A read that hits is answered,
/// a write that hits is written. On a miss a dirty victim - it has just been read - is written to
/// XPoint, the line is read from XPoint and answered, and written to DRAM. A write of a whole line
/// needs no read of XPoint; one of a part of it does.
/// Requests to one set take effect one after another, in order of arrival: the next one begins when
/// the scheduler has the last one's write and the module its victim.
///
/// auto_rw (Ohm-GPU IV-B): the XPoint controller snarfs the line as it is read from DRAM, compares
/// the tags itself and takes the eviction over: no transfer to XPoint. A line is read from DRAM
/// only when there is a place for it in the module's register.
///
/// reverse_write (Ohm-GPU V-A, Fig. 12): the line that a miss brings crosses the channel once, from
/// XPoint to the register in front of the DRAM, and the controller's DDR monitor sees it pass.
/// XPoint says ready; the controller stops issuing new requests (reverse_hold) and confirms; XPoint
/// sends its completion signal; then the request is answered, and the line goes from the register
/// to its place without the channel (ohm/two_level/reverse_writes.hh).
///
/// migration_channel dedicated: fills and victims have a channel of their own (Ohm-GPU Fig. 8).
///
/// The channel: ready reads of XPoint first, then DRAM by its scheduler, then evictions, which take
/// a place only where the channel would idle; those older than `patience` go before all else.
/// Contents: a line changes when the scheduler gets what is written. What the host copies into a
/// set that requests use is put there when they are done. Not modelled: ECC itself, energy, lines
/// beyond an XPoint line. A read of a line that waits in the DRAM's register is answered from what
/// the DDR monitor saw.
class TwoLevelController final : public Model<TwoLevelController>, public Functional {
  public:
    struct Params {
        ChannelParams channel;
        EvictionParams eviction;
        ReverseParams reverse;
        Param<Bytes> interleave {2_KiB,
                                 {256_B, 1_MiB},
                                 "Chunk of the sharing of addresses: the crossbar's (a DRAM row)"};
        Param<Bytes> dram {1_GiB,
                           {512_B, 4096_GiB},
                           "DRAM of this controller",
                           stated("Ohm-GPU table III, two-level: 1 GiB")};
        Param<unsigned> ratio {
            64, {1, 1u << 20}, "XPoint to DRAM", stated("Ohm-GPU table I: 1:64")};
        Param<Bytes> line {
            128_B, {128_B, 256_B}, "Line of the cache", assumed("the L2's, one access for all")};
    };
    struct Ports {
        ChannelPorts<Params> channel;
    };
    struct Stats {
        ChannelStats channel;
        BankStats<Params> bank;
        EvictionStats eviction;
        ReverseStats reverse;
        Counter requests {Unit::count, "Demand requests whose tag was compared"};
        Counter hits {Unit::count, "Requests whose line was in DRAM"};
        Ratio dram_hit_rate {hits, requests, "Share of requests whose line was in DRAM"};
        Counter xpoint_reads {Unit::count, "Lines read from XPoint"};
        Counter fills {Unit::count, "Lines written to DRAM after a miss"};
        Counter conflicts {Unit::count, "Requests that waited for another one of their set"};
        Level lines {Unit::count, "Lines of DRAM that hold something"};
    };

    struct State {
        ChannelState channel;
        LineDemandState demand;
        SetQueues sets;
        EvictionState evictions;
        ReverseState reverse;
        CachedLinesState lines;
        Timer next;
        Tick stalled_since = never;
    };

    explicit TwoLevelController(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void work();
    // requests
    bool accept(const protocol::MemRequest& r);
    void line_read(std::uint32_t id);
    void line_came(std::uint32_t id, Contents::Id line);
    void fill(std::uint32_t id);
    void finish(std::uint32_t id, Contents::Id contents = {});
    void end_if_done(std::uint32_t id);
    // devices and the channel; the bool says whether anything changed
    void take_answers();
    void send_left();
    void take_dram_done();
    bool issue_requests();
    bool feed_modules();
    bool evict(bool old_ones);
    void arm_next();

    LineMap map_;
    DemandPort requests_ {*this, port.channel.cpu_side, stat.channel, state.stalled_since};
    std::optional<CachedLines> lines_;
    std::optional<MemoryChannel> channel_;
    std::optional<ModuleSide> modules_;
    std::optional<LineDemand> demand_;
    std::optional<Evictions> evictions_;
    std::optional<ReverseWrites> reverse_; ///< with reverse_write
};

} // namespace memsim::ohm
