#pragma once

#include "core/declare/elapsed.hh"
#include "core/declare/param.hh"
#include "gpu/sm/ready_warps.hh"

namespace memsim::gpu {

using gpu_program::ArithmeticUnit;

struct ArithmeticParams {
    using group = void;
    static constexpr const char* no_unit = "instructions issue at the rate of the schedulers";
    Param<unsigned> fp32_lanes {
        0,
        {0, gpu_program::warp_lanes},
        "Lanes of a scheduler for floating-point values of 32 bits: an instruction occupies them "
        "for 32 / lanes cycles. 0: these instructions issue as those without a unit",
        assumed(no_unit)};
    Param<unsigned> int32_lanes {
        0,
        {0, gpu_program::warp_lanes},
        "Lanes of a scheduler for integers: an instruction occupies them for 32 / lanes cycles. 0: "
        "these instructions issue as those without a unit",
        assumed(no_unit)};
    Param<unsigned> fp64_lanes {
        0,
        {0, gpu_program::warp_lanes},
        "Lanes of a scheduler for floating-point values of 64 bits: an instruction occupies them "
        "for 32 / lanes cycles. 0: these instructions issue as those without a unit",
        assumed(no_unit)};
    Param<unsigned> special_lanes {
        0,
        {0, gpu_program::warp_lanes},
        "Lanes of a scheduler for special functions: an instruction occupies them for 32 / lanes "
        "cycles. 0: these instructions issue as those without a unit",
        assumed(no_unit)};
    Param<unsigned> fp32_latency {4,
                                  {1, 1000},
                                  "Cycles from an instruction on floating-point values of 32 bits "
                                  "to one that needs its result, in an SM with fp32_lanes",
                                  cited("Accel-Sim, SM7_QV100: ptx_opcode_latency_fp 4")};
    Param<unsigned> int32_latency {4,
                                   {1, 1000},
                                   "Cycles from an instruction on integers to one that needs its "
                                   "result, in an SM with int32_lanes",
                                   cited("Accel-Sim, SM7_QV100: ptx_opcode_latency_int 4")};
    Param<unsigned> fp64_latency {8,
                                  {1, 1000},
                                  "Cycles from an instruction on floating-point values of 64 bits "
                                  "to one that needs its result, in an SM with fp64_lanes",
                                  cited("Accel-Sim, SM7_QV100: ptx_opcode_latency_dp 8")};
    Param<unsigned> special_latency {
        20,
        {1, 1000},
        "Cycles from a special function to one that needs its result, in an SM with special_lanes",
        cited("Accel-Sim, SM7_QV100, trace.config: latency_initiation_sfu 20,8")};

    /// 0: the SM has no such unit.
    unsigned lanes(ArithmeticUnit unit) const {
        const unsigned of[] = {fp32_lanes(), int32_lanes(), fp64_lanes(), special_lanes()};
        return of[static_cast<std::size_t>(unit)];
    }
    unsigned latency(ArithmeticUnit unit) const {
        const unsigned of[] = {fp32_latency(), int32_latency(), fp64_latency(), special_latency()};
        return of[static_cast<std::size_t>(unit)];
    }
    bool given() const { return fp32_lanes() | int32_lanes() | fp64_lanes() | special_lanes(); }
};

/// Requires that `Params` contains ArithmeticParams as `arithmetic`. An SM without units has none
/// of these statistics.
template <class Params>
struct ArithmeticStats {
    using group = void;
    static bool given(const void* params) {
        return static_cast<const Params*>(params)->arithmetic.given();
    }
    Each<Counter, ArithmeticUnit> unit_instructions {
        given, Unit::count, "Warp instructions issued to the units of each kind"};
    Each<BookedCycles, ArithmeticUnit> unit_busy {
        given, Unit::cycle,
        "Cycles that instructions occupied the units of each kind, summed over schedulers"};
    Each<Counter, ArithmeticUnit> unit_stalls {
        given, Unit::count,
        "Instructions that found the unit of their scheduler busy when all that they wait for was "
        "available"};
};

/// The arithmetic units of an SM, one of each kind for each scheduler.
///
/// Models        An instruction occupies its unit for 32 / lanes cycles. Its result is available
///               `latency` cycles after its issue. An operation of several instructions issues
///               them one by one.
/// Requires      The SM calls add() for a warp whose next operation waits for no response.
/// Not modelled  Register banks; ports that return results to the registers.
class ArithmeticUnits {
  public:
    using Cycle = IssueSlots::Cycle;
    static constexpr std::uint32_t window = 64; ///< results of a warp to which dependences reach

