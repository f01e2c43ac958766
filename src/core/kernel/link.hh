#pragma once

#include "core/base/clock.hh"
#include "core/kernel/simulation.hh"
#include "core/state/fifo.hh"
#include "core/state/words.hh"

#include <memory>
#include <optional>

namespace memsim {

inline constexpr std::size_t max_message = 64;

template <class M>
std::uint32_t wire_bytes_of(const M& m) {
    if constexpr (requires { m.wire_bytes(); })
        return m.wire_bytes();
    else
        return M::largest_wire_bytes;
}
/// One direction of a connection, without the type of its messages. It belongs to the receiver's
/// port. Links use credits: a message occupies a place in the receiver's queue from its sending.
/// The sender can use this place again one latency after the receiver has removed the message.
class LinkBase {
  public:
    virtual ~LinkBase();

    void attach(Simulation& sim, Component& sender, Component& receiver) {
        sim_ = &sim, sender_ = &sender, receiver_ = &receiver;
    }
    void set_wire(Time latency, Rate rate) { latency_ = latency.raw, wire_ = WireTime(rate); }
    /// The clocks at whose edges the ends act; 0: at any time.
    void set_clocks(Frequency sender, Frequency receiver);
    void set_depth(unsigned depth) { depth_ = depth; }
    unsigned depth() const { return depth_; }
    Tick latency() const { return latency_; }
    std::int64_t rate() const { return wire_.rate(); }
    const Component* sender() const { return sender_; }
    const Component* receiver() const { return receiver_; }

    /// If the result is false, the sender is woken when it can send.
    bool can_send() {
        return (wire_free_ <= sim_->now() && queued_ + returning_.size() < depth_) || reclaim();
    }
    bool sender_waits() const { return waits_for_pop_ || wake_sender_.armed(); }
    std::uint32_t in_queue() const { return queued_; } ///< waiting or in flight
    virtual std::uint32_t largest_message() const = 0;
    /// The messages that have arrived, for debug output.
    virtual std::vector<std::string> arrived_in_words() const = 0;

    virtual void save(Saver& s) = 0;
    virtual void load(Loader& l) = 0;

    // ---- for a run in partitions (core/parallel/windows.hh)
    /// The links that a partition has used in the present window: those into which it has sent,
    /// and those of which it has returned credits.
    struct Used {
        std::vector<LinkBase*> sent, popped;
    };
    /// Both ends belong to `part` from now on.
    void move_to(Simulation& part);
    /// Divides the link between two partitions. Senders use sending_side(), another object with the
    /// wire and the credits, until rejoin(). The receiver keeps this object.
    virtual void divide(Simulation& sender, Used& by_sender, Simulation& receiver,
                        Used& by_receiver) = 0;
    /// Moves messages of sending_side() to the receiver; returns credits to sending_side(). Neither
    /// end is running.
    virtual void deliver() = 0;
    /// Both ends belong to `whole` again.
    virtual void rejoin(Simulation& whole) = 0;

  protected:
    /// The whole link, of its sending side; null for a link and for its receiving side.
    LinkBase* whole_ = nullptr;
    Used* used_ = nullptr; ///< of a side: of its partition
    void divide_base(LinkBase& side, Simulation& sender, Simulation& receiver);
    void return_credits(LinkBase& side);
    void rejoin_base(LinkBase& side, Simulation& whole);

    /// Of what was loaded; `first` is when the first message arrives.
    void check_loaded(const Loader& l, Tick first) const;
    template <class Archive>
    void archive_base(Archive& a) {
        a(here_), a(wire_free_), a(remainder_), a(returning_), a(waits_for_pop_), a(arrive_);
        a(wake_sender_);
    }
    void rearm() {
        sim_->rearm(arrive_, *receiver_, here_);
        sim_->rearm(wake_sender_, *sender_);
    }
    /// Occupies the wire with a message of this size. Returns the tick when the receiver sees it:
    /// when the last byte has arrived, plus `delay` for a message that is sent ahead; a receiver
    /// with a clock sees it at the next edge.
    Tick occupy_wire(std::uint32_t bytes, Tick delay = 0) {
        Tick start = sim_->now();
        if (wire_.rate() != 0) start = wire_.occupy(start, bytes, wire_free_, remainder_);
        const Tick at = start + latency_ + delay;
        return receiver_edges_ ? receiver_edges_->at_or_after(at).tick : at;
    }
    void give_credit_back() {
        const Tick seen = sim_->now() + latency_;
        if (depth_ != ~0u) {
            // The sender can see these credits by now. Dropping them keeps the list short.
            while (!returning_.empty() && returning_.front() <= sim_->now()) returning_.drop();
            returning_.push(seen);
        }
        if (waits_for_pop_) tell_sender(seen);
    }

