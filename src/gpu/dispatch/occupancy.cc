#include "gpu/dispatch/occupancy.hh"

#include <algorithm>

namespace memsim::gpu {

Resources Occupancy::need(const protocol::LaunchReply& launch, std::uint32_t application,
                          const std::string& path) const {
    const auto up = [](std::uint64_t value, std::uint64_t unit) {
        return (value + unit - 1) / unit * unit;
    };
    const std::uint64_t warps = (launch.threads_per_block + 31) / 32;
    const std::uint64_t registers = up(warps, params_.warp_unit()) *
                                    up(launch.registers_per_thread * 32, params_.register_unit());
    const std::uint64_t shared =
        up(launch.shared_bytes, static_cast<std::uint64_t>(params_.shared_unit->raw));
    if (warps > params_.warp_slots() || registers > params_.registers() ||
        shared > static_cast<std::uint64_t>(params_.shared->raw))
        throw ConfigError(path + ": a block of " + std::to_string(launch.threads_per_block) +
                          " threads with " + std::to_string(launch.registers_per_thread) +
                          " registers each and " + std::to_string(launch.shared_bytes) +
                          " bytes of shared memory (launch " + std::to_string(launch.launch) +
                          " of application " + std::to_string(application) +
                          ") does not fit in an SM of " + std::to_string(params_.warp_slots()) +
                          " warps, " + std::to_string(params_.registers()) + " registers and " +
                          Text<Bytes>::show(params_.shared()) + " of shared memory");
    return {1, static_cast<std::uint32_t>(warps), static_cast<std::uint32_t>(registers),
            static_cast<std::uint32_t>(shared)};
}

std::uint32_t Occupancy::room(const Resources& used, const Resources& block) const {
    std::uint32_t n = std::min(params_.block_slots() - used.blocks,
                               (params_.warp_slots() - used.warps) / block.warps);
    if (block.registers) n = std::min(n, (params_.registers() - used.registers) / block.registers);
    const auto shared = static_cast<std::uint32_t>(params_.shared->raw);
    if (block.shared) n = std::min(n, (shared - used.shared) / block.shared);
    return n;
}

} // namespace memsim::gpu
