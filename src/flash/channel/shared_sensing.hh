#pragma once

#include "core/kernel/contents.hh"
#include "core/state/archive.hh"

#include <vector>

namespace memsim::flash {

/// A read of a channel's, by its slot. Plain values for State.
struct SensedRead {
    static constexpr std::uint32_t none = ~0u;
    std::uint32_t first = none; ///< the read that the page is sensed for; none: itself
    std::uint32_t next = none;  ///< that waits for the same sensing
    std::uint32_t sharing = 0;  ///< of the first: reads of its sensing that are not answered
    bool sensed = false;        ///< of the first: the page is in the register
    Contents::Id page;          ///< of the first: what it holds
};

/// Reads of one page that share its sensing: the first has the page sensed and keeps the register,
/// and what it holds, until the last of them has its data. A part; its owner knows which pages are
/// in registers, and has the bus.
class SharedSensing {
  public:
    SharedSensing(std::vector<SensedRead>& reads, Contents& records)
        : reads_(reads), records_(records) {}

    /// An operation begins: a read's page is sensed.
    void begin(std::uint32_t slot) {
        reads_[slot] = {};
        reads_[slot].sharing = 1;
    }
    /// Shares the sensing of `first`. True if the page is in the register, and can be fetched.
    bool join(std::uint32_t slot, std::uint32_t first);
    /// The page is in the register: calls fetch(slot) for the first and for those that wait, in the
    /// order in which they joined.
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
        bool last = true; ///< of its sensing, so that the register is free
    };
    /// An operation has ended, a read with its data.
    Answer answer(std::uint32_t slot);

    void check_loaded(Loader& l) const;

  private:
    std::vector<SensedRead>& reads_;
    Contents& records_;
};

} // namespace memsim::flash
