#include "core/kernel/event_queue.hh"

#include <algorithm>

namespace memsim {

EventQueue::EventQueue(QueueKind kind)
    : kind_(kind), near_(2 * near_limit), unsorted_(2 * near_limit) {}
EventQueue::~EventQueue() = default;

void EventQueue::add_block() {
    const std::uint32_t size = 1u << block_bits;
    const std::size_t first = slots_.size();
    MEMSIM_ASSERT(first + size < alarm_bit, "more than 2 billion events are pending");
    blocks_.push_back(std::make_unique<Node[]>(size));
    slots_.resize(first + size);
    for (std::size_t i = first + size; i-- > first;) {
        slots_[i].next_free = free_;
        free_ = static_cast<std::uint32_t>(i);
    }
}

std::uint32_t EventQueue::add_alarm(Tick& when, bool& flag, void* owner) {
    alarms_.push_back({never, &when, &flag, owner});
    return static_cast<std::uint32_t>(alarms_.size() - 1) | alarm_bit;
}

/// Inserts an entry into far_, or into the map of the naive queue.
void EventQueue::insert_far(Entry e) {
    if (kind_ == QueueKind::naive) {
        naive_.emplace(std::pair {e.tick(), next_sequence_++}, e.slot());
        return;
    }
    const std::uint64_t differing = static_cast<std::uint64_t>(e.tick() ^ base_) | 1;
    const unsigned level = (63 - static_cast<unsigned>(std::countl_zero(differing))) / level_bits;
    const unsigned bucket = static_cast<unsigned>(e.tick() >> (level * level_bits)) & (buckets - 1);
    far_[level][bucket].push_back(e);
    used_buckets_[level] |= std::uint64_t {1} << bucket;
    used_levels_ |= 1u << level;
}

void EventQueue::run_event(std::uint32_t slot) {
    Node& node = at(slot);
    const Fire fire = node.fire;
    node.fire = nullptr; // no longer pending: the handler cannot cancel it
    fire(node.object, node.payload);
    release(slot);
}

Tick EventQueue::look_for_next() {
    if (kind_ == QueueKind::naive) return naive_next();
    for (;; --near_count_) {
        while (near_count_ == 0)
            if (!refill()) return never;
        const Entry e = near_[near_count_ - 1];
        if (live(e)) return e.tick();
        drop_stale(e);
    }
}

/// Moves the first bucket of far_ to near_ or distributes it over the level below. False if no
/// event is left. Requires that near_ is empty.
bool EventQueue::refill() {
    if (stale_ > live_ + 4096) sweep();
    if (used_levels_ == 0) return false;
    const unsigned level = static_cast<unsigned>(std::countr_zero(used_levels_));
    const unsigned bucket = static_cast<unsigned>(std::countr_zero(used_buckets_[level]));
    const unsigned shift = level * level_bits;
    std::vector<Entry>& entries = far_[level][bucket];

    used_buckets_[level] &= used_buckets_[level] - 1;
    if (used_buckets_[level] == 0) used_levels_ &= ~(1u << level);
    // The bucket's ticks agree with the base above this level; the base moves to its first tick.
    const std::uint64_t width = std::uint64_t {1} << shift;
    const std::uint64_t within = width * buckets - 1; // wraps to all ones at the top level
    base_ = static_cast<Tick>((static_cast<std::uint64_t>(base_) & ~within) | width * bucket);

    if (entries.size() <= near_limit || level == 0) {
        horizon_ = static_cast<Tick>(static_cast<std::uint64_t>(base_) + width - 1);
        near_count_ = entries.size();
        if (near_.size() < near_count_) near_.resize(near_count_); // all are of one tick
        std::reverse_copy(entries.begin(), entries.end(), near_.begin());
        entries.clear();
        if (level > 0) sort_near(shift); // a bucket of level 0 is one tick and is in order
    } else {
        // Entries of one tick keep their order: all move to one bucket, before later events.
        horizon_ = base_ - 1;
        std::vector<Entry> dealt;
        dealt.swap(entries);
        for (const Entry& e : dealt) insert_far(e);
        dealt.clear();
        if (entries.empty()) entries.swap(dealt); // keep the capacity
    }
    return true;
}

/// Sorts near_ by tick, the latest first. Entries of one tick keep their order. All entries come
/// from one bucket of 2^shift ticks.
void EventQueue::sort_near(unsigned shift) {
    const std::size_t n = near_count_; // at most near_limit
    if (n > deal_from) {
        // Counting sort by the first bits that may differ: its loops are long and predictable.
        unsorted_.swap(near_);
        const unsigned below = shift > sort_bits ? shift - sort_bits : 0;
        auto digit = [below](const Entry& e) {
            return static_cast<std::size_t>(e.tick() >> below) & ((1u << sort_bits) - 1);
        };
        std::array<std::uint16_t, 1u << sort_bits> place {};
        for (std::size_t i = 0; i < n; ++i) ++place[digit(unsorted_[i])];
        std::uint16_t sum = 0;
        for (std::size_t d = place.size(); d-- > 0;) {
            const std::uint16_t here = place[d];
            place[d] = sum;
            sum = static_cast<std::uint16_t>(sum + here);
        }
        for (std::size_t i = 0; i < n; ++i) near_[place[digit(unsorted_[i])]++] = unsorted_[i];
    }
    Entry* const to = near_.data();
    for (std::size_t i = 1; i < n; ++i) {
        const Entry e = to[i];
        std::size_t j = i;
        for (; j > 0 && to[j - 1].tick() < e.tick(); --j) to[j] = to[j - 1];
        to[j] = e;
    }
}

/// Inserts an entry when near_ is full. The later half of near_, in whole ticks, returns to far_,
/// which has no limit, and the horizon decreases accordingly. Events of the tick that is being
/// executed stay.
void EventQueue::spill_near(Entry e) {
    const Tick middle = std::max(near_[near_count_ / 2].tick(), floor_ + 1);
    horizon_ = middle - 1;
    if (middle < base_) rebase();
    std::size_t later = 0;
    while (later < near_count_ && near_[later].tick() >= middle) ++later;
    for (std::size_t i = later; i-- > 0;) insert_far(near_[i]);
    near_count_ -= later;
    for (std::size_t i = 0; i < near_count_; ++i) near_[i] = near_[i + later];
    if (e.tick() <= horizon_)
        insert_near(e);
    else
        insert_far(e);
}

/// Distributes all of far_ again, around the present tick. This is necessary if a caller of
/// next_tick() then schedules many events before the returned tick, which the simulation's loop
/// does not do.
void EventQueue::rebase() {
    std::vector<Entry> all;
    for (auto& level : far_)
        for (auto& bucket : level) {
            all.insert(all.end(), bucket.begin(), bucket.end());
            bucket.clear();
        }
    used_buckets_ = {};
    used_levels_ = 0;
    base_ = floor_ + 1;
    for (const Entry& e : all) insert_far(e);
}

void EventQueue::sweep() {
    auto drop = [this](const Entry& e) {
        const bool stale = !live(e);
        if (stale) drop_stale(e);
        return stale;
    };
    std::erase_if(naive_, [&](const auto& e) { return drop(Entry(e.first.first, e.second)); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < near_count_; ++i)
        if (!drop(near_[i])) near_[kept++] = near_[i];
    near_count_ = kept;
    for (unsigned level = 0; level < levels; ++level)
        for (std::uint64_t rest = used_buckets_[level]; rest; rest &= rest - 1) {
            const unsigned bucket = static_cast<unsigned>(std::countr_zero(rest));
            std::erase_if(far_[level][bucket], drop);
            if (!far_[level][bucket].empty()) continue;
            used_buckets_[level] &= ~(std::uint64_t {1} << bucket);
            if (used_buckets_[level] == 0) used_levels_ &= ~(1u << level);
        }
}

std::vector<PendingEvent> EventQueue::pending() const {
    std::vector<PendingEvent> all;
    auto add = [&](const Entry& e) {
        if (e.slot() & alarm_bit || !live(e)) return;
        const Node& n = at(e.slot());
        all.push_back({e.tick(), n.fire, n.object, n.payload});
    };
    for (const auto& [key, slot] : naive_) add(Entry(key.first, slot));
    for (std::size_t i = near_count_; i-- > 0;) add(near_[i]);
    for (const auto& level : far_)
        for (const auto& bucket : level)
            for (const Entry& e : bucket) add(e);
    // Events of one tick are in one container, in their order.
    std::stable_sort(all.begin(), all.end(),
                     [](const PendingEvent& a, const PendingEvent& b) { return a.tick < b.tick; });
    return all;
}

Tick EventQueue::naive_next() {
    while (!naive_.empty()) {
        const Entry e(naive_.begin()->first.first, naive_.begin()->second);
        if (live(e)) break;
        drop_stale(e);
        naive_.erase(naive_.begin());
    }
    return naive_.empty() ? never : naive_.begin()->first.first;
}

void* EventQueue::naive_run() {
    const std::uint32_t slot = naive_.begin()->second;
    naive_.erase(naive_.begin());
    return run(slot);
}

} // namespace memsim
