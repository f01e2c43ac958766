#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "flash/channel/die_use.hh"
#include "flash/channel/plane_queues.hh"
#include "flash/channel/shared_sensing.hh"
#include "flash/nand/timing.hh"
#include "protocol/flash.hh"

#include <array>
#include <optional>

namespace memsim::flash {

using namespace memsim::literals;
using protocol::flash_classes;
using protocol::FlashOp;

/// A flash channel: the controller's side of an ONFI bus and the packages on it. It accepts reads
/// and programs of single pages and erases, in any order, up to `queue` of them. Commands,
/// addresses and data share the bus while the arrays work in parallel.
///
/// Models        The bus first serves data that wait in registers, then a new command; packages
///               take turns. Operations of several planes of a die on the same page of their blocks
///               form one multi-plane operation if they are at the heads of their queues. A read
///               holds a register from its command to its last byte, a program from its first byte
///               of data to the end of the array operation. A die accepts as many operations at a
///               time as a plane has registers, and reads beside an erase that they suspend. With
///               `join_reads` one sensing serves all reads of its page that wait at that time or
///               arrive before the last of them has its data; each read but the first pays for a
///               change of the column. An idle channel costs nothing.
/// Ordering      In a package reads precede programs, which precede erases (`reads_first`); reads
///               go by class; otherwise the oldest goes first. Programs of an urgent collection go
///               first, and other programs of its package start when it has ended. Programs of one
///               plane keep their order, and so do reads of one class.
/// Requires      The sender allocates the pages of a block in order, and uses separate blocks for
///               collections. Programs then obey NAND's order.
/// Not modelled  Status polling (ready/busy has its own wire), commands that suspend, ECC time.
class Channel final : public Model<Channel>,
                      public Functional,
                      public protocol::HasFlashTimes,
                      public protocol::HasFlashGeometry {
  public:
    struct Params {
        Param<unsigned> packages {4, {1, 64}, "Packages on the bus", cited("MQSim, ssdconfig.xml")};
        Param<unsigned> dies {2,
                              {1, 64},
                              "Dies of a package, equal to the packages' parameter",
                              cited("MQSim, ssdconfig.xml: Die_No_Per_Chip 2")};
        Param<unsigned> planes {2,
                                {1, 64},
                                "Planes of a die, equal to the packages' parameter",
                                cited("MQSim, ssdconfig.xml: Plane_No_Per_Die 2")};
        Param<unsigned> registers {1,
                                   {1, 64},
                                   "Registers used per plane, at most those of the packages",
                                   assumed("one, as MQSim models a plane")};
        Param<bool> independent_planes {
            false, "Planes of a die operate independently; equal to the packages' parameter",
            assumed("planes of a die start together, as MQSim's")};
        Param<NameOf<BusTiming>> bus {"nv_ddr3_800", "Cycle times and rate of the bus",
                                      stated("ZnG table I: 800 MT/s")};
        Param<Rate> rate {Rate {0},
                          {Rate {0}, Rate {1'000'000'000'000}},
                          "Rate of the bus; 0: that of the preset",
                          at_least(1_MBps).or_zero(),
                          table_figures()};
        Param<Time> t_wb {100_ns,
                          {1_fs, 1_us},
                          "Time from the last cycle to the start of the array operation",
                          cited("ONFI 3.1, chapter 4.15: tWB of at most 100 ns")};
        Param<bool> multi_plane {true, "Join operations of several planes of a die",
                                 cited("MQSim, TSU_Base.cpp: issue_command_to_chip()")};
        Param<bool> join_reads {
            false,
            "Let reads of a page that is being sensed, or is in a register, share that sensing",
            switched_off()};
        Param<bool> reads_first {true,
                                 "Serve reads before programs and erases; else in order of age",
                                 cited("MQSim, TSU_Priority_OutOfOrder.cpp: Schedule()")};
        Param<unsigned> dies_at_once {0,
                                      {0, 64},
                                      "Dies of a package that may work at the same time; 0: all",
                                      assumed("all dies of a package work at once")};
        Param<unsigned> queue {
            256, {1, 65536}, "Requests accepted and not answered", queue_places()};
    };
    struct Ports {
        Responder<protocol::Flash> controller {{.depth = from<&Params::queue>},
                                               "Pages to read or program, blocks to erase"};
        Many<Requester<protocol::NandBus>> package {
            from<&Params::packages>,
            {.depth = from<&Params::queue>, .latency = from<&Params::t_wb>},
            "Commands to the packages"};
    };
    struct Stats {
        Counter reads {Unit::count, "Pages read"};
        Counter joined_reads {Unit::count, "Reads that shared the sensing of another read"};
        Counter programs {Unit::count, "Pages programmed"};
        Counter erases {Unit::count, "Blocks erased"};
        Counter commands {Unit::count, "Commands sent (a multi-plane command counts once)"};
        Counter data_in {Unit::byte, "Bytes sent to the packages"};
        Counter data_out {Unit::byte, "Bytes received from the packages"};
        ElapsedTime bus_busy {"Time during which the bus was in use"};
        Distribution read_latency {Unit::time, "Time from a read's arrival to its response"};
        Distribution program_latency {Unit::time, "Time from a program's arrival to its response"};
        Level queued {Unit::count, "Requests in the channel"};
    };
    static constexpr std::uint32_t none = ~0u;
    struct Slot {
        protocol::FlashRequest request;
        Tick arrived = 0;
        std::uint64_t order = 0;
        std::uint32_t next = none;  ///< next slot of its operation
        std::uint32_t group = none; ///< its operation
        std::uint8_t reg = 0;
    };
    struct State {
        std::vector<Slot> slots;
        FreeList free_slots;
        std::vector<SensedRead> reads;     ///< by slot
        std::vector<std::uint16_t> groups; ///< unfinished works of each operation
        FreeList free_groups;
        PlaneQueuesState queues;
        std::vector<std::uint64_t> registers; ///< in use, a bit per register, by plane
        DieUseState dies;
        std::vector<std::uint32_t> in_register; ///< slot, by plane and register; last: erase
        std::array<Fifo<std::uint32_t>, flash_classes> ready; ///< slots with data
        std::uint64_t order = 0;
        std::uint64_t to_ask = 0;    ///< packages that may have something to start
        std::uint32_t turn = 0;      ///< package to be asked first
        Tick bus_free = 0;           ///< end of the current or last transfer
        std::uint32_t on_bus = none; ///< slot whose data are being transferred
        std::int64_t remainder = 0;  ///< of bytes / rate, carried over
        Timer bus_done;              ///< armed if a transfer waits for the bus
    };

