#pragma once

#include "core/hash_map.hh"

#include <cstdint>

namespace memsim::workload {

/// Where a trace's addresses lie in the memory of this application, which begins at 0. A trace
/// tells virtual addresses somewhere in 57 bits and not where its pages were: each page gets the
/// next free place when it is first touched (offsets in it stay). Local memory, whose offsets are
/// those of one thread, is laid out as GPUs do: a word of 4 bytes of all 32 lanes stands together,
/// in chunks given from the top downwards. A value for State.
class TraceMemory {
  public:
    static constexpr std::uint64_t chunk = 4096; ///< 128 bytes of each lane's local memory
    static constexpr std::string_view archived_as = "TraceMemory";
    template <class Archive>
    void archive(Archive& a) {
        a(pages_), a(chunks_), a(next_page_), a(local_);
        last_ = ~std::uint64_t {0};
    }

    /// Both are powers of two.
    void set(std::uint64_t page, std::uint64_t capacity) {
        shift_ = static_cast<unsigned>(std::countr_zero(page));
        capacity_ = capacity;
    }
    /// Throws ConfigError if the capacity does not suffice.
    std::uint64_t global(std::uint64_t address) {
        const std::uint64_t page = address >> shift_;
        if (page != last_) {
            last_ = page;
            base_ = place(page);
        }
        return base_ + (address & ((std::uint64_t {1} << shift_) - 1));
    }
    /// `warp` is its number in the launch.
    std::uint64_t local(std::uint64_t warp, std::uint32_t lane, std::uint64_t offset);
    /// Threads' local memory ends with their kernel.
    void begin_launch() {
        chunks_.clear();
        local_ = 0;
    }
    std::uint64_t pages() const { return next_page_; }

  private:
    std::uint64_t place(std::uint64_t page);
    void check() const;

    HashMap<std::uint64_t> pages_, chunks_;
    std::uint64_t next_page_ = 0, local_ = 0; ///< given out so far
    unsigned shift_ = 21;
    std::uint64_t capacity_ = 0;
    std::uint64_t last_ = ~std::uint64_t {0}, base_ = 0; ///< the page asked for last
};

} // namespace memsim::workload
