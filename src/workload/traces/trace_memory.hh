#pragma once

#include "core/base/bits.hh"
#include "core/state/hash_map.hh"

#include <cstdint>

namespace memsim::workload {

/// Maps a trace's addresses to the application's memory, which begins at 0. A trace has virtual
/// addresses of 57 bits without physical pages: each page receives the next free place at its first
/// access; offsets are kept. Local memory, if accessed, lies at the end. A value for State.
class TraceMemory {
  public:
    static constexpr std::string_view archived_as = "TraceMemory";
    template <class Archive>
    void archive(Archive& a) {
        a(pages_), a(next_page_), a(local_), a(local_used_);
        last_ = ~std::uint64_t {0};
    }

    /// Both must be powers of two.
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
        return base_ + (address & low_bits(shift_));
    }
    /// Reserves bytes at the end for local memory, at its first access.
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
    std::uint64_t next_page_ = 0; ///< number of pages placed
    std::uint64_t local_ = 0;
    bool local_used_ = false;
    unsigned shift_ = 21;
    std::uint64_t capacity_ = 0;
    std::uint64_t last_ = ~std::uint64_t {0}, base_ = 0; ///< the most recently translated page
};

} // namespace memsim::workload
