#pragma once

#include "core/units.hh"

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
    std::uint64_t sequence = 0;
    std::uint32_t slot = 0;
    Fire fire = nullptr;
    void* object = nullptr;
    const void* payload = nullptr;
};

enum class QueueKind : std::uint8_t { fast, naive };

/// The pending events, in order of (tick, order of scheduling).
///
/// Two tiers. Near: events below the horizon, sorted, latest first, so that the next one is popped
/// from the end. Far: a radix structure over the bits of the tick in which event and base differ:
/// 64 buckets a level, 6 bits a level. When near runs out, the first bucket either becomes near
/// (when it is small) or is dealt out one level down. An event is moved a few times, as 16 bytes,
/// whatever the number pending; its payload never moves. Cancelling only frees the slot; the
/// 16-byte entry is recognised as stale by its sequence number and swept when such entries
/// outnumber the live ones.
///
/// Preconditions: no event is scheduled at or before the tick being executed.
/// QueueKind::naive keeps the same order in a std::map: the reference the fast one is tested
/// against.
class EventQueue {
  public:
    static constexpr std::size_t max_payload = 48;

    /// `first_sequence` is for the test of what happens when sequence numbers run out.
    explicit EventQueue(QueueKind kind = QueueKind::fast, std::uint64_t first_sequence = 1)
        : kind_(kind), next_sequence_(first_sequence) {
        near_.reserve(2 * near_limit);
    }
    EventQueue(const EventQueue&) = delete;
    EventQueue& operator=(const EventQueue&) = delete;