    explicit Channel(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.free_slots.size() != state.slots.size(); }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::FlashTimes flash_times() const override;
    protocol::FlashGeometry flash_geometry() const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    std::uint32_t plane_of(const protocol::FlashPlace& p) const {
        return (p.package * params.dies() + p.die) * params.planes() + p.plane;
    }
    /// Number of the plane in its package.
    std::uint32_t local_of(const protocol::FlashPlace& p) const {
        return p.die * params.planes() + p.plane;
    }
    std::uint64_t bit_of(const protocol::FlashPlace& p) const { return 1ull << local_of(p); }
    void accept(const protocol::FlashRequest& r);
    void array_done(unsigned package, const protocol::NandReady& r);
    void start_transfer();
    bool bus_is_wanted();
    void take_bus(Time t);
    std::uint32_t next_to_start(unsigned package) const;
    void begin_operation(std::uint32_t first);
    void add_to_operation(Slot& s, std::uint32_t group);
    void complete(std::uint32_t slot);
    void release(std::uint32_t slot);
    std::uint32_t sensed_for(const protocol::FlashRequest& r) const;
    void join_read(std::uint32_t slot, std::uint32_t first);
    void join_waiting(std::uint32_t first);
    void queue_transfer(std::uint32_t slot);

    std::optional<PlaneQueues> queues_;
    std::optional<DieUse> dies_;
    std::optional<SharedSensing> sensing_;
    BusTiming timing_ {};
    WireTime wire_;
};

} // namespace memsim::flash
