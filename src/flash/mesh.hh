#pragma once

#include "core/component.hh"
#include "parts/interleave.hh"
#include "protocol/flash_network.hh"

namespace memsim::flash {

using namespace memsim::literals;
using protocol::FlashPacket;

/// The flash network: a mesh of routers with virtual channels, X first, then Y, so that no cycle of
/// waiting packets can form. Endpoints hang at routers, several at one if `places` says so.
///
/// A link carries one flit of `width` bytes a cycle, one packet at a time; so does each input of a
/// router. A packet's head spends `stages` cycles in a router (route computation, allocation of the
/// channel and of the switch, traversal) and `link_cycles` on each link, the first one and the last
/// one included; its tail follows flits - 1 cycles behind. Flow control is virtual cut-through: a
/// packet leaves a router when the channel's buffer ahead has room for the whole of it, and room
/// comes back a link latency after the tail has left. Without contention a packet of F flits over R
/// routers is seen (stages + link_cycles) x R + link_cycles + F cycles after it was.
///
/// A packet keeps the virtual channel that its source and destination give it, so packets from one
/// endpoint to another stay in order. Endpoints must take what comes without sending first.
/// Not modelled: flits of several packets in turn on one link, faults, energy.
class Mesh final : public Model<Mesh>, public Functional {
  public:
    struct Params {
        Param<unsigned> columns {5,
                                 {1, 64},
                                 "Routers of a row (assumption: 5 x 5 for ZnG's 16 "
                                 "packages and 6 controllers)"};
        Param<unsigned> rows {5, {1, 64}, "Rows"};
        Param<unsigned> endpoints {25, {1, 1024}, "Controllers and I/O ports of packages"};
        Param<std::string> places {
            "", "The router of each endpoint, as '0 0 7': number = row x columns + column; empty: "
                "one after another, round and round"};
        Param<Frequency> clock {
            800_MHz, {1_MHz, 100_GHz}, "Of links and routers (ZnG table I: 800 MT/s)"};
        Param<Bytes> width {8_B, {1_B, 256_B}, "Of a link: a flit (ZnG table I: 8 B)"};
        Param<Bytes> page {4_KiB, {1_B, 1_MiB}, "What a width must divide: a page of the flash"};
        Param<unsigned> channels {
            4, {1, 16}, "Virtual channels of a link (as in the authors' public configuration)"};
        Param<unsigned> buffer {36,
                                {1, 65536},
                                "Flits that a channel holds at a router's input (assumption: two "
                                "packets of 144 B, so that one comes while one goes)"};
        Param<unsigned> stages {4, {1, 16}, "Cycles in a router: RC, VA, SA, ST"};
        Param<unsigned> link_cycles {1, {1, 64}, "Cycles on a link: LT"};
        Param<unsigned> queue {8, {1, 65536}, "Packets waiting or in flight to an endpoint's link"};
    };
    static Rate wire(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return {p.width->raw * p.clock->raw};
    }
    static Time link_time(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return {Clock(p.clock()).cycles(p.link_cycles())};
    }
    struct Ports {
        Many<In<FlashPacket>> input {from<&Params::endpoints>,
                                     {.depth = from<&Params::queue>, .clock = from<&Params::clock>},
                                     "What endpoints send"};
        Many<Out<FlashPacket>> output {
            from<&Params::endpoints>,
            {.latency = &link_time, .rate = &wire, .clock = from<&Params::clock>},
            "What they get"};
    };
    struct Stats {
        Counter packets {Unit::count, "Packets delivered"};
        Counter bytes {Unit::byte, "Bytes in them, headers included"};
        Counter hops {Unit::count, "Links between routers that they crossed"};
        Counter link_busy {Unit::cycle, "Cycles that links between routers carried flits"};
        Counter waits {Unit::count, "Packets that found no room in the buffer ahead"};
        Counter blocked {Unit::count, "Packets that their endpoint did not take at once"};
        Distribution latency {Unit::time, "From being seen to the last flit's leaving for its end"};
        PerSecond bandwidth {bytes, "Bytes delivered a second"};
    };
    struct Held {
        FlashPacket packet;
        std::int64_t ready = 0; ///< the first cycle in which it may leave
        Tick entered = 0;
        bool waited = false; ///< it was counted as such
    };
    struct Return {
        std::int64_t at = 0; ///< cycle
        std::uint32_t flits = 0;
    };
    /// A virtual channel at one input of a router.
    struct Channel {
        Fifo<Held> packets;
        Fifo<Return> returning; ///< room on its way back to whoever sends here
        std::uint32_t room = 0; ///< flits, as the sender knows it
        bool wanted = false;    ///< the sender waits for more than is on its way back
    };
    struct State {
        std::vector<Channel> channels;       ///< by router, input and channel
        std::vector<std::uint64_t> requests; ///< by output: inputs x channels whose first wants it
        std::vector<std::uint64_t> active;   ///< outputs with requests, a bit each
        std::vector<std::uint8_t> last;      ///< by output: the channel served last
        std::vector<std::int64_t> in_free, out_free; ///< by input and output: the first cycle
        std::vector<std::int64_t> inject_free;       ///< by endpoint
        std::uint64_t inside = 0;                    ///< packets
        Timer next;
    };

    explicit Mesh(const Params& p) : params(p), edges_(p.clock()) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.inside != 0; }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    /// Links between routers on the way from an endpoint to another.
    unsigned distance(unsigned from, unsigned to) const;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    static constexpr std::int64_t no_cycle = std::numeric_limits<std::int64_t>::max();
    /// Ports of a router; those of its endpoints follow.
    enum Side : std::uint32_t { east, west, south, north, local };

    void read_places();
    std::int64_t inject(std::int64_t cycle);
    std::int64_t serve(std::uint32_t output, std::int64_t cycle);
    /// Sends the first packet of a channel through the output; returns when its room is back, if
    /// somebody waits for it.
    std::int64_t forward(std::uint32_t output, std::uint32_t from, std::int64_t cycle);
    /// Whether a channel has room; if not, `next` is no later than when it has, as far as is known.
    bool room(Channel& c, std::uint32_t flits, std::int64_t cycle, std::int64_t& next);
    void enter(std::uint32_t channel, Held held);
    void request(std::uint32_t channel);
    std::uint32_t route(std::uint32_t router, const FlashPacket& p) const;
    std::uint32_t ahead(std::uint32_t output) const;
    std::uint32_t virtual_channel(const FlashPacket& p) const {
        return (std::uint32_t {p.source} + p.destination) % params.channels();
    }
    std::uint32_t flits(const FlashPacket& p) const {
        return static_cast<std::uint32_t>(width_.quotient(p.wire_bytes() + width_.value() - 1));
    }

    EdgeFinder edges_;
    parts::Divider width_;
    std::uint32_t ports_ = 0;           ///< of a router
    std::vector<std::uint32_t> router_; ///< of an endpoint
    std::vector<std::uint32_t> side_;   ///< its port there
};

} // namespace memsim::flash