    template <class P>
    EventId schedule(Tick tick, Fire fire, void* object, const P& payload) {
        static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= max_payload,
                      "an event's payload is trivially copyable and at most 48 bytes");
        Node& node = allocate(tick);
        node.fire = fire;
        node.object = object;
        std::memcpy(node.payload, &payload, sizeof(P));
        return insert(tick, node);
    }
    EventId schedule(Tick tick, Fire fire, void* object) {
        Node& node = allocate(tick);
        node.fire = fire;
        node.object = object;
        return insert(tick, node);
    }

    /// Takes a pending event back. False if it has fired or was cancelled.
    bool cancel(EventId id) {
        if (id.slot >= nodes_size_) return false;
        Node& node = at(id.slot);
        if (node.generation != id.generation || node.sequence == 0) return false;
        --live_;
        release(node);
        if (++stale_ > live_ + 4096) sweep();
        return true;
    }

    bool empty() const { return live_ == 0; }
    std::size_t size() const { return live_; }

    /// The tick of the next event, `never` if there is none.
    Tick next_tick() {
        if (kind_ == QueueKind::naive) return naive_next();
        for (;;) {
            while (near_.empty())
                if (!refill()) return never;
            const Entry& e = near_.back();
            if (at(e.slot()).sequence == e.sequence()) return e.tick;
            near_.pop_back();
            --stale_;
        }
    }

    /// Runs the next event; next_tick() was asked first and there is one. The payload stays valid
    /// until the handler returns.
    void run_next() {
        if (kind_ == QueueKind::naive) return naive_run();
        const std::uint32_t slot = near_.back().slot();
        near_.pop_back();
        run(slot);
    }

    /// Every pending event, in order.
    std::vector<PendingEvent> pending() const;

  private:
    /// 40 bits of sequence and 24 of slot beside the tick: 16 bytes that sort by two compares.
    /// 16 million events may be pending; sequence numbers are dealt anew when 2^40 are used.
    struct Entry {
        Tick tick;
        std::uint64_t order;
        std::uint32_t slot() const { return static_cast<std::uint32_t>(order & slot_mask); }
        std::uint64_t sequence() const { return order >> slot_bits; }
        bool operator<(const Entry& o) const {
            return tick != o.tick ? tick < o.tick : order < o.order;
        }
    };
    struct Node {
        std::uint64_t sequence; ///< 0 when fired, cancelled or free
        Fire fire;
        void* object;
        std::uint32_t slot;
        std::uint32_t generation;
        std::uint32_t next_free;
        alignas(8) unsigned char payload[max_payload];
    };
    static constexpr unsigned slot_bits = 24;
    static constexpr std::uint64_t slot_mask = (1u << slot_bits) - 1;
    static constexpr std::size_t near_limit = 32;
    static constexpr unsigned level_bits = 6;
    static constexpr unsigned levels = 11;
    static constexpr std::uint32_t block_bits = 10;

    Node& at(std::uint32_t slot) const {
        return blocks_[slot >> block_bits][slot & ((1u << block_bits) - 1)];
    }
    Node& allocate(Tick tick) {
        MEMSIM_ASSERT(tick > floor_, "an event is scheduled at or before the present tick");
        if (free_ == none) add_block();
        Node& node = at(free_);
        free_ = node.next_free;
        return node;
    }
    EventId insert(Tick tick, Node& node) {
        if (next_sequence_ >> (64 - slot_bits)) [[unlikely]]
            renumber();
        node.sequence = next_sequence_++;
        ++live_;
        const Entry e {tick, node.sequence << slot_bits | node.slot};
        if (kind_ == QueueKind::naive)
            naive_.emplace(std::pair {tick, node.sequence}, node.slot);
        else if (tick < horizon_)
            insert_near(e);
        else
            insert_far(e);
        return {node.slot, node.generation};
    }
    void insert_far(Entry e) {
        const std::uint64_t differing = static_cast<std::uint64_t>(e.tick ^ base_) | 1;
        const unsigned level =
            (63 - static_cast<unsigned>(std::countl_zero(differing))) / level_bits;
        const unsigned bucket =
            static_cast<unsigned>(e.tick >> (level * level_bits)) & ((1u << level_bits) - 1);
        far_[level][bucket].push_back(e);
        used_buckets_[level] |= std::uint64_t {1} << bucket;
        used_levels_ |= 1u << level;
    }
    void insert_near(Entry e) {
        if (near_.size() >= 2 * near_limit) return spill_near(e);
        near_.push_back(e);
        std::size_t i = near_.size() - 1;
        for (; i > 0 && near_[i - 1] < e; --i) near_[i] = near_[i - 1];
        near_[i] = e;
    }
    void run(std::uint32_t slot) {
        Node& node = at(slot);
        node.sequence = 0; // no longer pending: the handler cannot cancel it
        --live_;
        node.fire(node.object, node.payload);
        release(node);
    }
    void release(Node& node) {
        node.sequence = 0;
        ++node.generation;
        node.next_free = free_;
        free_ = node.slot;
    }

    void add_block();
    bool refill();
    void spill_near(Entry e);
    void sweep();
    void renumber();
    bool is_live(const Entry& e) const { return at(e.slot()).sequence == e.sequence(); }
    Tick naive_next();
    void naive_run();

    static constexpr std::uint32_t none = ~std::uint32_t {0};

    QueueKind kind_;
    std::uint32_t free_ = none;
    std::size_t live_ = 0;
    std::size_t stale_ = 0;
    std::uint64_t next_sequence_ = 1;
    Tick horizon_ = 0; ///< near holds exactly the entries below it
    Tick base_ = 0;    ///< start of the bucket that near was taken from
    Tick floor_ = -1;  ///< the tick being executed
    std::vector<Entry> near_;
    std::uint32_t used_levels_ = 0;
    std::array<std::uint64_t, levels> used_buckets_ {};
    std::array<std::array<std::vector<Entry>, 1u << level_bits>, levels> far_;
    std::vector<std::unique_ptr<Node[]>> blocks_;
    std::uint32_t nodes_size_ = 0;
    std::map<std::pair<Tick, std::uint64_t>, std::uint32_t> naive_;

  public:
    /// Says which tick is being executed: events may be scheduled only after it.
    void set_floor(Tick now) { floor_ = now; }
};

} // namespace memsim
