#pragma once

#include "core/kernel/component.hh"
#include "flash/nand/nand.hh"
#include "protocol/flash.hh"

#include <optional>

namespace memsim::flash {

using namespace memsim::literals;
using protocol::FlashOp;

/// One NAND package: dies of planes, each plane with page registers, behind one or more I/O ports.
///
/// Models        A die executes one operation at a time, on one plane or several (multi-plane
///               commands); with `independent_planes` each plane does so. Dies operate
///               independently. An operation whose die is busy waits in the package with its
///               register: cache read and cache program. The end of an operation is known when it
///               begins; ready is sent then, ahead of time, so that the package needs no wake-up.
///               An idle package costs nothing, and memory holds only the accessed blocks.
/// Requires      The sender of commands manages the registers. The run stops if a register is still
///               in use by the array, or if a rule of NAND is violated (see NandArray).
/// Not modelled  Suspend and resume, read retry, ECC, bad blocks, power limits.
class Package final : public Model<Package>,
                      public Functional,
                      public protocol::HasFlashTimes,
                      public protocol::HasFlashGeometry {
  public:
    struct Params {
        Param<unsigned> dies {8, {1, 64}, "Dies", stated("ZnG table I: 8")};
        Param<unsigned> planes {8, {1, 64}, "Planes of a die", stated("ZnG table I: 8")};
        Param<unsigned> blocks {
            1024, {1, 1u << 20}, "Blocks of a plane", stated("ZnG table I: 1024")};
        Param<unsigned> pages {384, {1, 32768}, "Pages of a block", stated("ZnG table I: 384")};
        Param<unsigned> registers {2,
                                   {1, 64},
                                   "Registers of a plane",
                                   stated("ZnG table I: 2, 8 with its write optimisation")};
        Param<bool> independent_planes {false, "Planes of a die operate independently",
                                        assumed("as ONFI, they do not")};
        Param<NameOf<NandTiming>> media {"z_nand", "Timing table", stated("ZnG table I: Z-NAND")};
        Param<std::string> timing_changes {"", "Values to replace, as 'tR0=3us tBERS=1ms'",
                                           table_figures()};
        Param<unsigned> ports {
            1, {1, 8}, "I/O ports", assumed("a usual package; ZnG table I has 2")};
        Param<unsigned> queue {
            64,
            {1, 4096},
            "Commands in flight or waiting at a port (planes x registers are sufficient)",
            queue_places()};
        Param<Time> t_rr {20_ns,
                          {1_fs, 1_us},
                          "Time from the end of the array operation until ready is received",
                          cited("ONFI 3.1, chapter 4.15: tRR of at least 20 ns")};
    };
    struct Ports {
        Many<Responder<protocol::NandBus>> io {
            from<&Params::ports>,
            {.depth = from<&Params::queue>, .latency = from<&Params::t_rr>},
            "Commands, answered by ready"};
    };
    struct Stats {
        Counter senses {Unit::count, "Pages sensed"};
        Counter programs {Unit::count, "Pages programmed"};
        Counter erases {Unit::count, "Blocks erased"};
        Counter operations {Unit::count,
                            "Operations of dies (a multi-plane operation counts once)"};
        ElapsedTime sense_time {"Time that planes spent sensing"};
        ElapsedTime program_time {"Time that planes spent programming"};
        ElapsedTime erase_time {"Time that planes spent erasing"};
        Counter cached {Unit::count, "Operations that waited in a register for their die"};
        Level touched_blocks {Unit::count, "Blocks accessed so far (peak: their number)"};
        Level most_erases {Unit::count, "Erases of the most erased block (peak)"};
    };
    /// The part of an operation on one plane.
    struct Work {
        protocol::NandCommand command;
        std::uint8_t port = 0;
    };
    /// A unit that operates independently: a die, or a plane if planes are independent.
    struct Worker {
        Fifo<Work> works;       ///< not started, one work per plane
        std::uint32_t open = 0; ///< works at the end of `works` whose operation is incomplete
        Tick until = 0;         ///< end of the current or last operation
        Timer next;             ///< start of the next operation
    };
    struct State {
        std::vector<Worker> units;
        std::vector<Tick> registers; ///< end of the array's use of each, by plane
        NandArrayState array;
        std::uint32_t waiting = 0; ///< works not started
        std::uint32_t touched = 0; ///< blocks, as counted by the statistic
    };

    explicit Package(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.waiting > 0; }
    void waits_on(WaitReport& report) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::FlashTimes flash_times() const override;
    protocol::FlashGeometry flash_geometry() const override {
        return {0,
                params.dies(),
                params.planes(),
                params.blocks(),
                params.pages(),
                params.registers(),
                params.independent_planes()};
    }

    const NandTiming& timing() const { return timing_; }
    const NandArray& array() const { return *array_; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    std::uint32_t plane_of(const protocol::FlashPlace& p) const {
        return p.die * params.planes() + p.plane;
    }
    Worker& unit_of(const protocol::FlashPlace& p) {
        return state.units[params.independent_planes() ? plane_of(p) : p.die];
    }
    Tick& register_of(const protocol::NandCommand& c) {
        return state.registers[plane_of(c.place) * params.registers() + c.reg];
    }
    void begin(Worker& u);
    Contents::Id sensed(std::uint64_t page);
    void put(std::uint64_t page, Contents::Id contents);
    void accept(const protocol::NandCommand& c, unsigned port);

    NandTiming timing_ {};
    std::optional<NandArray> array_;
};

} // namespace memsim::flash
