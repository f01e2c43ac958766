#include "core/kernel/link.hh"

#include "core/kernel/component.hh"

namespace memsim {

LinkBase::~LinkBase() = default;

void LinkBase::set_clocks(Frequency sender, Frequency receiver) {
    if (sender.raw) sender_edges_ = std::make_unique<EdgeFinder>(sender);
    if (receiver.raw) receiver_edges_ = std::make_unique<EdgeFinder>(receiver);
}

/// Called if the wire is busy, or if messages and returning credits fill the capacity. Collects the
/// credits that have arrived. Without any, the sender will be woken when it can send.
bool LinkBase::reclaim() {
    if (wire_free_ > sim_->now()) return wake_sender_at(wire_free_), false;
    if (waits_for_pop_) return false;
    while (!returning_.empty() && returning_.front() <= sim_->now()) returning_.drop();
    if (in_queue() + returning_.size() < depth_) return true;
    if (returning_.empty())
        waits_for_pop_ = true;
    else
        wake_sender_at(returning_.front());
    return false;
}

void LinkBase::check_loaded(const Loader& l, Tick first) const {
    l.check(in_queue() + std::uint64_t {returning_.size()} <= depth_,
            "holds more than its capacity");
    l.check(remainder_ >= 0 && (remainder_ == 0 || remainder_ < wire_.rate()),
            "has a remainder that its rate does not leave");
    const bool arrived = queued_ != 0 && first <= l.now();
    l.check(here_ ? arrived : arrive_.when() == first, "has a first message that never arrives");
    l.check(!here_ || !arrive_.armed(), "awaits a message that is here");
}

void LinkBase::tell_sender(Tick seen) {
    waits_for_pop_ = false;
    if (used_ && !whole_) [[unlikely]] // a receiving side
        used_->popped.push_back(this);
    else
        wake_sender_at(seen);
}

void LinkBase::wake_sender_at(Tick at) {
    if (sender_edges_) at = sender_edges_->at_or_after(at).tick;
    if (at < wake_sender_.when()) sim_->arm(wake_sender_, at, *sender_);
}

// ---- division -----------------------------------------------------------------------------------
//
// A link holds at most depth_ messages and returning credits. While it is divided, the sending side
// knows the credits of pops in earlier windows only. This changes nothing: a window is not longer
// than the link's latency, so the credit of a pop in the present window is not visible in it.
//
// The sending side's queued_ counts the messages of the present window; its depth_ is reduced by
// the messages before it that were not popped as far as the sender can know.

void LinkBase::move_to(Simulation& part) {
    sim_ = &part;
    Simulation::forget(arrive_), Simulation::forget(wake_sender_);
    rearm();
}

void LinkBase::divide_base(LinkBase& side, Simulation& sender, Simulation& receiver) {
    side.whole_ = this;
    side.sim_ = &sender;
    side.sender_ = sender_, side.receiver_ = receiver_;
    side.wire_ = wire_, side.remainder_ = remainder_, side.wire_free_ = wire_free_;
    side.latency_ = latency_;
    side.depth_ = depth_ == ~0u ? ~0u : depth_ - queued_;
    side.queued_ = 0;
    side.sender_edges_.swap(sender_edges_), side.receiver_edges_.swap(receiver_edges_);
    side.returning_.swap(returning_);
    side.waits_for_pop_ = waits_for_pop_;
    waits_for_pop_ = depth_ != ~0u;
    sender.arm(side.wake_sender_, Simulation::take_time(wake_sender_), *sender_);
    sim_ = &receiver;
    Simulation::forget(arrive_);
    receiver.rearm(arrive_, *receiver_, here_);
}

void LinkBase::return_credits(LinkBase& side) {
    if (depth_ == ~0u) {
        side.queued_ = 0;
        return;
    }
    side.depth_ -= std::exchange(side.queued_, 0);
    if (returning_.empty()) return;
    if (side.waits_for_pop_) side.tell_sender(returning_.front());
    for (; !returning_.empty(); returning_.drop()) {
        side.returning_.push(returning_.front());
        ++side.depth_;
    }
    waits_for_pop_ = true;
}

void LinkBase::rejoin_base(LinkBase& side, Simulation& whole) {
    MEMSIM_ASSERT(depth_ == ~0u || side.depth_ + queued_ == depth_, "a divided link lost a credit");
    used_ = nullptr;
    sim_ = &whole;
    wire_ = side.wire_, remainder_ = side.remainder_, wire_free_ = side.wire_free_;
    side.sender_edges_.swap(sender_edges_), side.receiver_edges_.swap(receiver_edges_);
    side.returning_.swap(returning_);
    waits_for_pop_ = side.waits_for_pop_;
    if (!returning_.empty()) { // drops what give_credit_back() has dropped in a serial run
        const Tick given = returning_.back() - latency_;
        while (returning_.front() <= given) returning_.drop();
    }
    whole.arm(wake_sender_, Simulation::take_time(side.wake_sender_), *sender_);
    Simulation::forget(arrive_);
    whole.rearm(arrive_, *receiver_, here_);
}

} // namespace memsim
