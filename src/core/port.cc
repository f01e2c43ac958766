#include "core/port.hh"

#include "core/component.hh"

namespace memsim {

void LinkBase::fire_arrive(void* object, const void* payload) {
    auto& link = *static_cast<LinkBase*>(object);
    Simulation::fired_timer(payload);
    link.here_ = true;
    link.sim_->touch(*link.receiver_);
}

void LinkBase::fire_wake_sender(void* object, const void* payload) {
    auto& link = *static_cast<LinkBase*>(object);
    Simulation::fired_timer(payload);
    link.sim_->touch(*link.sender_);
}

/// The queue and the credits under way fill the capacity: collect those that have come back; if
/// none has, see to it that the sender is woken when one does.
bool LinkBase::reclaim() {
    while (!returning_.empty() && returning_.front() <= sim_->now()) returning_.drop();
    if (in_queue() + returning_.size() < depth_) return true;
    if (returning_.empty())
        waits_for_pop_ = true;
    else
        wake_sender_at(returning_.front());
    return false;
}

} // namespace memsim
