#pragma once

#include "core/kernel/contents.hh"
#include "core/state/archive.hh"

#include <vector>

namespace memsim::flash {

/// A read of a channel, by its slot. Plain values for State.
struct SensedRead {
    static constexpr std::uint32_t none = ~0u;
    std::uint32_t first = none; ///< the read that senses the page; none: this one
    std::uint32_t next = none;  ///< next read that waits for the same sensing
    std::uint32_t sharing = 0;  ///< of the first read: unanswered reads of its sensing
    bool sensed = false;        ///< of the first read: the page is in the register
    Contents::Id page;          ///< of the first read: contents of the page
};

/// Reads of one page that share its sensing. The first read senses the page and keeps the register
/// and its contents until the last read has its data. A part: its owner knows which pages are in
/// registers, and has the bus.
class SharedSensing {
  public:
    SharedSensing(std::vector<SensedRead>& reads, Contents& records)
        : reads_(reads), records_(records) {}

    /// An operation begins: the page of a read is sensed.
    void begin(std::uint32_t slot) {
        reads_[slot] = {};
        reads_[slot].sharing = 1;
    }
    /// Shares the sensing of `first`. Returns true if the page is in the register and can be
    /// transferred.
    bool join(std::uint32_t slot, std::uint32_t first);
    /// The page is in the register: calls fetch(slot) for the first read and for those that wait,
    /// in the order in which they joined.
    template <class F>
    void sensed(std::uint32_t first, Contents::Id page, F&& fetch) {
        SensedRead& r = reads_[first];
        r.sensed = true, r.page = page;
        fetch(first);
        for (std::uint32_t at = std::exchange(r.next, SensedRead::none); at != SensedRead::none;)
            fetch(std::exchange(at, std::exchange(reads_[at].next, SensedRead::none)));
    }
    std::uint32_t first_of(std::uint32_t slot) const {
        return reads_[slot].first == SensedRead::none ? slot : reads_[slot].first;
    }
    struct Answer {
        Contents::Id contents;
        bool last = true; ///< of its sensing; the register is then free
    };
    /// An operation has ended; a read has its data.
    Answer answer(std::uint32_t slot);

    void check_loaded(Loader& l) const;

  private:
    std::vector<SensedRead>& reads_;
    Contents& records_;
};

} // namespace memsim::flash
