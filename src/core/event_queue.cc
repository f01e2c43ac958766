#include "core/event_queue.hh"

#include <algorithm>

namespace memsim {

void EventQueue::add_block() {
    const std::uint32_t size = 1u << block_bits;
    MEMSIM_ASSERT(nodes_size_ + size <= slot_mask, "more than 16 million events are pending");
    blocks_.push_back(std::make_unique<Node[]>(size));
    for (std::uint32_t i = size; i-- > 0;) {
        Node& node = blocks_.back()[i];
        node.sequence = 0;
        node.slot = nodes_size_ + i;
        node.generation = 0;
        node.next_free = free_;
        free_ = node.slot;
    }
    nodes_size_ += size;
}

/// Makes the first far bucket near, or deals it out one level down. False when nothing is left.
bool EventQueue::refill() {
    if (used_levels_ == 0) return false;
    const unsigned level = static_cast<unsigned>(std::countr_zero(used_levels_));
    const unsigned bucket = static_cast<unsigned>(std::countr_zero(used_buckets_[level]));
    const unsigned shift = level * level_bits;
    std::vector<Entry>& entries = far_[level][bucket];

    used_buckets_[level] &= used_buckets_[level] - 1;
    if (used_buckets_[level] == 0) used_levels_ &= ~(1u << level);
    // The bucket's ticks agree with the base above this level; the base moves to its first tick.
    const std::uint64_t above =
        shift + level_bits >= 64
            ? 0
            : static_cast<std::uint64_t>(base_) >> (shift + level_bits) << (shift + level_bits);
    base_ = static_cast<Tick>(above | static_cast<std::uint64_t>(bucket) << shift);

    if (entries.size() <= near_limit || level == 0) {
        horizon_ = base_ + (Tick {1} << shift);
        near_.insert(near_.end(), entries.rbegin(), entries.rend());
        // Latest first. One bucket of level 0 is one tick, already in order of scheduling.
        if (level > 0) {
            for (std::size_t i = 1; i < near_.size(); ++i) {
                const Entry e = near_[i];
                std::size_t j = i;
                for (; j > 0 && near_[j - 1] < e; --j) near_[j] = near_[j - 1];
                near_[j] = e;
            }
        }
        entries.clear();
    } else {
        // Entries of equal tick keep their order: they go to one bucket, in this order, before any
        // later one can.
        horizon_ = base_;
        std::vector<Entry> dealt;
        dealt.swap(entries);
        for (const Entry& e : dealt) insert_far(e);
        dealt.clear();
        if (entries.empty()) entries.swap(dealt); // keep the capacity
    }
    return true;
}

/// Near has grown past its limit: its later half (whole ticks) goes back to far, which takes any
/// number, and the horizon moves down to it.
void EventQueue::spill_near(Entry e) {
    const Tick middle = near_[near_.size() / 2].tick;
    std::size_t first_kept = 0;
    while (first_kept < near_.size() && near_[first_kept].tick >= middle) ++first_kept;
    for (std::size_t i = first_kept; i-- > 0;)
        insert_far(near_[i]); // earliest first, so that equal ticks stay in order
    near_.erase(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(first_kept));
    horizon_ = middle;
    if (e.tick < horizon_)
        insert_near(e);
    else
        insert_far(e);
}

void EventQueue::sweep() {
    if (kind_ == QueueKind::naive) return;
    auto drop = [this](std::vector<Entry>& v) {
        std::erase_if(v, [this](const Entry& e) { return !is_live(e); });
    };
    drop(near_);
    for (unsigned level = 0; level < levels; ++level)
        for (unsigned b = 0; b < (1u << level_bits); ++b) {
            if (!(used_buckets_[level] >> b & 1)) continue;
            drop(far_[level][b]);
            if (far_[level][b].empty()) {
                used_buckets_[level] &= ~(std::uint64_t {1} << b);
                if (used_buckets_[level] == 0) used_levels_ &= ~(1u << level);
            }
        }
    stale_ = 0;
}

/// Deals sequence numbers anew from 1, in order: once in 2^40 events.
void EventQueue::renumber() {
    const std::vector<PendingEvent> events = pending();
    next_sequence_ = 1;
    naive_.clear();
    near_.clear();
    for (auto& level : far_)
        for (auto& bucket : level) bucket.clear();
    used_buckets_ = {};
    used_levels_ = 0;
    stale_ = 0;
    horizon_ = base_; // everything is far again
    for (const PendingEvent& e : events) {
        Node& node = at(e.slot);
        node.sequence = next_sequence_++;
        const Entry entry {e.tick, node.sequence << slot_bits | node.slot};
        if (kind_ == QueueKind::naive)
            naive_.emplace(std::pair {e.tick, node.sequence}, node.slot);
        else
            insert_far(entry);
    }
}

std::vector<PendingEvent> EventQueue::pending() const {
    std::vector<PendingEvent> all;
    auto add = [&](Tick tick, std::uint32_t slot) {
        const Node& n = at(slot);
        all.push_back({tick, n.sequence, slot, n.fire, n.object, n.payload});
    };
    for (const auto& [key, slot] : naive_) add(key.first, slot);
    auto add_live = [&](const std::vector<Entry>& v) {
        for (const Entry& e : v)
            if (is_live(e)) add(e.tick, e.slot());
    };
    add_live(near_);
    for (const auto& level : far_)
        for (const auto& bucket : level) add_live(bucket);
    std::sort(all.begin(), all.end(), [](const PendingEvent& a, const PendingEvent& b) {
        return a.tick != b.tick ? a.tick < b.tick : a.sequence < b.sequence;
    });
    return all;
}

Tick EventQueue::naive_next() {
    while (!naive_.empty() && at(naive_.begin()->second).sequence != naive_.begin()->first.second)
        naive_.erase(naive_.begin());
    return naive_.empty() ? never : naive_.begin()->first.first;
}

void EventQueue::naive_run() {
    const std::uint32_t slot = naive_.begin()->second;
    naive_.erase(naive_.begin());
    run(slot);
}

} // namespace memsim
