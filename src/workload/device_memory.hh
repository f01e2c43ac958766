#pragma once

#include "core/base/error.hh"
#include "gpu_program/kernel_source.hh"

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace memsim::workload {

using gpu_program::Allocation;
using gpu_program::u32;
using gpu_program::u64;
using gpu_program::u8;

/// A handle to an array in device memory; copies are cheap. A DeviceMemory owns the elements.
template <class T>
struct Array {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    u64 base = 0; ///< address of the first element
    T* data = nullptr;
    u64 size = 0;

    T& operator[](u64 i) const { return data[i]; }
    std::span<T> host() const { return {data, size}; }
};

/// Device memory as allocated by cudaMalloc: in order, each allocation aligned to 256 bytes (CUDA
/// C++ Programming Guide, device memory accesses). Nothing is freed. Inputs are never written: a
/// checkpoint stores only their hash. Arrays that kernels write are stored in full.
class DeviceMemory {
  public:
    explicit DeviceMemory(u64 first = 0) : next_(first) {}

    /// An array that the host fills and no kernel writes.
    template <class T>
    Array<T> input(const std::string& name, const std::vector<T>& contents) {
        return filled(name, contents, true);
    }
    /// An array that the host fills and kernels write.
    template <class T>
    Array<T> filled(const std::string& name, const std::vector<T>& contents,
                    bool read_only = false) {
        const Array<T> array = reserve<T>(name, contents.size(), read_only);
        if (!contents.empty())
            std::memcpy(array.data, contents.data(), contents.size() * sizeof(T));
        return array;
    }
    /// An array of `size` zeros.
    template <class T>
    Array<T> zeroed(const std::string& name, u64 size) {
        return reserve<T>(name, size, false);
    }

    u64 bytes() const { return next_; } ///< from address 0
    const std::vector<Allocation>& allocations() const { return allocations_; }
    std::vector<gpu_program::MemoryView> views() const;
    u64 digest(bool of_inputs) const; ///< of all arrays that are read only, or of all others
    void save(Saver& to) const;
    void load(Loader& from);

  private:
    struct Piece {
        std::unique_ptr<u64[]> words; ///< aligned for any element type
        bool read_only;
    };
    template <class T>
    Array<T> reserve(const std::string& name, u64 size, bool read_only) {
        const u64 base = add(name, size * sizeof(T), read_only);
        return {base, reinterpret_cast<T*>(pieces_.back().words.get()), size};
    }
    u64 add(const std::string& name, u64 bytes, bool read_only);

    std::vector<Allocation> allocations_;
    std::vector<Piece> pieces_;
    u64 next_;
};

} // namespace memsim::workload
