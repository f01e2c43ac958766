#pragma once

#include "core/base/units.hh"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <type_traits>
#include <vector>

namespace memsim {

/// The function that an event calls: with the object that it concerns, and a payload of up to 48
/// bytes.
using Fire = void (*)(void* object, const void* payload);

/// Identifies a pending event. After the event has run the id is stale; cancelling it has no
/// effect.
struct EventId {
    std::uint32_t slot = ~std::uint32_t {0};
    std::uint32_t generation = 0;
};

/// A pending event as a checkpoint sees it.
struct PendingEvent {
    Tick tick = 0;
    Fire fire = nullptr;
    void* object = nullptr;
    const void* payload = nullptr;
};

enum class QueueKind : std::uint8_t { fast, naive };

/// The pending events, in order of (tick, order of scheduling).
///
/// The queue has two tiers. `near_` is a sorted list of all events up to a horizon; the next event
/// is its last element. `far_` is a radix structure for later events. It compares the tick of an
/// event with a base, `level_bits` bits a level; the highest differing bit selects the level. When
/// `near_` is empty the first bucket of `far_` is used: a small bucket becomes `near_`, a larger
/// one is distributed over the level below. An entry of 16 bytes is moved a few times, independent
/// of the number of pending events; a payload is never moved. All events of one tick are in one
/// container, in the order of scheduling, and each move preserves this order. Sequence numbers are
/// therefore not needed.
///
/// Cancelling marks an event. Its entry is removed when it becomes the first, or by a sweep when
/// stale entries outnumber live ones. A sweep takes place at a cancellation or before `near_` is
/// filled.
///
/// Most events are alarms: timers with one owner that are set repeatedly and have at most one time
/// pending. An alarm has a permanent slot, which stores its time; an entry with another time is
/// stale. Setting an alarm therefore costs a store and an insertion. All alarms have the same
/// effect, so run_next() needs no indirect call, which the processor would often mispredict.
///
/// Requires      No event is scheduled at or before the tick that is being executed.
/// Guarantees    QueueKind::naive, a std::map, has the same order; tests compare both.
class EventQueue {
  public:
    static constexpr std::size_t max_payload = 48;

    explicit EventQueue(QueueKind kind = QueueKind::fast);
    ~EventQueue();
    EventQueue(const EventQueue&) = delete;
    EventQueue& operator=(const EventQueue&) = delete;

    template <class P>
    EventId schedule(Tick tick, Fire fire, void* object, const P& payload) {
        static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= max_payload,
                      "an event's payload is trivially copyable and at most 48 bytes");
        const std::uint32_t slot = allocate(tick);
        Node& node = at(slot);
        node.fire = fire;
        node.object = object;
        std::memcpy(node.payload, &payload, sizeof(P));
        return insert(tick, slot);
    }
    EventId schedule(Tick tick, Fire fire, void* object) {
        const std::uint32_t slot = allocate(tick);
        Node& node = at(slot);
        node.fire = fire;
        node.object = object;
        return insert(tick, slot);
    }

    /// Cancels a pending event. False if the event has run or was cancelled before.
    bool cancel(EventId id) {
        if (id.slot >= slots_.size() || slots_[id.slot].generation != id.generation) return false;
        Node& node = at(id.slot);
        if (!node.fire) return false;
        node.fire = nullptr;
        --live_;
        if (++stale_ > live_ + 4096) sweep();
        return true;
    }

    /// Adds an alarm, which is not set, and returns its number. When the alarm expires `when`
    /// becomes `never`, `flag` becomes true, and run_next() returns `owner`, which is not null.
    std::uint32_t add_alarm(Tick& when, bool& flag, void* owner);
    /// Sets an alarm to a time other than its present one; `never` switches it off.
    void set_alarm(std::uint32_t alarm, Tick tick) {
        Alarm& a = alarms_[alarm & ~alarm_bit];
        if (a.tick != never) --live_, ++stale_; // the entry of the former time stays
        a.tick = tick;
        if (tick == never) return;
        MEMSIM_ASSERT(tick > floor_, "an event is scheduled at or before the present tick");
        enter(Entry(tick, alarm));
    }

    QueueKind kind() const { return kind_; }
    bool empty() const { return live_ == 0; }
    std::size_t size() const { return live_; }

    /// The tick of the next event, `never` if there is none.
    Tick next_tick() {
        if (near_count_ != 0) [[likely]] {
            const Entry e = near_[near_count_ - 1];
            if (live(e)) [[likely]]
                return e.tick();
        }
        return look_for_next();
    }

    /// Whether another event is pending at `tick`, which is being executed. Unlike next_tick() this
    /// never refills near_, so events scheduled in this tick need not be inserted into a new near_.
    bool more_at(Tick tick) {
        for (; near_count_ != 0 && near_[near_count_ - 1].tick() == tick; --near_count_) {
            const Entry e = near_[near_count_ - 1];
            if (live(e)) return true;
            drop_stale(e);
        }
        return kind_ == QueueKind::naive && naive_next() == tick;
    }

    /// Runs the next event. For an alarm it returns the alarm's `owner`, otherwise null. The
    /// payload is valid until the handler returns. Requires that next_tick() or more_at() has found
    /// an event.
    void* run_next() {
        if (near_count_ == 0) [[unlikely]]
            return naive_run(); // in the fast queue near_ is not empty here
        const std::uint32_t slot = near_[--near_count_].slot();
        if (near_count_ > prefetched) {
            const std::uint32_t soon = near_[near_count_ - 1 - prefetched].slot();
            if (soon & alarm_bit)
                __builtin_prefetch(&alarms_[soon & ~alarm_bit]);
            else
                __builtin_prefetch(&at(soon));
        }
        return run(slot);
    }

