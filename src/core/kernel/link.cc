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
    wake_sender_at(seen);
}

void LinkBase::wake_sender_at(Tick at) {
    if (sender_edges_) at = sender_edges_->at_or_after(at).tick;
    if (at < wake_sender_.when()) sim_->arm(wake_sender_, at, *sender_);
}

} // namespace memsim
