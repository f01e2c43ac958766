#pragma once

#include "core/base/bits.hh"
#include "gpu_program/kernel_source.hh"

#include <cstring>

namespace memsim::gpu_program {

/// Calls f(address, first byte, bytes) for each sector of a range of functional memory.
template <class F>
void for_each_sector_of(const MemoryView& view, F&& f) {
    for (u64 at = 0; at < view.bytes; at += SectorBytes::size)
        f(view.base + at, view.data + at,
          static_cast<u32>(std::min<u64>(SectorBytes::size, view.bytes - at)));
}

/// The sector at `data`, of which `bytes` bytes exist.
inline SectorBytes sector_at(const u8* data, u32 bytes) {
    SectorBytes s;
    s.known = low_bits<u32>(bytes);
    std::memcpy(s.bytes.data(), data, bytes);
    return s;
}

/// A copy of an application's memory, to find later changes.
class MemoryCopy {
  public:
    void take(const KernelSource& source) {
        copies_.clear();
        for (const MemoryView& view : source.memory())
            if (!view.read_only)
                copies_.push_back({view, std::vector<u8>(view.data, view.data + view.bytes)});
    }
    /// The bytes that have changed, sector by sector.
    std::vector<HostWrite> changes() const {
        std::vector<HostWrite> all;
        for (const Copy& copy : copies_) {
            const MemoryView& view = copy.view;
            const std::vector<u8>& before = copy.before;
            if (std::memcmp(view.data, before.data(), before.size()) == 0) continue;
            for_each_sector_of(view, [&](u64 address, const u8* now, u32 bytes) {
                const u8* then = before.data() + (address - view.base);
                if (std::memcmp(now, then, bytes) == 0) return;
                HostWrite w {address, sector_at(now, bytes)};
                for (u32 i = 0; i < bytes; ++i)
                    if (now[i] == then[i]) w.data.known &= ~(1u << i);
                all.push_back(w);
            });
        }
        return all;
    }

  private:
    struct Copy {
        MemoryView view;
        std::vector<u8> before;
    };
    std::vector<Copy> copies_;
};

} // namespace memsim::gpu_program
