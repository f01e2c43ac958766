#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "protocol/mem.hh"
#include "zng/layout/geometry.hh"
#include "zng/network/flash_network.hh"
#include "zng/network/packet_addresses.hh"
#include "zng/read_path/thrashing_checker.hh"

namespace memsim::zng {

using namespace memsim::literals;

/// The request dispatcher of ZnG between L2 slices and the flash network.
///
/// Models        packets for reads, writes and atomics (a read, then a write); moves and erases for
///               a garbage collector. These have slots of their own, because requests that wait for
///               a register may wait for a move. The address gives mapped block, page and line
///               (zng/layout/address.hh). The log block comes from the LBMT of the component bound
///               to `collector`, or, if unbound, is the initial one. Line % `ports` selects the
///               package's I/O port. The thrashing checker counts writes whose page is in no
///               register; while registers thrash, caches bound to `pins` reserve ways for written
///               lines. With swnet, up to `copy_buffer` packets of pages on their way between
///               registers are buffered.
/// Ordering      Requests to one line execute in order: each leaves when its predecessor has been
///               answered. At most `window` requests are outstanding at one package.
/// Requires      A request lies within one line of 128 bytes.
/// Guarantees    A write is answered when a register holds its data.
/// Not modelled  ECC; the timing of ONFI cycles inside network packets.
class FlashController final : public Model<FlashController>,
                              public Functional,
                              public HasNetworkGeometry {
  public:
    struct Params {
        FlashGeometry geometry;
        Param<unsigned> mem_ports {1, {1, 64}, "L2 slices or crossbar outputs", from_wiring()};
        Param<unsigned> queue {
            16, {1, 65536}, "Requests queued or in flight from each sender", queue_places()};
        Param<Time> latency {5_ns, {1_fs, 1_ms}, "Latency of an answer to the L2", assumed()};
        Param<unsigned> requests {
            1024, {1, 65535}, "Requests held (38 GB/s x 3 us)", assumed("L2 MSHRs are fewer")};
        Param<unsigned> window {
            128, {1, 65535}, "Outstanding requests at one package", queue_places()};
        Param<unsigned> collect_queue {
            32, {1, 4096}, "Outstanding moves and erases of one collector", queue_places()};
        Param<Time> decode {
            5_ns, {1_fs, 1_us}, "Time from a request to its packet on the network", assumed()};
        Param<unsigned> net_queue {
            64, {1, 65536}, "Packets queued or in flight from the network", queue_places()};
        Param<unsigned> endpoint {
            0, {0, 65535}, "Network endpoint of this controller", from_wiring()};
        Param<unsigned> first_package {
            6, {0, 65535}, "Endpoint of package 0's first port", from_wiring()};
        Param<unsigned> ports {2,
                               {1, 8},
                               "I/O ports, and network endpoints, per package",
                               stated("ZnG table I: 2 I/O ports")};
        Param<unsigned> copy_buffer {
            64, {1, 65536}, "Buffer for copies of pages, in packets (two pages)", assumed()};
        Param<unsigned> pins {
            0, {0, 64}, "L2 slices whose ways the thrashing checker may reserve", from_wiring()};
        Param<unsigned> pin_ways {
            1, {1, 64}, "Ways per set that the controller reserves", assumed("1 of 8; range 1-4")};
        Param<bool> combine {
            true, "Combine writes that wait for a write to the same line into one packet",
            assumed()};
        Param<unsigned> thrash_window {
            1024, {1, 1u << 20}, "Writes per window of the thrashing checker", assumed()};
        Param<Fraction> thrash_high {
            50_pct, {0_pct, 100_pct}, "Miss rate above which registers thrash", assumed()};
        Param<Fraction> thrash_low {25_pct,
                                    {0_pct, 100_pct},
                                    "Miss rate at or below which registers no longer thrash",
                                    assumed()};
    };
    struct Ports {
        Many<Responder<protocol::Mem>> mem {
            from<&Params::mem_ports>,
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>},
            "Requests from L2 slices"};
        Out<FlashPacket> output {{.latency = from<&Params::decode>},
                                 "Packets to the flash network"};
        In<FlashPacket> input {{.depth = from<&Params::net_queue>},
                               "Packets from the flash network"};
        Optional<Responder<Collect>> collector {{.depth = from<&Params::collect_queue>,
                                                 .latency = from<&Params::latency>,
                                                 .needs = needs<HasLogBlocks>},
                                                "Moves, erases and extensions from the collector"};
        Optional<Out<LogLow>> log_low {{.latency = from<&Params::latency>},
                                       "Log blocks to merge, to the same collector"};
        Many<Requester<protocol::Mem>> pin {
            from<&Params::pins>,
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>},
            "Control ports of caches that reserve ways"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads from L2 slices"};
        Counter writes {Unit::count, "Writes"};
        Counter atomics {Unit::count, "Atomics"};
        Counter read_bytes {Unit::byte, "Bytes requested by reads and atomics"};
        Counter write_bytes {Unit::byte, "Bytes of writes and atomics"};
        Counter unasked_bytes {Unit::byte, "Bytes of pages received without a request"};
        Counter register_misses {Unit::count, "Writes whose page no register held"};
        Counter followed {Unit::count, "Requests that waited for another request to the same line"};
        Counter combined {Unit::count, "Requests combined with another one into one packet"};
        Counter full {Unit::count, "Times that the network's input was full"};
        Counter copies {Unit::count, "Packets of page copies that passed through the buffer"};
        Counter moves {Unit::count, "Pages moved for the collector"};
        Counter erases {Unit::count, "Blocks erased through this controller"};
        Counter extensions {Unit::count, "Blocks added to full log blocks"};
        Counter log_lows {Unit::count, "Reports of nearly full log blocks received"};
        Counter thrashes {Unit::count, "Times that thrashing of registers began"};
        Level held {Unit::count, "Requests held"};
        Distribution read_latency {Unit::time, "Time from a read's acceptance to its answer"};
        Distribution write_latency {Unit::time, "Time from a write's acceptance to its answer"};
        PerSecond read_bandwidth {read_bytes, "Bytes read per second"};
    };
    struct Slot {
        protocol::MemRequest request;
        CollectRequest collect;
        Tick accepted = 0;
        std::uint32_t next = 0; ///< the next request to the same line
        std::uint32_t last =
            0; ///< the last request that its packet carries: itself, or one of its successors
        std::uint32_t package = 0;
        std::uint16_t from_port = 0;
        bool collects = false;
        bool was_read = false; ///< of an atomic whose write is next
    };
    struct State {
        std::vector<Slot> slots;
        FreeList free;
        HashMap<std::uint32_t> line;              ///< the last request to each line with requests
        std::vector<Fifo<std::uint32_t>> waiting; ///< slots, by package
        Fifo<std::uint32_t> collecting; ///< slots of collector requests that have not left
        std::vector<std::uint32_t> out; ///< outstanding requests, by package
        std::uint32_t queued = 0;       ///< in `waiting`
        std::uint32_t last_package = 0;
        std::uint32_t requests = 0; ///< held
        std::uint32_t held = 0;     ///< held, moves and erases included
        std::uint32_t last_port = 0;
        Fifo<FlashPacket> copies;
        Fifo<LogLow> low_logs; ///< one entry per log block and plane
        ThrashingChecker checker;
        std::vector<std::uint8_t> pinned; ///< by port: the state last sent to the cache
        bool blocked = false;             ///< counted as full
    };

    explicit FlashController(const Params& p) : params(p) {}
    const FlashGeometry& network_geometry() const override { return params.geometry; }
    void init() override;
    void wake() override;
    bool pending() const override { return state.held > 0; }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Flash& flash() const { return flash_; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void check_packages() const;
    static constexpr std::uint32_t none = ~0u;

    void take_requests();
    void accept(const protocol::MemRequest& r, unsigned from_port);
    void accept(const CollectRequest& r);
    std::uint32_t take_slot();
    void queue_request(std::uint32_t slot);
    void send();
    FlashPacket packet(std::uint32_t slot);
    void name_line(FlashPacket& p, std::uint64_t address) const;
    void fill_packet(FlashPacket& p, std::uint32_t slot);
    std::uint32_t reserved_slots() const { return port.collector ? params.collect_queue() : 0; }
    bool receive(const FlashPacket& p);
    void complete(std::uint32_t slot, const FlashPacket& p);
    void release(std::uint32_t slot);
    void send_reservations();

    Flash flash_;
    PacketAddresses addresses_;
    LogBlocks first_logs_;
    HasLogBlocks* tables_ = nullptr;
    std::uint32_t high_ = 0, low_ = 0;
};

} // namespace memsim::zng