    /// The results of a warp, a ring as that of Scoreboard.
    struct Results {
        std::array<Cycle, window> ready {}; ///< first cycle in which each is available
        std::uint8_t latest = 0;
        std::uint32_t issued = 0; ///< instructions of the warp's operation
    };
    struct State {
        std::vector<Cycle> free; ///< first cycle in which each unit is free, by scheduler and kind
        std::vector<Results> results;                               ///< of each warp slot
        std::array<WarpSet, gpu_program::arithmetic_units> waiting; ///< for each kind of unit
    };

    ArithmeticUnits() = default;
    /// The state is empty unless the SM has units.
    ArithmeticUnits(const ArithmeticParams& params, unsigned schedulers, unsigned warps,
                    State& state);

    bool given() const { return state_; }
    /// The kind of this operation, which is a stretch if the SM has no unit for its arithmetic.
    template <class Operation>
    gpu_program::WarpOpKind kind(const Operation& op) const {
        using enum gpu_program::WarpOpKind;
        return op.kind == arithmetic && interval_[index(op.unit)] == 0 ? compute : op.kind;
    }

    void begin_warp(std::uint32_t warp) {
        if (given()) state_->results[warp] = {};
    }
    /// The first cycle in which the arithmetic results are available that the warp's next
    /// instruction needs.
    Cycle operands(std::uint32_t warp, const gpu_program::WarpOpHead& next) const {
        return given() ? available(warp, next) : 0;
    }
    /// The warp's next instruction waits only for its unit. Returns whether that is busy in this
    /// cycle.
    bool add(std::uint32_t warp, ArithmeticUnit unit, Cycle cycle);

    /// The warps that may issue in this cycle, of all schedulers and of this one.
    WarpSet ready(std::uint32_t scheduler, Cycle cycle) const;
    /// The first cycle from `from` on in which a unit is free for which one of these warps of the
    /// scheduler waits.
    Cycle next(std::uint32_t scheduler, const WarpSet& warps, Cycle from) const;

    /// An operation of the warp issues. Reduces arithmetic that the units execute to its next
    /// instruction, and makes other arithmetic a stretch. Returns whether further ones follow.
    bool take(std::uint32_t warp, gpu_program::WarpOp& op) {
        return op.kind == gpu_program::WarpOpKind::arithmetic && take_instruction(warp, op);
    }
    /// The instruction occupies its unit from this cycle on. Returns for how many cycles.
    std::uint32_t begin(std::uint32_t warp, ArithmeticUnit unit, Cycle cycle);
    /// Cycles from this one on for which units of a kind are occupied, summed over schedulers.
    std::uint64_t occupied(unsigned kind, Cycle cycle) const;
    /// `ready`: the warps whose next instruction is for a unit.
    void check_loaded(Loader& l, const WarpSet& ready) const;

  private:
    Cycle available(std::uint32_t warp, const gpu_program::WarpOpHead& next) const;
    bool take_instruction(std::uint32_t warp, gpu_program::WarpOp& op);
    static std::size_t index(ArithmeticUnit unit) { return static_cast<std::size_t>(unit); }
    Cycle& free(std::uint32_t scheduler, std::size_t kind) const {
        return state_->free[scheduler * gpu_program::arithmetic_units + kind];
    }

    State* state_ = nullptr; ///< none: no units
    unsigned schedulers_ = 1;
    std::array<std::uint32_t, gpu_program::arithmetic_units> interval_ {}; ///< 0: no such unit
    std::array<std::uint32_t, gpu_program::arithmetic_units> latency_ {};
};

} // namespace memsim::gpu
