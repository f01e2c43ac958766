#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "flash/channel/plane_queues.hh"
#include "flash/channel/shared_sensing.hh"
#include "flash/nand/timing.hh"
#include "protocol/flash.hh"

#include <array>
#include <optional>

namespace memsim::flash {

using namespace memsim::literals;
using protocol::FlashOp;

/// A flash channel: the controller's end of one ONFI bus and the packages on it. Reads, programs
/// and erases of single pages come in, in any order and number up to `queue`; commands, addresses
/// and data take the bus in turn, arrays work meanwhile.
/// Order. The bus serves data that wait in registers first, then a new command; packages take
/// turns. In a package reads go before programs before erases (`reads_first`), a class of reads
/// before the next, old before young. Where a collection is to go first, its programs do, and
/// others of its package begin when it has ended. Programs of one plane keep their order, and so do
/// reads of one class: whoever hands out pages in their order, and to collections in blocks of
/// their own, keeps NAND's rule. Heads of queues in planes of one die that want the same page of
/// their blocks go together as one multi-plane operation. Registers. A read holds one from its
/// command to its last byte, a program from its data's first byte to the array's end; a die takes
/// as many operations at a time as a plane has registers. With `join_reads` one sensing serves all
/// reads of its page that wait then, or come before the last of them has its data; each but the
/// first pays for a change of the column. An idle channel costs nothing.
///
/// Not modelled: status polling (ready/busy has its own wire), suspend, ECC time.
class Channel final : public Model<Channel>,
                      public Functional,
                      public protocol::HasFlashTimes,
                      public protocol::HasFlashGeometry {
  public:
    struct Params {
        Param<unsigned> packages {4, {1, 64}, "Packages on the bus", cited("MQSim's default: 4")};
        Param<unsigned> dies {2, {1, 64}, "Dies of a package: as the packages'"};
        Param<unsigned> planes {2, {1, 64}, "Planes of a die: as the packages'"};
        Param<unsigned> registers {1, {1, 64}, "Registers of a plane that are used, at most all"};
        Param<bool> independent_planes {
            false, "Planes of a die work independently; equal to the packages' parameter"};
        Param<NameOf<BusTiming>> bus {"nv_ddr3_800", "Cycles and rate of the bus"};
        Param<Rate> rate {Rate {0},
                          {Rate {0}, Rate {1'000'000'000'000}},
                          "Rate of the bus if not the preset's; 0: the preset's"};
        Param<Time> t_wb {100_ns,
                          {1_fs, 1_us},
                          "Time from the last cycle to the array's start",
                          cited("ONFI's tWB: 100 ns")};
        Param<bool> multi_plane {true, "Join operations of several planes of a die"};
        Param<bool> join_reads {false,
                                "Reads of a page that is being sensed, or is in a register, share "
                                "that sensing"};
        Param<bool> reads_first {true, "Reads before programs and erases; else old before young"};
        Param<unsigned> dies_at_once {
            0, {0, 64}, "Dies of a package that work at the same time; 0: all"};
        Param<unsigned> queue {256, {1, 65536}, "Requests accepted and not answered"};
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
        Counter joined_reads {Unit::count, "Reads that shared the sensing of another"};
        Counter programs {Unit::count, "Pages programmed"};
        Counter erases {Unit::count, "Blocks erased"};
        Counter commands {Unit::count, "Commands sent (a multi-plane one counts once)"};
        Counter data_in {Unit::byte, "Bytes to the packages"};
        Counter data_out {Unit::byte, "Bytes from the packages"};
        ElapsedTime bus_busy {"Time of the bus in use"};
        Distribution read_latency {Unit::time, "Time from a read's arrival to its answer"};
        Distribution program_latency {Unit::time, "Time from a program's arrival to its answer"};
        Level queued {Unit::count, "Requests in the channel"};
    };
    static constexpr std::uint32_t none = ~0u;
    struct Slot {
        protocol::FlashRequest request;
        Tick arrived = 0;
        std::uint64_t order = 0;
        std::uint32_t next = none;  ///< in its operation
        std::uint32_t group = none; ///< its operation
        std::uint8_t reg = 0;
    };
    struct Chip {
        std::uint64_t full = 0;       ///< planes whose registers are all in use
        std::uint32_t working = 0;    ///< dies (planes if independent) with work
        std::uint32_t collecting = 0; ///< blocks for which programs wait
    };
    /// The planes of a package that may begin something now: an erase; a read or a program.
    struct Able {
        std::uint64_t erase = 0, page = 0;
        std::uint64_t of(unsigned kind) const { return kind == PlaneQueues::erase ? erase : page; }
    };
    struct State {
        std::vector<Slot> slots;
        FreeList free_slots;
        std::vector<SensedRead> reads;     ///< by slot
        std::vector<std::uint16_t> groups; ///< works of an operation that are not done
        FreeList free_groups;
        PlaneQueuesState queues;
        std::vector<std::uint64_t> registers; ///< in use, a bit each, by plane
        std::vector<Chip> packages;
        std::vector<std::uint16_t> held;        ///< operations, by die (plane if independent)
        std::vector<std::uint32_t> in_register; ///< the slot, by plane and register, last: erase
        std::array<Fifo<std::uint32_t>, protocol::flash_classes> ready; ///< data to fetch
        std::uint64_t order = 0;
        std::uint64_t to_ask = 0;    ///< packages that may have something to start
        std::uint32_t turn = 0;      ///< the package that is asked first
        Tick bus_free = 0;           ///< the end of the transfer under way, or of the last one
        std::uint32_t on_bus = none; ///< the slot whose data come out
        std::int64_t remainder = 0;  ///< of bytes / rate, carried over
        Timer bus_done;              ///< if somebody wants it then
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
    std::uint32_t unit_of(const protocol::FlashPlace& p) const {
        return params.independent_planes() ? plane_of(p) : p.package * params.dies() + p.die;
    }
    /// Among the planes of its package.
    std::uint32_t local_of(const protocol::FlashPlace& p) const {
        return p.die * params.planes() + p.plane;
    }
    std::uint64_t bit_of(const protocol::FlashPlace& p) const { return 1ull << local_of(p); }
    void accept(const protocol::FlashRequest& r);
    void array_done(unsigned package, const protocol::NandReady& r);
    void start_transfer();
    bool bus_is_wanted();
    void take_bus(Time t);
    Able able(unsigned package) const;
    std::uint32_t choose(unsigned package) const;
    void begin(std::uint32_t first);
    void take(Slot& s, std::uint32_t group);
    void complete(std::uint32_t slot);
    void release(std::uint32_t slot);
    std::uint32_t sensed_for(const protocol::FlashRequest& r) const;
    void join(std::uint32_t slot, std::uint32_t first);
    void join_waiting(std::uint32_t first);
    void fetch(std::uint32_t slot);

    std::optional<PlaneQueues> queues_;
    std::optional<SharedSensing> sensing_;
    BusTiming timing_ {};
    WireTime wire_;
    std::uint32_t units_ = 1;     ///< of a package that work each for itself
    std::uint64_t unit_mask_ = 1; ///< planes of the first of them
    std::uint32_t unit_planes_ = 1;
    std::uint32_t at_once_ = 0; ///< units of a package that work at the same time
};

} // namespace memsim::flash
