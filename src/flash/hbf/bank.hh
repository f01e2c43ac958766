#pragma once

#include "core/base/units.hh"
#include "core/state/fifo.hh"

#include <algorithm>
#include <array>
#include <cstdint>

namespace memsim::flash {

/// One of the two page buffers of a bank.
struct HbfPageBuffer {
    static constexpr std::uint64_t none = ~std::uint64_t {0};

    std::uint64_t page = none; ///< number of the page that it holds or receives
    Tick free_at = 0;          ///< when the last transfer of it ends
    Tick used_at = 0;
};

/// A bank: an array that does one thing at a time, two page buffers, and what waits for them.
/// Requests are numbers of slots, whose owner is the stack. A value for State.
struct HbfBank {
    enum class Work : std::uint8_t { none, sense, program, erase };
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    static constexpr std::uint8_t page_buffers = 2;

    std::array<HbfPageBuffer, page_buffers> buffers;
    Fifo<std::uint32_t> reads;    ///< that wait for a sense, in order of arrival
    Fifo<std::uint32_t> joined;   ///< reads of the page that is being sensed
    Fifo<std::uint32_t> commands; ///< of the host, that have not begun
    Work work = Work::none;
    bool due = false;             ///< an event of this bank is pending
    std::uint8_t buffer = 0;      ///< that the array uses
    std::uint32_t command = none; ///< that the array works for; none: for reads
    Tick until = 0;               ///< the end of the array's work

    /// The buffer that holds this page, or nullptr.
    HbfPageBuffer* open(std::uint64_t page) {
        for (HbfPageBuffer& b : buffers)
            if (b.page == page && !(work == Work::sense && &b == &buffers[buffer])) return &b;
        return nullptr;
    }
    bool senses(std::uint64_t page) const {
        return work == Work::sense && buffers[buffer].page == page;
    }
    /// The buffer used longest ago among those without transfers; `page_buffers`: none is free.
    std::uint8_t free_buffer(Tick now) const {
        std::uint8_t best = page_buffers;
        for (std::uint8_t i = 0; i < page_buffers; ++i)
            if (buffers[i].free_at <= now &&
                (best == page_buffers || buffers[i].used_at < buffers[best].used_at))
                best = i;
        return best;
    }
    Tick buffer_free_at() const { return std::min(buffers[0].free_at, buffers[1].free_at); }
    bool waiting() const { return !reads.empty() || !commands.empty(); }
    /// Pages [first, first + count) are no longer what the buffers hold.
    void forget(std::uint64_t first, std::uint64_t count) {
        for (HbfPageBuffer& b : buffers)
            if (b.page - first < count) b.page = HbfPageBuffer::none;
    }
};

} // namespace memsim::flash
