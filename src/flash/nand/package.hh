#pragma once

#include "core/kernel/component.hh"
#include "flash/nand/nand.hh"
#include "protocol/flash.hh"

#include <optional>

namespace memsim::flash {

using namespace memsim::literals;
using protocol::FlashOp;

/// The operations that a read of their unit suspends.
enum class Suspended : std::uint8_t { none, erases, programs_and_erases };
constexpr std::array<std::string_view, 3> names_of(Suspended) {
    return {"none", "erases", "programs_and_erases"};
}

/// One NAND package: dies of planes, each plane with page registers, behind one or more I/O ports.
///
/// Models        A die executes one operation at a time, on one plane or several (multi-plane
///               commands); with `independent_planes` each plane does so. Dies operate
///               independently. An operation whose die is busy waits in the package with its
///               register: cache read and cache program. The end of an operation is known when it
///               begins; ready is sent then, ahead of time, so that the package needs no wake-up.
///               With `suspend` a read interrupts an erase or a program of its unit: it starts
///               `suspend_time` later, and the operation continues when no read is left. An
///               operation works for `suspend_gap` before it is suspended again, so that it ends.
///               An idle package costs nothing, and memory holds only the accessed blocks.
/// Requires      The sender of commands manages the registers. The run stops if a register is still
///               in use by the array, or if a rule of NAND is violated (see NandArray).
/// Not modelled  A time to resume, read retry, ECC, bad blocks, power limits.
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
        Param<Suspended> suspend {Suspended::none, "Operations that a read of their unit suspends",
                                  switched_off()};
        Param<Time> suspend_time {20_us,
                                  {1_fs, 10_ms},
                                  "Time from a suspending read until it starts",
                                  assumed("a fiftieth of an erase of Z-NAND")};
        Param<Time> suspend_gap {
            100_us,
            {1_fs, 10_ms},
            "Least time that an operation works before it is suspended, the first time or again",
            assumed("a tenth of an erase of Z-NAND")};
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
        Gathered suspensions {Unit::count, "Suspensions of erases and programs by reads"};
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
        /// The works of the current operation if a read may suspend it. Ready is sent at the end
        /// of that operation, which is not known before.
        Fifo<Work> suspendable;
        Tick resumed = 0; ///< when the array last began to work on them
        Tick left = 0;    ///< the array's remaining time if they are suspended, else 0

        /// Works whose operation is complete.
        std::uint32_t complete() const { return works.size() - open; }
        /// The first work of the oldest read; complete() if none waits.
        std::uint32_t first_read() const {
            std::uint32_t i = 0;
            while (i < complete() && works[i].command.op != FlashOp::read) ++i;
            return i;
        }
    };
    struct State {
        std::vector<Worker> units;
        std::vector<Tick> registers; ///< end of the array's use of each, by plane
        NandArrayState array;
        std::uint32_t waiting = 0;     ///< works not started
        std::uint32_t suspendable = 0; ///< works that are suspendable and have not ended
        std::uint64_t suspensions = 0;
        std::uint32_t touched = 0; ///< blocks, as counted by the statistic
    };

    explicit Package(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.waiting + state.suspendable > 0; }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
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
                params.independent_planes(),
                params.suspend() != Suspended::none};
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
    bool is_suspendable(FlashOp op) const {
        return (op == FlashOp::erase && params.suspend() != Suspended::none) ||
               (op == FlashOp::program && params.suspend() == Suspended::programs_and_erases);
    }
    ElapsedTime& time_of(const Worker& u) {
        return u.suspendable.front().command.op == FlashOp::erase ? stat.erase_time
                                                                  : stat.program_time;
    }
    void advance_unit(Worker& u);
    Tick next_step(const Worker& u) const;
    Tick suspends_at(const Worker& u) const;
    void suspend(Worker& u);
    void resume_operation(Worker& u);
    void end_suspendable(Worker& u);
    void begin_operation(Worker& u, std::uint32_t at);
    Contents::Id sensed(std::uint64_t page);
    void store_page(std::uint64_t page, Contents::Id contents);
    void accept(const protocol::NandCommand& c, unsigned port);

    NandTiming timing_ {};
    std::optional<NandArray> array_;
};

} // namespace memsim::flash
