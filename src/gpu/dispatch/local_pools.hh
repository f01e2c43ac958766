#pragma once

#include "program/kernel_source.hh"
#include "program/local_memory.hh"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace memsim::gpu {

/// Which launches of an application share their local memory. context: all of them, as NVIDIA's
/// driver allocates it once for a context (threads of all SMs x bytes of a thread; NVIDIA's forum,
/// "Local memory management", 289339/9). occupancy: those with equally many warps resident in an
/// SM, as Accel-Sim has it, where the distance from a word to the next is that of all resident
/// threads (shader_core_ctx::translate_local_memaddr), so that others' addresses are new.
enum class LocalPool : std::uint8_t { context, occupancy };
constexpr std::array<std::string_view, 2> names_of(LocalPool) { return {"context", "occupancy"}; }

/// How local memory is laid out over a machine's SMs (program/local_memory.hh).
struct LocalLayout {
    std::uint32_t sms = 1, warp_slots = 1;

    /// From a warp slot's row to the next slot's, and to its own next one.
    std::uint32_t warp() const {
        return static_cast<std::uint32_t>(sms * program::local_row_bytes);
    }
    std::uint32_t row() const { return warp() * warp_slots; }
    /// From an SM's first row to the next SM's.
    static std::uint64_t sm() { return program::local_row_bytes; }
};

/// The pools of local memory of one application, which lie at the end of its addresses, a pool
/// before the other. A value for State.
struct LocalPools {
    std::vector<std::uint32_t> kinds; ///< warps resident in an SM, of each pool; or 0

    /// Where the pool for launches of this kind begins; the program's addresses grow by one that is
    /// new. 0 if the program has no local memory.
    std::uint64_t place(program::KernelSource& program, std::uint32_t kind,
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
