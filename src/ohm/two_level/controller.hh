#pragma once

#include "core/machine/functional.hh"
#include "ohm/channel/demand_port.hh"
#include "ohm/two_level/evictions.hh"
#include "ohm/two_level/line_demand.hh"
#include "ohm/two_level/reverse_writes.hh"
#include "ohm/two_level/set_queues.hh"

namespace memsim::ohm {

/// The memory controller of one channel in two-level mode: DRAM is a direct-mapped inclusive cache
/// of the XPoint modules on the same channel (Ohm-GPU III-B, Fig. 7b).
///
/// Models        a DRAM access for every request, which reads line and tag together. A read hit is
///               answered, a write hit is written. On a miss, a dirty victim, which has just been
///               read, is written to XPoint; the line is read from XPoint, answered and written to
///               DRAM. A write of a whole line needs no read of XPoint; a partial write does.
///               auto_rw (Ohm-GPU IV-B): the XPoint controller snarfs the line as it is read from
///               DRAM, compares the tags and takes over the eviction, without a transfer to XPoint.
///               A line is read from DRAM only when the module's register has a place for it.
///               reverse_write (Ohm-GPU V-A, Fig. 12): a missing line crosses the channel once,
///               from XPoint to the register in front of the DRAM, while the controller's DDR
///               monitor observes it. XPoint reports ready; the controller stops issuing requests
///               (`reverse_hold`) and confirms; XPoint sends its completion signal; the request is
///               answered, and the line moves from the register to its place without the channel
///               (ohm/two_level/reverse_writes.hh).
///               migration_channel dedicated: fills and victims use a separate channel (Ohm-GPU
///               Fig. 8).
/// Ordering      Requests to one set take effect in order of arrival: the next one begins when the
///               scheduler has the write of its predecessor and the module its victim. Order on the
///               channel: ready reads of XPoint, DRAM by its scheduler, evictions, which use only
///               idle time. Evictions older than `patience` precede all others.
/// Guarantees    Contents: a line changes when the scheduler accepts a write. Host copies into a
///               set in use are applied when its requests are complete. A read of a line that waits
///               in the DRAM's register is answered from the data that the DDR monitor observed.
/// Not modelled  ECC itself; energy; lines larger than an XPoint line.
class TwoLevelController final : public Model<TwoLevelController>, public Functional {
  public:
    struct Params {
        ChannelParams channel;
        EvictionParams eviction;
        ReverseParams reverse;
        Param<Bytes> interleave {
            2_KiB,
            {256_B, 1_MiB},
            "Interleaving chunk of the controllers, equal to the crossbar's (a DRAM row)",
            assumed("a DRAM row")};
        Param<Bytes> dram {1_GiB,
                           {512_B, 4096_GiB},
                           "DRAM of this controller",
                           stated("Ohm-GPU table III, two-level: 1 GiB")};
        Param<unsigned> ratio {
            64, {1, 1u << 20}, "Ratio of XPoint to DRAM capacity", stated("Ohm-GPU table I: 1:64")};
        Param<Bytes> line {128_B,
                           {128_B, 256_B},
                           "Bytes of a cache line",
                           assumed("the L2's, one access for all")};
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
        Counter conflicts {Unit::count, "Requests that waited for another request to their set"};
        Level lines {Unit::count, "DRAM lines that hold data"};
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
    void advance_requests();
    // Requests.
    bool accept(const protocol::MemRequest& r);
    void line_read(std::uint32_t id);
    void line_came(std::uint32_t id, Contents::Id line);
    void fill_line(std::uint32_t id);
    void respond(std::uint32_t id, Contents::Id contents = {});
    void end_if_done(std::uint32_t id);
    // Devices and the channel. A bool result means that something changed.
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
