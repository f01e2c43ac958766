#pragma once

#include "device_parts/deferred_writes.hh"
#include "device_parts/page_policy.hh"
#include "device_parts/record_part.hh"
#include "mem/page_cache/paged_dram.hh"
#include "mem/page_cache/pages_ahead.hh"

namespace memsim::mem {

struct FrontStats {
    using group = void;
    Counter reads {Unit::count, "Reads looked up"};
    Counter writes {Unit::count, "Writes and atomics looked up"};
    Counter bytes {Unit::byte, "Bytes requested by reads, writes and atomics"};
    Counter hits {Unit::count, "Requests whose page (or unit) was present"};
    Counter merged {Unit::count, "Requests whose page (or unit) was already being read"};
    Counter misses {Unit::count, "Requests that started a read of their page (or unit)"};
};

/// The front end of a component that holds pages of a drive in a DRAM. It looks up requests, queues
/// them for the DRAM or for the page that is being read, selects pages to prefetch, and exchanges
/// messages with the DRAM. A part: the component `Memory` maps pages to frames and accesses the
/// drive.
///
/// Requires      `Memory` has the ports `cpu_side` and `dram_side`, the parameter `latency`, the
///               statistics `front`, `ahead`, `stalled_by_requests`, `dram_bytes` and `latency`,
///               the State `dram`, `ahead` and `deferred`, and these functions:
///
///     find(page)           frame of a page that is present or being read; else none
///     present(frame)       whether the page of a frame is present
///     fetch(page, asked)   allocates a frame and starts a read of the page; none if all are in use
///     first_use(frame)     whether a page being read was prefetched and no request waited for it
///     waits(slot, missed)  a request waits for its page; it started the read if it `missed`
///     serve(slot)          the page of a request is present: uses the page, and queues the request
///     no_frame()           the statistic that counts stalls because all frames are in use
template <class Memory>
class PageFront final : public PagedDram {
  public:
    /// `term`: parameter of the component with the size of a page.
    PageFront(Memory& memory, const Config& config, const char* term)
        : PagedDram(config, memory.sim_ref(), memory.state.dram, memory), memory_(memory),
          page_(config.page), term_(term) {}

    /// Returns false if the request must wait. Repeating such a call is safe.
    bool accept(const protocol::MemRequest& r) {
        if (!takes(r)) refuse(r);
        if (full()) return stall(memory_.stat.stalled_by_requests);
        const std::uint64_t page = r.address / page_;
        std::uint32_t f = memory_.find(page);
        const bool missed = f == none;
        if (missed && (f = memory_.fetch(page, device_parts::AskedBy::demand)) == none)
            return stall(memory_.no_frame());

        FrontStats& stat = memory_.stat.front;
        ++(r.command == protocol::Command::read ? stat.reads : stat.writes);
        stat.bytes += r.payload();
        const std::uint32_t slot = take(r, f);
        if (memory_.present(f)) {
            ++stat.hits;
            memory_.serve(slot);
            return true;
        }
        ++(missed ? stat.misses : stat.merged);
        if (!missed && memory_.first_use(f)) ++memory_.stat.ahead.late_prefetches;
        wait(memory_.transfer(f), slot);
        memory_.waits(slot, missed);
        if (missed)
            memory_.state.ahead.each_with(page, [this](std::uint64_t near) { prefetch(near); });
        return true;
    }
    /// Reads a page ahead of an access, unless it is present or being read.
    void prefetch(std::uint64_t page) {
        if (memory_.find(page) != none) return;
        const bool sent = memory_.fetch(page, device_parts::AskedBy::prefetch) != none;
        ++(sent ? memory_.stat.ahead.prefetches : memory_.stat.ahead.dropped_prefetches);
    }

    /// Handles the responses of the DRAM.
    void handle_responses() {
        while (!memory_.port.dram_side.empty())
            if (const auto r = answered(memory_.port.dram_side.pop(), memory_.stat.latency))
                respond(*r);
    }
    void respond(const protocol::MemResponse& r) {
        memory_.sim().stamps().mark(r.stamps, page_comes,
                                    memory_.now() + memory_.params.latency->raw);
        memory_.port.cpu_side.send(r);
    }
    /// Sends requests and lines to the DRAM. Returns whether any was sent.
    bool send() {
        bool sent = false;
        for (; any() && memory_.port.dram_side.can_send(); sent = true) {
            const protocol::MemRequest r = next();
            memory_.port.dram_side.send(r);
            memory_.stat.dram_bytes += r.payload();
        }
        return sent;
    }

    /// Applies the functional writes to a page made while the drive was reading it to its contents.
    void write_deferred(std::uint64_t page, Contents::Id contents) {
        if (!contents) return;
        memory_.state.deferred.replay(page, [&](const FunctionalAccess& access) {
            const auto sector =
                static_cast<std::uint32_t>(access.address % page_ / SectorBytes::size);
            device_parts::write_sector(memory_.sim().contents(), contents, sector, access.data);
        });
    }

  private:
    [[noreturn]] void refuse(const protocol::MemRequest& r) const {
        memory_.refuse(term_, refusal(r, std::string(term_) + " of " +
                                             Text<Bytes>::show({std::int64_t {page_}})));
    }

    Memory& memory_;
    std::uint32_t page_;
    const char* term_;
};

} // namespace memsim::mem
