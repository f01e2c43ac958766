#pragma once

#include "core/state/fifo.hh"
#include "core/state/free_list.hh"
#include "device_parts/named.hh"
#include "protocol/mem.hh"

namespace memsim::cxl_gpu {

/// The lines of a request, numbered in units of 64 bytes, the transfer size of CXL.mem.
struct Lines {
    std::uint64_t first = 0, last = 0;

    static constexpr std::uint64_t bytes = 64;
    explicit Lines(const protocol::MemRequest& r)
        : first(r.address / bytes), last((r.address + r.bytes - 1) / bytes) {}
    bool overlap(const Lines& other) const { return first <= other.last && other.first <= last; }
};

/// The memory queue of a root port. It holds requests from acceptance to answer, and speculative
/// reads until they are sent, and sends both in order of arrival, except that
/// stores and speculative reads overtake loads that have to wait. A value for State. Reads and
/// writes travel in different message classes (Req and RwD), which may overtake each other. The
/// order of one address is therefore kept here: a request that conflicts() with an outstanding one
/// must not be added.
class MemoryQueue {
  public:
    struct Entry {
        bool used = false, sent = false;
        Tick since = 0; ///< time of acceptance
        protocol::MemRequest request;
    };

    static constexpr std::string_view archived_as = "MemoryQueue";
    template <class Archive>
    void archive(Archive& a) {
        a(entries_), a(free_), a(unsent_);
        if constexpr (Loading<Archive>) // loading after resize(); otherwise the state is only
                                        // inspected
            a.check(entries_.empty() || sound(), "sends entries that it does not hold");
    }

    void resize(std::uint32_t entries) {
        entries_.assign(entries, {});
        for (std::uint32_t i = entries; i-- > 0;) free_.push_back(i);
    }
    bool full() const { return free_.empty(); }
    std::uint32_t size() const {
        return static_cast<std::uint32_t>(entries_.size() - free_.size());
    }
    /// Whether a request must wait for another to the same line: a read for a write, a write for
    /// either.
    bool conflicts(const protocol::MemRequest& r) const {
        const Lines lines(r);
        for (const Entry& e : entries_)
            if (e.used && !e.request.is_hint() && (writes(e.request) || writes(r)) &&
                lines.overlap(Lines(e.request)))
                return true;
        return false;
    }
    void add(const protocol::MemRequest& r, Tick since) {
        const std::uint32_t place = free_.back();
        free_.pop_back();
        entries_[place] = {true, false, since, r};
        unsent_.push(place);
    }
    /// Whether a request may be sent; without `with_loads` loads have to wait.
    bool any_unsent(bool with_loads) const { return first_unsent(with_loads) < unsent_.size(); }
    /// Sends the oldest request that may be sent, with the number of its entry as its tag. The
    /// entry is kept until release(), unless the request is a hint. Requires
    /// any_unsent(with_loads).
    protocol::MemRequest send(bool with_loads) {
        const std::uint32_t i = first_unsent(with_loads), place = unsent_[i];
        unsent_.erase(i);
        Entry& e = entries_[place];
        protocol::MemRequest r = e.request;
        r.tag = place;
        e.sent = true;
        e.request.contents = {};
        if (r.is_hint()) release(place);
        return r;
    }
    /// Loads that are sent and not answered.
    std::uint32_t outstanding_loads() const {
        std::uint32_t n = 0;
        for (const Entry& e : entries_) n += e.used && e.sent && is_load(e.request);
        return n;
    }
    /// The entry named by an answer.
    const Entry& sent(std::uint32_t tag) const {
        const Entry& e = device_parts::named(entries_, tag);
        MEMSIM_ASSERT(e.used && e.sent, "an answer names a request that was not sent");
        return e;
    }
    void release(std::uint32_t tag) {
        entries_[tag] = {};
        free_.push_back(tag);
    }
    /// Calls f(request) for all entries that are not speculative reads.
    template <class F>
    void for_each_request(F&& f) const {
        for (const Entry& e : entries_)
            if (e.used && !e.request.is_hint()) f(e.request);
    }

  private:
    static bool writes(const protocol::MemRequest& r) {
        return r.command != protocol::Command::read;
    }
    static bool is_load(const protocol::MemRequest& r) { return !writes(r) && !r.is_hint(); }
    /// The index in `unsent_` of the first request that may be sent; its size if there is none.
    std::uint32_t first_unsent(bool with_loads) const {
        std::uint32_t i = 0;
        while (i < unsent_.size() && !with_loads && is_load(entries_[unsent_[i]].request)) ++i;
        return i;
    }
    bool sound() const {
        for (std::uint32_t i = 0; i < unsent_.size(); ++i)
            if (unsent_[i] >= entries_.size() || !entries_[unsent_[i]].used) return false;
        std::uint32_t used = 0;
        for (const Entry& e : entries_) used += e.used;
        return used == size();
    }

    std::vector<Entry> entries_;
    FreeList free_;
    Fifo<std::uint32_t> unsent_;
};

} // namespace memsim::cxl_gpu
