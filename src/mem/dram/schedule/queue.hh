#pragma once

#include "core/state/free_list.hh"
#include "mem/dram/access.hh"

#include <array>
#include <bit>
#include <functional>
#include <vector>

namespace memsim::mem {

/// The values of a DramQueue, for State.
struct DramQueueState {
    struct Entry {
        DramAccess access;
        std::uint16_t next = 0; ///< next younger request of the same bank and direction
        std::uint16_t left = 0; ///< column commands not yet issued
        bool started = false;   ///< a command was issued for it
        bool opened = false;    ///< its row was opened for it
        std::uint64_t age = 0;  ///< number of requests accepted before it
        Tick first_command = 0;
    };
    struct List {
        std::uint16_t head = 0xffff, tail = 0xffff;
    };
    struct Bank {
        std::array<List, 2> waiting; ///< reads, writes; oldest first
        std::array<std::uint16_t, 2> count {};
        std::uint16_t opener = 0xffff; ///< request for which the row was opened, until it is served
    };
    std::vector<Entry> entries;
    FreeList free;
    std::vector<Bank> banks;
    std::array<std::vector<std::uint64_t>, 2> used; ///< bit per bank with a waiting request
    std::vector<std::array<List, 2>> aside;         ///< see DramQueue::set_aside()
    std::vector<std::uint64_t> reserved;            ///< bit per bank whose requests are set aside
    std::uint32_t reservations = 0;                 ///< number of reserved banks
    std::array<std::uint32_t, 2> queued {};         ///< reads, writes
    std::array<std::uint32_t, 2> eligible {};       ///< queued and not set aside
    std::array<std::uint32_t, 2> opened {};         ///< queued with their row opened for them
    std::array<std::uint32_t, 2> beyond {}; ///< queued beyond the first `bank_queue` of their bank
    std::uint64_t age = 0;                  ///< requests accepted
    std::uint32_t migrations = 0;           ///< waiting migrations
};

/// The requests that wait for the DRAM of one channel: a list for each bank and direction, oldest
/// first. The queue is independent of time and commands. A bank may be reserved for another user.
/// Its requests that have not started, and new ones, are then set aside. When the bank is given
/// back, all are sorted by age again.
class DramQueue {
  public:
    using Entry = DramQueueState::Entry;
    using List = DramQueueState::List;
    static constexpr std::uint16_t none = 0xffff; ///< no entry

    /// `patience`: number of requests accepted after a migration until it counts as demand.
    /// `bank_queue`: number of requests of a bank and direction that are not `beyond`. The state
    /// outlives the queue.
    DramQueue(DramQueueState& state, std::uint32_t patience, std::uint32_t bank_queue)
        : state_(state), patience_(patience), bank_queue_(bank_queue) {}
    void init(std::uint32_t banks, std::uint32_t places);
    /// Checks a loaded state. `access` rejects a request whose context is unknown to the owner.
    void check_loaded(Loader& l, const std::function<void(const DramAccess&)>& access) const;

    /// Requires: a place is free. Returns the index of the entry.
    std::uint16_t push(const DramAccess& access);
    /// Requires: the entry waits and is not set aside.
    void remove(std::uint16_t entry);
    /// Whether one waiting write contains all bytes of the read.
    bool covers(const DramAccess& read) const;

    Entry& operator[](std::uint16_t entry) { return state_.entries[entry]; }
    const Entry& operator[](std::uint16_t entry) const { return state_.entries[entry]; }
    std::uint16_t oldest(std::uint32_t bank, bool write) const {
        return state_.banks[bank].waiting[write].head;
    }
    /// Whether this entry waits for the bank and is not set aside.
    bool waits(std::uint16_t entry, std::uint32_t bank) const;
    bool empty(std::uint32_t bank) const {
        return oldest(bank, false) == none && oldest(bank, true) == none;
    }
    /// A bit per bank with a waiting request of this direction, 64 per word.
    const std::vector<std::uint64_t>& used(bool write) const { return state_.used[write]; }

    std::uint32_t queued(bool write) const { return state_.queued[write]; }
    std::uint32_t eligible(bool write) const { return state_.eligible[write]; }
    std::uint32_t opened(bool write) const { return state_.opened[write]; }
    std::uint32_t beyond(bool write) const { return state_.beyond[write]; }
    std::uint32_t migrations() const { return state_.migrations; }
    std::uint64_t accepted() const { return state_.age; }
    /// Number of requests of a bank and direction that an order considers.
    std::uint32_t looked_at() const { return bank_queue_ ? bank_queue_ : none; }
    bool urgent(const Entry& e) const {
        return e.access.priority == DramPriority::demand || state_.age - e.age > patience_;
    }

    /// The request for which the row was opened, until it is served.
    std::uint16_t opener(std::uint32_t bank) const { return state_.banks[bank].opener; }
    void set_opener(std::uint32_t bank, std::uint16_t entry);

    /// Requests that have started keep their place.
    void set_aside(std::uint32_t bank);
    void give_back(std::uint32_t bank);
    bool reserved(std::uint32_t bank) const { return state_.reserved[bank / 64] >> bank % 64 & 1; }
    std::uint32_t reservations() const { return state_.reservations; }

  private:
    static constexpr std::uint64_t bit(std::uint32_t bank) {
        return std::uint64_t {1} << bank % 64;
    }
    void append(List& list, std::uint16_t entry);
    void mark_used(std::uint32_t bank);
    std::uint32_t check_list(Loader& l, const List& list, std::vector<std::uint32_t>& bank_of,
                             std::uint32_t bank, bool write) const;

    DramQueueState& state_;
    std::uint32_t patience_, bank_queue_;
};

/// Calls f(bank) for each bit of the words, bank 0 first.
template <class F>
inline void for_each_bank(const std::vector<std::uint64_t>& words, F&& f) {
    for (std::uint32_t w = 0; w < words.size(); ++w)
        for (std::uint64_t bits = words[w]; bits; bits &= bits - 1)
            f(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
}

} // namespace memsim::mem
