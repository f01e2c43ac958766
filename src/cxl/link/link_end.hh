#pragma once

#include "cxl/link/link_params.hh"

namespace memsim::cxl {

/// The stages of a request's way over a link, layer by layer; both ends and both directions count
/// in the same ones.
struct LinkStage {
    static inline const memsim::Stage conversion {"cxl_conversion"},
        transaction {"cxl_transaction"}, link {"cxl_link"}, physical {"cxl_physical"},
        wires {"cxl_wires"};
};

struct LinkEndState {
    LinkMessages messages;
    LinkState layer;      ///< of 68-byte flits, or
    Mode256State mode256; ///< of 256-byte flits
    SkipClock skip;
    Tick wires_free = 0;
    Rng errors;
    Timer alarm;
};

/// The other end of a link is asked what it was built with.
class HasLink {
  public:
    virtual ~HasLink() = default;
    virtual const LinkParams& link_params() const = 0;
    virtual bool is_device() const = 0;
};

/// One end of a link: a flit mode over the wires, between a component's messages and its ports of
/// flits. A flit is packed when the wires are free; it then takes its time on them, and
/// the layers' latencies follow as the ports' own. So an acknowledgement or credit that goes alone
/// passes the upper layers' latency, too.
class LinkEnd {
  public:
    using Flits = protocol::CxlFlit;
    /// All outlive it.
    LinkEnd(Component& owner, const LinkParams& params, LinkStats& stats, LinkEndState& state,
            In<Flits>& in, Out<Flits>& out, bool device);
    /// Sizes State. Throws ConfigError: parameters that the other end does not share.
    void init();

    /// Takes the flits that have come.
    void receive();
    bool arrived() const { return mode_->arrived(); }
    /// The next message that has come, its stamps marked.
    Message pop();
    void push(const Message& m) {
        if (m.has_data()) stats_.data_bytes += m.bytes();
        mode_->push(m);
    }
    /// When a request made of a message at `now` is at the memory's port.
    Tick delivered(Tick now) const { return now + latencies_.upper().raw; }
    std::uint32_t waiting() const { return mode_->waiting(); }
    bool blocked() const { return mode_->blocked(); }
    void give_place(CreditClass c) { mode_->give_place(c, owner_.now()); }
    /// Sends what can be sent. The last call of a wake().
    void send();

    bool idle() const { return mode_->idle(); }
    void waits_on(WaitReport& report) const;
    std::optional<std::string> imbalance() const;
    void check_loaded(Loader& l) const { mode_->check_loaded(l); }

  private:
    void check_peer() const;
    void check_round_trip() const;
    void put_on_wires(const FlitMode::Piece& piece);
    void mark_packed(std::span<const Aside> fresh);

    Component& owner_;
    const LinkParams& params_;
    LinkStats& stats_;
    LinkEndState& state_;
    In<Flits>& in_;
    Out<Flits>& out_;
    LayerLatencies latencies_;
    std::unique_ptr<FlitMode> mode_;
    BitErrors errors_;
    Time flit_time_;
    Tick skp_takes_, skp_interval_;
    std::array<Aside, Asides256::most> asides_; ///< of the flit that is being received
};

} // namespace memsim::cxl
