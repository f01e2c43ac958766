#pragma once

#include "cxl/link/link_params.hh"

namespace memsim::cxl {

/// The latency stages of a request on a link, by layer. Both ends and both directions use the same
/// stages.
struct LinkStage {
    static inline const memsim::Stage conversion {"cxl_conversion"},
        transaction {"cxl_transaction"}, link {"cxl_link"}, physical {"cxl_physical"},
        wires {"cxl_wires"};
};

struct LinkEndState {
    LinkMessages messages;
    LinkState layer;      ///< for 68-byte flits
    Mode256State mode256; ///< for 256-byte flits
    SkipClock skip;
    Tick wires_free = 0;
    Rng errors;
    Timer alarm;
};

/// Gives the other end of a link access to the configuration, for comparison.
class HasLink {
  public:
    static constexpr bool constant = true;
    virtual ~HasLink() = default;
    virtual const LinkParams& link_params() const = 0;
    virtual bool is_device() const = 0;
};

/// One end of a link: a flit mode on wires, between a component's messages and its flit ports. A
/// flit is packed when the wires are free. It then occupies the wires for its time; the latencies
/// of the layers are those of the ports. A separate acknowledgement or credit flit therefore has
/// the latency of the upper layers, too.
class LinkEnd {
  public:
    using Flits = CxlFlit;
    /// All arguments outlive it.
    LinkEnd(Component& owner, const LinkParams& params, LinkStats& stats, LinkEndState& state,
            In<Flits>& in, Out<Flits>& out, bool device);
    /// Sizes State. Throws ConfigError if parameters differ from those of the other end.
    void init();

    /// Receives the flits that have arrived.
    void receive();
    bool arrived() const { return mode_->arrived(); }
    /// The next received message, with its stamps marked.
    Message pop();
    void push(const Message& m) {
        if (m.has_data()) stats_.data_bytes += m.bytes();
        mode_->push(m);
    }
    /// When a request made from a message at `now` arrives at the memory's port.
    Tick delivered(Tick now) const { return now + latencies_.upper().raw; }
    std::uint32_t waiting() const { return mode_->waiting(); }
    bool blocked() const { return mode_->blocked(); }
    void give_place(CreditClass c) { mode_->give_place(c, owner_.now()); }
    /// Sends as much as possible. Must be the last call of a wake().
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
    const bool device_; ///< this end is the device's
    LayerLatencies latencies_;
    std::unique_ptr<FlitMode> mode_;
    BitErrors errors_;
    Time flit_time_;
    Tick skp_takes_, skp_interval_;
    std::array<Aside, Asides256::most> asides_; ///< of the flit being received
};

} // namespace memsim::cxl