  private:
    // What only a limited wire needs comes first, what every message needs last: beside the queue.
    WireTime wire_;
    std::int64_t remainder_ = 0; ///< of bytes / rate, carried from message to message
    std::unique_ptr<EdgeFinder> sender_edges_, receiver_edges_;
    Component* sender_ = nullptr;
    Timer wake_sender_;
    Fifo<Tick> returning_; ///< when credits on their way back can be seen
    Tick latency_ = 1;
    Tick wire_free_ = 0;
    unsigned depth_ = 0;
    bool waits_for_pop_ = false; ///< of a receiving side: the next pop() is the window's first

  protected:
    Simulation* sim_ = nullptr;
    Component* receiver_ = nullptr;
    std::uint32_t queued_ = 0; ///< messages waiting or in flight
    bool here_ = false;        ///< whether the first of them has arrived
    Timer arrive_;             ///< if it has not: when it arrives

  private:
    bool reclaim();
    void tell_sender(Tick seen);
    void wake_sender_at(Tick at);
};

template <class M>
class Link final : public LinkBase {
  public:
    static_assert(std::is_trivially_copyable_v<M> && sizeof(M) <= max_message,
                  "a message is trivially copyable and at most 64 bytes: name larger things by a "
                  "Handle");
    static_assert(checkpointable<M>(), "a message must be checkpointable");

    bool empty() const { return !here_; }
    const M& front() const { return queue_.front().message; }
    void send(const M& m) {
        const Tick at = occupy_wire(wire_bytes_of(m));
        queue_.push({at, m});
        if (++queued_ == 1) arm_arrival(at);
    }
    /// Sends a message as if `delay` later, for a sender that has already decided to send it: the
    /// sender need not be woken then. Messages arrive in the order of their times.
    void send_ahead(const M& m, Time delay) {
        const Tick at = occupy_wire(wire_bytes_of(m), delay.raw);
        insert({at, m});
    }
    M pop() {
        give_credit_back();
        const M m = queue_.pop().message;
        here_ = --queued_ != 0 && queue_.front().arrival <= sim_->now();
        if (queued_ != 0 && !here_) arm_arrival(queue_.front().arrival);
        return m;
    }

    std::uint32_t largest_message() const override { return M::largest_wire_bytes; }
    std::vector<std::string> arrived_in_words() const override {
        std::vector<std::string> all;
        for (std::uint32_t i = 0; i < queued_ && queue_[i].arrival <= sim_->now(); ++i)
            all.push_back(in_words(queue_[i].message));
        return all;
    }
    void save(Saver& s) override { archive_base(s), s(queue_); }
    void load(Loader& l) override {
        archive_base(l), l(queue_);
        queued_ = queue_.size();
        for (std::uint32_t i = 1; i < queued_; ++i)
            l.check(queue_[i - 1].arrival <= queue_[i].arrival, "has messages out of order");
        check_loaded(l, queued_ ? queue_.front().arrival : never);
        rearm();
    }

    /// The object that senders use.
    Link* sending_side() { return used_ && !whole_ ? side_.get() : this; }
    Link* whole() { return whole_ ? static_cast<Link*>(whole_) : this; }
    void divide(Simulation& sender, Used& by_sender, Simulation& receiver,
                Used& by_receiver) override {
        if (!side_) side_ = std::make_unique<Link>();
        divide_base(*side_, sender, receiver);
        used_ = &by_receiver, side_->used_ = &by_sender;
    }
    void deliver() override {
        for (; !side_->queue_.empty(); side_->queue_.drop()) insert(side_->queue_.front());
        return_credits(*side_);
    }
    void rejoin(Simulation& whole) override {
        deliver();
        rejoin_base(*side_, whole);
    }

  private:
    struct Entry {
        Tick arrival = 0;
        M message {};
    };
    /// At most one event is pending for all messages of the link: for the first one, if it has not
    /// arrived. The receiver sees only the first message, so later ones wake nothing. The sending
    /// side of a divided link reports instead that it has messages.
    void arm_arrival(Tick at) {
        if (!whole_) [[likely]]
            sim_->arm(arrive_, at, *receiver_, here_);
        else if (queue_.size() == 1)
            used_->sent.push_back(whole_);
    }
    void insert(const Entry& e) {
        queue_.push(e);
        std::uint32_t i = queued_++;
        for (; i > 0 && e.arrival < queue_[i - 1].arrival; --i) std::swap(queue_[i], queue_[i - 1]);
        if (i == 0) arm_arrival(e.arrival); // i is 0 only if no message has arrived
    }

    Fifo<Entry> queue_;
    std::unique_ptr<Link> side_; ///< the sending side while the link is divided
};

} // namespace memsim
