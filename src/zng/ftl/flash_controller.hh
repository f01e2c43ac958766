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

/// A flash controller on the GPU's interconnect: the request dispatcher that turns requests of L2
/// slices into packets of the flash network, and what a garbage collector asks into moves and
/// erases. Those have places of their own, since what waits for a register may wait for them.
///
/// A physical address names mapped block, page and line (zng/layout/address.hh), and so the plane;
/// the log block comes from the LBMT of whoever is bound to `collector`, or, if nobody is, is the
/// one of the start. At most `window` requests are out at a package. Requests to one line follow
/// one another: the next leaves when the one before was answered. A write is answered when a
/// register has it. An atomic is a read and a write. `line % ports` is the package's port that a
/// request takes. The thrashing checker counts writes that did not find their page in a register
/// and has caches at `pins` reserve ways for written lines while registers thrash. With swnet it
/// holds pages of up to `copy_buffer` packets on their way from register to register.
///
/// Precondition: a request lies within one line of 128 bytes. Not modelled: ECC, the timing of
/// ONFI's cycles inside the network's packets.
class FlashController final : public Model<FlashController>,
                              public Functional,
                              public HasNetworkGeometry {
  public:
    struct Params {
        FlashGeometry geometry;
        Param<unsigned> mem_ports {1, {1, 64}, "L2 slices or crossbar outputs"};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight from each sender"};
        Param<Time> latency {5_ns, {1_fs, 1_ms}, "Latency of an answer to the L2", assumed()};
        Param<unsigned> requests {
            1024, {1, 65535}, "Requests held: 38 GB/s x 3 us", assumed("L2 MSHRs are fewer")};
        Param<unsigned> window {128, {1, 65535}, "Requests without an answer at one package"};
        Param<unsigned> collect_queue {
            32, {1, 4096}, "Moves and erases of one collector without an answer"};
        Param<Time> decode {
            5_ns, {1_fs, 1_us}, "Time from a request to its packet at the network", assumed()};
        Param<unsigned> net_queue {64, {1, 65536}, "Packets waiting or in flight from the network"};
        Param<unsigned> endpoint {0, {0, 65535}, "Endpoint of the network that this controller is"};
        Param<unsigned> first_package {6, {0, 65535}, "Endpoint of package 0's first port"};
        Param<unsigned> ports {2, {1, 8}, "I/O ports, and endpoints, of a package"};
        Param<unsigned> copy_buffer {64, {1, 65536}, "Packets of copies: two pages", assumed()};
        Param<unsigned> collectors {0, {0, 1}, "Garbage collectors"};
        Param<unsigned> pins {0, {0, 64}, "L2 slices whose ways the thrashing checker may reserve"};
        Param<unsigned> pin_ways {
            1, {1, 64}, "Ways of a set that the controller reserves", assumed("1 of 8; range 1-4")};
        Param<bool> combine {
            true, "Writes that wait for one to their line go with it in one packet", assumed()};
        Param<unsigned> thrash_window {
            1024, {1, 1u << 20}, "Writes that are looked at together", assumed()};
        Param<Fraction> thrash_high {
            50_pct, {0_pct, 100_pct}, "Misses above which registers thrash", assumed()};
        Param<Fraction> thrash_low {
            25_pct, {0_pct, 100_pct}, "Misses at which registers no longer thrash", assumed()};
    };
    struct Ports {
        Many<Responder<protocol::Mem>> mem {
            from<&Params::mem_ports>,
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>},
            "Requests of L2 slices"};
        Out<FlashPacket> output {{.latency = from<&Params::decode>},
                                 "Packets to the flash network"};
        In<FlashPacket> input {{.depth = from<&Params::net_queue>},
                               "Packets from the flash network"};
        Many<Responder<Collect>> collector {from<&Params::collectors>,
                                            {.depth = from<&Params::collect_queue>,
                                             .latency = from<&Params::latency>,
                                             .needs = needs<HasLogBlocks>},
                                            "Moves, erases and extensions"};
        Many<Out<LogLow>> log_low {
            from<&Params::collectors>, {.latency = from<&Params::latency>}, "Log blocks to merge"};
        Many<Requester<protocol::Mem>> pin {
            from<&Params::pins>,
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>},
            "Caches' control ports: reserve"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads of L2 slices"};
        Counter writes {Unit::count, "Writes"};
        Counter atomics {Unit::count, "Atomics"};
        Counter read_bytes {Unit::byte, "Bytes that reads and atomics ask for"};
        Counter write_bytes {Unit::byte, "Bytes of writes and atomics"};
        Counter unasked_bytes {Unit::byte, "Bytes of pages that came and nobody had asked for"};
        Counter register_misses {Unit::count, "Writes whose page was in no register"};
        Counter followed {Unit::count, "Requests that waited for another to their line"};
        Counter combined {Unit::count, "Requests that went with another in one packet"};
        Counter full {Unit::count, "Times that requests found the network's input full"};
        Counter copies {Unit::count, "Packets of pages that went through the buffer"};
        Counter moves {Unit::count, "Pages that the collector moved"};
        Counter erases {Unit::count, "Blocks that this controller erased"};
        Counter extensions {Unit::count, "Blocks in which full log blocks went on"};
        Counter log_lows {Unit::count, "Log blocks that the controller was told are nearly full"};
        Counter thrashes {Unit::count, "Times that registers began to thrash"};
        Level held {Unit::count, "Requests held"};
        Distribution read_latency {Unit::time, "Time from a read's acceptance to its answer"};
        Distribution write_latency {Unit::time, "Time from a write's acceptance to its answer"};
        PerSecond read_bandwidth {read_bytes, "Bytes read a second"};
    };
    struct Slot {
        protocol::MemRequest request;
        CollectRequest collect;
        Tick accepted = 0;
        std::uint32_t next = 0; ///< the request that follows it on its line
        std::uint32_t last = 0; ///< of those that its packet carries: itself, or some that follow
        std::uint32_t package = 0;
        std::uint16_t from_port = 0;
        bool collects = false;
        bool was_read = false; ///< of an atomic: its write is next
    };
    struct State {
        std::vector<Slot> slots;
        FreeList free;
        HashMap<std::uint32_t> line;              ///< the last request for each line that has one
        std::vector<Fifo<std::uint32_t>> waiting; ///< slots, by package
        Fifo<std::uint32_t> collecting;           ///< slots of its requests that have not left
        std::vector<std::uint32_t> out;           ///< by package: requests without an answer
        std::uint32_t queued = 0;                 ///< in `waiting`
        std::uint32_t last_package = 0;
        std::uint32_t requests = 0; ///< held,
        std::uint32_t held = 0;     ///< and with moves and erases
        std::uint32_t last_port = 0;
        Fifo<FlashPacket> copies;
        Fifo<LogLow> low_logs; ///< each log block once for each plane
        ThrashingChecker checker;
        std::vector<std::uint8_t> pinned; ///< by port: what it was told
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
    void queue(std::uint32_t slot);
    void send();
    FlashPacket packet(std::uint32_t slot);
    void name_line(FlashPacket& p, std::uint64_t address) const;
    void fill(FlashPacket& p, std::uint32_t slot);
    std::uint32_t reserved_slots() const { return params.collectors() * params.collect_queue(); }
    bool take(const FlashPacket& p);
    void finish(std::uint32_t slot, const FlashPacket& p);
    void release(std::uint32_t slot);
    void tell_caches();

    Flash flash_;
    PacketAddresses addresses_;
    LogBlocks first_logs_;
    HasLogBlocks* tables_ = nullptr;
    std::uint32_t high_ = 0, low_ = 0;
};

} // namespace memsim::zng
