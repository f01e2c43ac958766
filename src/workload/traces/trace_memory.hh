#pragma once

#include "core/state/hash_map.hh"

#include <cstdint>

namespace memsim::workload {

/// Where a trace's addresses lie in the memory of this application, which begins at 0. A trace
/// tells virtual addresses somewhere in 57 bits and not where its pages were: each page gets the
/// next free place when it is first touched (offsets in it stay). Local memory, if there are
/// accesses to it, takes the end. A value for State.
class TraceMemory {
  public:
    static constexpr std::string_view archived_as = "TraceMemory";
    template <class Archive>
    void archive(Archive& a) {
        a(pages_), a(next_page_), a(local_), a(local_used_);
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
    /// Bytes that local memory takes at the end, from its first access on.
    void reserve_local(std::uint64_t bytes) {
        local_ = bytes;
        if (local_used_) check();
    }
    void touch_local() {
        if (local_used_) return;
        local_used_ = true;
        check();
    }
    std::uint64_t pages() const { return next_page_; }

  private:
    std::uint64_t place(std::uint64_t page);
    void check() const;

    HashMap<std::uint64_t> pages_;
    std::uint64_t next_page_ = 0; ///< given out so far
    std::uint64_t local_ = 0;
    bool local_used_ = false;
    unsigned shift_ = 21;
    std::uint64_t capacity_ = 0;
    std::uint64_t last_ = ~std::uint64_t {0}, base_ = 0; ///< the page asked for last
};

} // namespace memsim::workload
