#pragma once

#include "gpu_program/kernel_source.hh"
#include "gpu_program/local_memory.hh"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace memsim::gpu {

/// Selects which launches of an application share their local memory. context: all of them, because
/// NVIDIA's driver allocates it once for a context (threads of all SMs x bytes of a thread;
/// NVIDIA's forum, "Local memory management", 289339/9). occupancy: those with equally many
/// resident warps per SM, as in Accel-Sim, where the distance between words is that of all resident
/// threads (shader_core_ctx::translate_local_memaddr), so that other launches use new addresses.
enum class LocalPool : std::uint8_t { context, occupancy };
constexpr std::array<std::string_view, 2> names_of(LocalPool) { return {"context", "occupancy"}; }

/// The layout of local memory over a machine's SMs (gpu_program/local_memory.hh).
struct LocalLayout {
    std::uint32_t sms = 1, warp_slots = 1;

    /// Distance from a warp slot's row to the next slot's, and to its own next row.
    std::uint32_t warp() const {
        return static_cast<std::uint32_t>(sms * gpu_program::local_row_bytes);
    }
    std::uint32_t row() const { return warp() * warp_slots; }
    /// Distance from an SM's first row to the next SM's.
    static std::uint64_t sm() { return gpu_program::local_row_bytes; }
};

/// The pools of local memory of one application, which lie one before another at the end of its
/// addresses. A value for State.
struct LocalPools {
    std::vector<std::uint32_t> kinds; ///< resident warps per SM, for each pool; or 0

    /// Start of the pool for launches of this kind; a new pool extends the program's addresses. 0
    /// if the program has no local memory.
    std::uint64_t place(gpu_program::KernelSource& program, std::uint32_t kind,
                        const LocalLayout& layout) {
        const std::uint64_t pool = program.local_bytes() / 4 * layout.row();
        if (pool == 0) return 0;
        auto at = std::find(kinds.begin(), kinds.end(), kind);
        if (at == kinds.end()) at = kinds.insert(at, kind);
        program.reserve_local(kinds.size() * pool);
        const auto before = static_cast<std::uint64_t>(at - kinds.begin()) + 1;
        return program.footprint_bytes() - before * pool;
    }
};

} // namespace memsim::gpu
