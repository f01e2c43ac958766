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

/// What an event does when its time comes: `object` is whom it is for, `payload` up to 48 bytes.
using Fire = void (*)(void* object, const void* payload);

/// Names a pending event; stale (and harmless to cancel) once the event has fired.
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
/// Two tiers. Near: the events up to a horizon, sorted, the next one last, popped from the end.
/// Far: a radix structure over the bits of the tick in which event and base differ, `level_bits`
/// bits a level. When near runs out, the first bucket either becomes near (when it is small) or is
/// dealt out one level down. An event is moved a few times, as 16 bytes, whatever the number
/// pending; its payload never moves. All events of one tick are always in one place, in the order
/// in which they were scheduled, and every move keeps that order: no sequence numbers are needed.
///
/// Cancelling marks the event; its 16 bytes are dropped when they come to the front, or swept when
/// such entries outnumber the live ones: at the next cancelling, or when near is filled.
///
/// Most events are alarms: of one owner, set again and again, one time pending. An alarm keeps its
/// place for good and knows its time, so that an entry of another time is known to be stale:
/// setting it is a store and an insertion. And what it does is always the same, so that it is done
/// without a call, which the processor could not foresee.
///
/// Preconditions: no event is scheduled at or before the tick being executed.
/// QueueKind::naive keeps the same order in a std::map: the reference the fast one is tested
/// against.
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

    /// Takes a pending event back. False if it has fired or was cancelled.
    bool cancel(EventId id) {
        if (id.slot >= slots_.size() || slots_[id.slot].generation != id.generation) return false;
        Node& node = at(id.slot);
        if (!node.fire) return false;
        node.fire = nullptr;
        --live_;
        if (++stale_ > live_ + 4096) sweep();
        return true;
    }

    /// A new alarm, not set. When it goes off `when` becomes `never`, `flag` true, and run_next()
    /// returns `whom`, which is not null.
    std::uint32_t add_alarm(Tick& when, bool& flag, void* whom);
    /// Sets it to another time than it is set to; `never`: it is off.
    void set_alarm(std::uint32_t alarm, Tick tick) {
        Alarm& a = alarms_[alarm & ~alarm_bit];
        if (a.tick != never) --live_, ++stale_; // its entry stays
        a.tick = tick;
        if (tick == never) return;
        MEMSIM_ASSERT(tick > floor_, "an event is scheduled at or before the present tick");
        enter(Entry(tick, alarm));
    }

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

    /// Whether another event is pending at `tick`, the one being executed. Unlike next_tick() it
    /// never looks beyond, so that what is scheduled next need not be sorted in before that.
    bool more_at(Tick tick) {
        for (; near_count_ != 0 && near_[near_count_ - 1].tick() == tick; --near_count_) {
            const Entry e = near_[near_count_ - 1];
            if (live(e)) return true;
            drop_stale(e);
        }
        return kind_ == QueueKind::naive && naive_next() == tick;
    }

    /// Runs the next event; next_tick() or more_at() was asked first and there is one. If it is an
    /// alarm it returns for whom. The payload stays valid until the handler returns.
    void* run_next() {
        if (near_count_ == 0) [[unlikely]]
            return naive_run(); // the fast queue would have it there
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

    /// Says which tick is being executed: events may be scheduled only after it.
    void set_floor(Tick now) { floor_ = now; }

    /// Every pending event, in order.
    std::vector<PendingEvent> pending() const;

  private:
    /// A tick and a slot, written as one 16-byte vector: a copy that soon follows reads them as
    /// one, and would wait for two separate writes to reach the cache.
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
        Tick tick; ///< `never`: it is off
        Tick* when;
        bool* flag;
        void* whom;
    };
    struct Slot {
        std::uint32_t generation; ///< counts the uses of the slot
        std::uint32_t next_free;
    };
    // Tuned with tests/bench/event_queue.cc.
    static constexpr std::size_t near_limit = 96;
    static constexpr std::size_t deal_from = 12; ///< entries worth more than an insertion sort
    static constexpr unsigned sort_bits = 7;
    static constexpr std::size_t prefetched = 4; ///< events ahead of the one that runs
    static constexpr unsigned level_bits = 6;
    static constexpr unsigned buckets = 1u << level_bits;
    static constexpr unsigned levels = (63 + level_bits - 1) / level_bits;
    static constexpr std::uint32_t block_bits = 10;
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    static constexpr std::uint32_t alarm_bit = 1u << 31; ///< in a slot: it is an alarm's number

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
    /// Behind all entries of its tick and of earlier ones: what comes soon, as most does, is moved
    /// past few.
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
            return a.whom;
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
    std::size_t stale_ = 0; ///< cancelled, but still in near or far
    Tick horizon_ = -1;     ///< near holds exactly the entries up to it
    Tick base_ = 0;         ///< start of the bucket that near was taken from; far lies behind it
    Tick floor_ = -1;       ///< the tick being executed
    std::size_t near_count_ = 0;  ///< entries of near, at the start of
    std::vector<Entry> near_;     ///< which is never made smaller; the next event is the last
    std::vector<Entry> unsorted_; ///< its other half while near is sorted
    std::uint32_t used_levels_ = 0;
    std::array<std::uint64_t, levels> used_buckets_ {};
    std::array<std::array<std::vector<Entry>, buckets>, levels> far_;
    std::vector<Alarm> alarms_;
    std::vector<std::unique_ptr<Node[]>> blocks_;
    std::vector<Slot> slots_;
    std::uint64_t next_sequence_ = 0; ///< of the naive queue
    std::map<std::pair<Tick, std::uint64_t>, std::uint32_t> naive_;
};

} // namespace memsim