    /// Sets the tick that is being executed: events may be scheduled only after it.
    void set_floor(Tick now) { floor_ = now; }

    /// Every pending event, in order.
    std::vector<PendingEvent> pending() const;

  private:
    /// A tick and a slot, written as one vector of 16 bytes. A copy reads both at once soon after;
    /// after two separate writes this read would wait until both have reached the cache.
    struct Entry {
        using Pair [[gnu::vector_size(16)]] = std::int64_t;
        Pair pair {};
        Entry() = default;
        Entry(Tick tick, std::uint32_t slot) : pair {tick, slot} {}
        Tick tick() const { return pair[0]; }
        std::uint32_t slot() const { return static_cast<std::uint32_t>(pair[1]); }
    };
    /// One cache line.
    struct alignas(64) Node {
        Fire fire; ///< null when fired, cancelled or free
        void* object;
        alignas(8) unsigned char payload[max_payload];
    };
    struct Alarm {
        Tick tick; ///< `never`: the alarm is off
        Tick* when;
        bool* flag;
        void* owner;
    };
    struct Slot {
        std::uint32_t generation; ///< counts the uses of the slot
        std::uint32_t next_free;
    };
    // Tuned with tests/bench/event_queue.cc.
    static constexpr std::size_t near_limit = 96;
    static constexpr std::size_t deal_from = 12; ///< from here on a digit is sorted first
    static constexpr unsigned sort_bits = 7;
    static constexpr std::size_t prefetched = 4; ///< events ahead of the one that runs
    static constexpr unsigned level_bits = 6;
    static constexpr unsigned buckets = 1u << level_bits;
    static constexpr unsigned levels = (63 + level_bits - 1) / level_bits;
    static constexpr std::uint32_t block_bits = 10;
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    static constexpr std::uint32_t alarm_bit = 1u << 31; ///< marks the number of an alarm in a slot

    bool live(const Entry& e) const {
        if (e.slot() & alarm_bit) [[likely]]
            return alarms_[e.slot() & ~alarm_bit].tick == e.tick();
        return at(e.slot()).fire;
    }
    Node& at(std::uint32_t slot) const {
        return blocks_[slot >> block_bits][slot & ((1u << block_bits) - 1)];
    }
    std::uint32_t allocate(Tick tick) {
        MEMSIM_ASSERT(tick > floor_, "an event is scheduled at or before the present tick");
        if (free_ == none) [[unlikely]]
            add_block();
        const std::uint32_t slot = free_;
        free_ = slots_[slot].next_free;
        return slot;
    }
    void release(std::uint32_t slot) {
        ++slots_[slot].generation;
        slots_[slot].next_free = free_;
        free_ = slot;
    }
    void drop_stale(const Entry& e) {
        if (!(e.slot() & alarm_bit)) release(e.slot());
        --stale_;
    }
    EventId insert(Tick tick, std::uint32_t slot) {
        enter(Entry(tick, slot));
        return {slot, slots_[slot].generation};
    }
    void enter(Entry e) {
        ++live_;
        if (e.tick() <= horizon_) // never with the naive queue
            insert_near(e);
        else
            insert_far(e);
    }
    /// Inserts an entry that runs after all entries of its tick and of earlier ticks. Most new
    /// events are due soon, so few entries move.
    void insert_near(Entry e) {
        if (near_count_ >= 2 * near_limit) [[unlikely]]
            return spill_near(e);
        Entry* const first = near_.data();
        Entry* at = first + near_count_++;
        for (; at != first && at[-1].tick() <= e.tick(); --at) at[0] = at[-1];
        *at = e;
    }
    void* run(std::uint32_t slot) {
        --live_;
        if (slot & alarm_bit) [[likely]] {
            Alarm& a = alarms_[slot & ~alarm_bit];
            a.tick = *a.when = never;
            *a.flag = true;
            return a.owner;
        }
        run_event(slot);
        return nullptr;
    }

    void run_event(std::uint32_t slot);
    void add_block();
    void insert_far(Entry e);
    Tick look_for_next();
    bool refill();
    void sort_near(unsigned shift);
    void spill_near(Entry e);
    void rebase();
    void sweep();
    Tick naive_next();
    void* naive_run();

    QueueKind kind_;
    std::uint32_t free_ = none;
    std::size_t live_ = 0;
    std::size_t stale_ = 0;      ///< cancelled entries that are still in near_ or far_
    Tick horizon_ = -1;          ///< near_ holds exactly the entries up to this tick
    Tick base_ = 0;              ///< start of the bucket from which near_ was filled; far_ is later
    Tick floor_ = -1;            ///< the tick that is being executed
    std::size_t near_count_ = 0; ///< entries in use, at the start of near_
    std::vector<Entry> near_;    ///< the next event is the last entry in use; never shrinks
    std::vector<Entry> unsorted_; ///< scratch space of sort_near()
    std::uint32_t used_levels_ = 0;
    std::array<std::uint64_t, levels> used_buckets_ {};
    std::array<std::array<std::vector<Entry>, buckets>, levels> far_;
    std::vector<Alarm> alarms_;
    std::vector<std::unique_ptr<Node[]>> blocks_;
    std::vector<Slot> slots_;
    std::uint64_t next_sequence_ = 0; ///< only for the naive queue
    std::map<std::pair<Tick, std::uint64_t>, std::uint32_t> naive_;
};

} // namespace memsim
