#pragma once

#include "core/declare/param.hh"
#include "protocol/dispatch.hh"

namespace memsim::gpu {

using namespace memsim::literals;

struct OccupancyParams {
    using group = void;
    Param<unsigned> warp_slots {
        48, {1, 128}, "Warps resident in an SM", assumed("GTX 480 class, 1536 threads")};
    Param<unsigned> block_slots {8, {1, 64}, "Blocks resident in an SM", assumed("GTX 480 class")};
    Param<unsigned> registers {
        32768, {1, 1u << 20}, "32-bit registers of an SM", assumed("GTX 480 class")};
    Param<Bytes> shared {48_KiB, {0_B, 1_MiB}, "Shared memory of an SM", assumed()};
    Param<unsigned> warp_unit {
        2,
        {1, 32},
        "Unit to which a block's warps are rounded up for the allocation of registers",
        cited("CUDA occupancy calculator, GPU data of compute capability 2.x: 2; most later ones: "
              "4")};
    Param<unsigned> register_unit {
        64,
        {1, 4096},
        "Unit in which a warp's registers are allocated",
        cited(
            "CUDA occupancy calculator, GPU data of compute capability 2.x: 64; later ones: 256")};
    Param<Bytes> shared_unit {
        128_B,
        {1_B, 64_KiB},
        "Unit in which a block's shared memory is allocated",
        cited(
            "CUDA occupancy calculator, GPU data of compute capability 2.x: 128; 3.0 to 7.5: 256")};
};

/// The resources of an SM that blocks use. A value for State.
struct Resources {
    std::uint32_t blocks = 0;
    std::uint32_t warps = 0;
    std::uint32_t registers = 0;
    std::uint32_t shared = 0;

    bool none() const { return !(blocks | warps | registers | shared); }
    void take(const Resources& of) {
        blocks += of.blocks, warps += of.warps;
        registers += of.registers, shared += of.shared;
    }
    void give_back(const Resources& of) {
        blocks -= of.blocks, warps -= of.warps;
        registers -= of.registers, shared -= of.shared;
    }
};

/// The number of blocks that an SM can hold, limited by the scarcest of its slots, warps, registers
/// and shared memory.
class Occupancy {
  public:
    explicit Occupancy(const OccupancyParams& p) : params_(p) {}

    /// The resources of a block, rounded to the allocation units of the hardware. Throws
    /// ConfigError with the owner's path if the block does not fit.
    Resources need(const protocol::LaunchReply& launch, std::uint32_t application,
                   const std::string& path) const;
    /// Number of further blocks of this kind that fit in an SM.
    std::uint32_t room(const Resources& used, const Resources& block) const;
    /// Whether an SM has these resources.
    bool has(const Resources& r) const {
        return r.blocks <= params_.block_slots() && r.warps <= params_.warp_slots() &&
               r.registers <= params_.registers() &&
               r.shared <= static_cast<std::uint64_t>(params_.shared->raw);
    }
    /// The same for an empty SM.
    std::uint32_t room(const Resources& block) const { return room({}, block); }

  private:
    const OccupancyParams& params_;
};

} // namespace memsim::gpu
