#pragma once

#include "core/functional.hh"
#include "ohm/deferred_writes.hh"
#include "ohm/memory_channel.hh"
#include "ohm/memory_route.hh"
#include "ohm/placement.hh"
#include "parts/named.hh"
#include "parts/places.hh"
#include "parts/sector_store.hh"

#include <bit>

namespace memsim::ohm {

/// What the channel carries at once.
enum class Routes : std::uint8_t {
    electrical,   ///< one transfer, over wires
    optical,      ///< one transfer, by light
    wom,          ///< by light two, in a code that makes each take 3/2 of its time (Ohm-WOM)
    half_coupled, ///< by light two, the second in half its power (Ohm-BW)
};
constexpr std::array<std::string_view, 4> names_of(Routes) {
    return {"electrical", "optical", "wom", "half_coupled"};
}

/// The memory controller of one channel (electrical) or virtual channel (optical) in planar mode,
/// with the DRAM behind it and, at its DDR-T ports, XPoint modules that share the channel
/// (Ohm-GPU II-C, III-B and Fig. 7a; the platforms Hetero and Ohm-base).
///
/// Every request is looked up in the mapping table of its group (ohm/placement.hh). An XPoint page
/// whose competing counter reaches `hot_threshold` is swapped with the DRAM page of its group by
/// this controller, in pieces of 256 bytes, over the same channel: read from DRAM, read from
/// XPoint, write to XPoint, write to DRAM. A swap begins when the requests under way to its two
/// pages are done. It is never given up; one that finds all swap buffers in use is postponed: the
/// counter stays up and the next access to the page tries again.
///
/// A request to a page that is being swapped is served from the swap buffer if it is a read, its
/// piece is there and no write to the page waits before it; else it waits, in a queue of
/// `postponed` places, until it can be or the swap is over. When the queue is full nothing further
/// is accepted. (Serving reads costs nothing: the data is in the controller. Writes into the buffer
/// would have to chase pieces already on their way back.)
///
/// The functions that take migration off the channel (Ohm-GPU IV-B):
/// - auto_rw: XPoint snarfs what a swap reads from DRAM, so it is not sent there. 3 of 4 transfers
///   are left.
/// - swap_function: the pages are exchanged by the XPoint controller, over the memory route. When
///   the two pages are still, the bank of the DRAM page is given away: its other requests wait
///   (`conflicts`), its row is opened. SWAP-CMD goes to XPoint over the channel; XPoint's DDR
///   sequence generator moves the data (xpoint/module_swap.cc, ohm/memory_route.hh) and says ready;
///   then this controller confirms, and all that waited goes on. Requests to the two pages wait as
///   long: the data is not here. With WOM code the channel runs at 2/3 of its rate while
///   data crosses the memory route.
/// - behind_writes: such a swap is begun when writes are served, or no read waits; until then its
///   pages are served where they are.
///
/// The channel: one transfer at a time, booked at most `lead` ahead. Of transfers that could be
/// booked at one time: demand of XPoint (it has waited for the media), then DRAM by its scheduler
/// (demand before migration), then migration of XPoint, which takes a place only where the channel
/// would idle. A swap older than `swap_patience` goes before demand at every queue, so that it ends
/// and its pages are free again.
///
/// Order: requests to one 128-byte block take effect in order of arrival. Commands cross lanes of
/// their own and take no time of the channel; their way is part of the latency.
///
/// Contents: in the DRAM a write takes effect when the scheduler gets it, a read when its data
/// leaves. What the host copies into a page that is being swapped is put there when the swap is
/// over.
/// Not modelled: ECC, energy, transfers of the mapping table itself.
class PlanarController final : public Model<PlanarController>, public Functional {
  public:
    static constexpr std::uint32_t piece_bytes =
        256; ///< an XPoint line: unit of a swap's transfers
    static constexpr std::uint32_t block_bytes = 128; ///< of which a request is a part
    static constexpr std::uint32_t piece_sectors = piece_bytes / protocol::sector_bytes;
    static constexpr std::uint32_t most_pieces = 16;

    struct Params {
        ChannelParams channel;
        Param<Bytes> dram {2_GiB,
                           {4_KiB, Bytes {std::int64_t {1} << 50}},
                           "DRAM of this controller (Ohm-GPU table III, planar: 2 x 1 GiB)"};
        Param<unsigned> ratio {8, {1, 15}, "XPoint pages to a DRAM page (Ohm-GPU table I: 1:8)"};
        Param<Bytes> page {
            2_KiB,
            {512_B, 4_KiB},
            "Page: unit of mapping and swap (assumption: a DRAM row; sweep 1-4 KiB)"};
        Param<unsigned> hot_threshold {
            6, {1, 60000}, "Competing counter at which a page is hot (PoM, MICRO'14; sweep 1-48)"};
        Param<unsigned> swaps {4, {0, 64}, "Swaps under way at most (assumption); 0: no migration"};
        Param<Bytes> swap_buffer {
            16_KiB, {0_B, 1_MiB}, "Holds two pages for each swap (assumption: 4 x 2 x 2 KiB)"};
        Param<bool> buffer_reads {
            true, "Reads are served from the swap buffer (assumption: the paper is silent)"};
        Param<Time> swap_patience {1_us,
                                   {0_fs, 1_s},
                                   "Age from which a swap goes before demand (assumption; "
                                   "sweep 0-10 us)",
                                   Change::tunable};
        Param<Routes> routes {Routes::optical, "What the channel carries at once (Ohm-GPU V-B)"};
        Param<bool> auto_rw {false, "XPoint snarfs what swaps read from DRAM (Ohm-GPU IV-B)"};
        Param<bool> swap_function {
            false, "XPoint swaps pages by itself, over the memory route (Ohm-GPU IV-B)"};
        Param<bool> behind_writes {
            false, "Such swaps are begun when writes are served (Ohm-GPU VI-A)", Change::tunable};
        Param<Bytes> swap_command {
            16_B,
            {1_B, 256_B},
            "SWAP-CMD on the channel (assumption: two addresses of 6 bytes, size, number)"};
        Param<unsigned> postponed {
            32, {1, 4096}, "Requests that wait for a swap (assumption; sweep 8-128)"};

        unsigned sequences() const { return swap_function() ? channel.modules() : 0; }
        /// Reads and writes of the DRAM by all swaps at once.
        unsigned accesses() const { return 2 * most_pieces * std::max(swaps(), 1u); }
        mem::DramWires migration_wires() const {
            return channel.migration_channel() == MigrationChannel::dedicated
                       ? mem::DramWires::side
                       : mem::DramWires::data;
        }
    };
    struct Ports {
        ChannelPorts<Params> channel;
        Many<Responder<protocol::DdrSequence>> sequences {
            +[](const void* p) { return static_cast<const Params*>(p)->sequences(); },
            {.depth = +[](const void* p) { return static_cast<const Params*>(p)->accesses(); },
             .latency =
                 +[](const void* p) { return static_cast<const Params*>(p)->channel.one_way(); }},
            "DDR sequences of the XPoint modules over the memory route; with the swap function"};
    };
    struct Stats {
        ChannelStats channel;
        Counter dram_reads {Unit::count, "Demand reads of pages in DRAM"};
        Counter dram_writes {Unit::count, "Demand writes to pages in DRAM"};
        Counter xpoint_reads {Unit::count, "Demand reads of pages in XPoint"};
        Counter xpoint_writes {Unit::count, "Demand writes to pages in XPoint"};
        Counter buffer_reads {Unit::count, "Demand reads served from a swap buffer"};
        Counter requests {Unit::count, "Demand requests accepted"};
        Counter dram_hits {Unit::count, "Of them, those whose page was in DRAM when they came"};
        Ratio dram_hit_rate {dram_hits, requests, "Share of requests whose page was in DRAM"};
        Counter swaps {Unit::count, "Swaps completed"};
        Counter swaps_postponed {Unit::count, "Hot accesses that found every swap buffer in use"};
        Distribution swap_latency {Unit::time, "A swap, from the decision to its end"};
        Distribution command_latency {Unit::time,
                                      "A swap by the swap function, from SWAP-CMD's end to ready"};
        Counter snarfed {Unit::byte, "Bytes that XPoint snarfed instead of getting them"};
        Counter conflicts {Unit::count, "Requests that waited for the bank of a swap"};
        Counter requests_postponed {Unit::count, "Requests that waited for a swap of their page"};
        Level mapping_table_bytes {Unit::byte,
                                   "Mapping table in hardware: groups x slots x bits of a slot"};
    };

    enum class Place : std::uint8_t { nowhere, dram, xpoint, buffer };
    struct Request {
        protocol::MemRequest r;
        Tick accepted = 0;
        std::uint64_t group = 0;
        std::uint32_t offset = 0;   ///< in its page
        std::uint32_t fed = 0;      ///< how much of its span the DRAM has got
        std::uint32_t accesses = 0; ///< of the DRAM, not yet done
        std::uint8_t slot = 0;
        std::uint8_t location = 0;
        std::uint8_t blocks_swap = Group::none; ///< the swap that waits for it
        Place place = Place::nowhere;
        bool started = false;  ///< a device knows of it
        bool conflict = false; ///< has waited for a bank
    };
    using Mask = std::uint16_t; ///< a bit a piece
    enum class Phase : std::uint8_t {
        decided, ///< not begun: its pages are served where they are
        quiet,   ///< waits until its pages are still; the controller's own copying stays here
        preset,  ///< of the bank
        command, ///< waits for the channel
        ordered, ///< SWAP-CMD has its slot
        ready,   ///< XPoint is done
    };
    struct Swap {
        std::uint64_t group = 0;
        std::uint32_t waits_for = 0; ///< requests under way to its pages
        std::uint32_t postponed_writes = 0;
        std::uint32_t postponed = 0; ///< requests that wait for it, those writes included
        std::uint8_t slot_in = 0, slot_out = 0;
        std::uint8_t location = 0; ///< of slot_in, in XPoint
        std::uint8_t module = 0;   ///< that has it
        bool live = false;
        Phase phase = Phase::quiet;
        std::uint32_t bank = 0, row = 0; ///< of the DRAM page
        Tick decided = 0;
        Tick ordered = 0; ///< SWAP-CMD has been sent
        Mask dram_read_asked = 0, xpoint_read_asked = 0;
        Mask dram_read = 0, xpoint_read = 0;
        Mask dram_written = 0; ///< with the scheduler, which serves reads of it
        Mask xpoint_write_asked = 0, xpoint_written = 0;
    };
    /// A read that is ready and waits for the channel.
    struct Ready {
        std::uint32_t module = 0;
        std::uint32_t id = 0;
    };
    struct State {
        ChannelState channel;
        std::vector<Request> requests;
        parts::Places places;                       ///< of requests
        Fifo<std::uint32_t> dram_queue;             ///< requests not yet with the scheduler
        Fifo<std::uint32_t> postponed;              ///< requests that wait for a swap
        std::vector<Fifo<std::uint32_t>> to_module; ///< requests not yet sent, in order of arrival
        std::uint32_t commands = 0;                 ///< waiting there
        Fifo<Ready> ready_demand, ready_migration;
        GroupTable groups;
        std::vector<Swap> swaps;
        std::uint64_t live_swaps = 0; ///< a bit each
        std::uint32_t held_banks = 0; ///< given to swaps
        MemoryRouteState route;
        Timer next;
        Tick stalled_since = never;
        parts::SectorStore dram;        ///< contents of the DRAM
        parts::SectorStore swap_buffer; ///< of each swap the page of XPoint before that of DRAM
        DeferredWrites deferred;        ///< to pages that are being swapped, by their groups
    };

    explicit PlanarController(const Params& p) : params(p) {}
    void init() override;
    void start() override;
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Placement& placement() const { return placement_; }
    /// Where the data of a logical address lies now: 0 in DRAM, k in the group's k-th XPoint page.
    std::uint32_t location(std::uint64_t address) const {
        const Placement::Page p = placement_.page_of(address);
        return state.groups.location(p.group, p.slot);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    // planar_controller.cc: requests and answers
    bool only_dram_works() const;
    void accept();
    bool accept(const protocol::MemRequest& r);
    void dispatch(std::uint32_t id, std::uint32_t location);
    bool in_buffer(const Request& q, const Swap& s) const;
    void read_buffer(std::uint32_t id, const Swap& s);
    void finish(std::uint32_t id, Contents::Id contents = {});
    Contents::Id read_at(const parts::SectorStore& store, const Request& q, std::uint64_t address);
    // planar_channel.cc: devices and the channel; the bool says whether anything changed
    void take_answers();
    void send_left();
    void take_dram_done();
    bool feed_dram();
    bool feed_modules();
    bool book_demand();
    bool migration_waits() const { return swaps_.channel || !state.ready_migration.empty(); }
    bool book_migration(bool old_ones);
    bool grant_first(Fifo<Ready>& ready, Tick ahead);
    bool read_of_block_waits(const Request& write) const;
    std::uint64_t dram_address(const Request& q) const {
        return placement_.dram_address(q.group) + q.offset;
    }
    std::uint64_t dram_block(const Request& q) const { return dram_address(q) / block_bytes; }
    /// Sectors that a request does not write whole.
    static std::uint16_t partial(const protocol::MemRequest& r) {
        return r.command == protocol::Command::atomic ? 0xffff : r.partial;
    }
    void arm_next();
    // planar_swap.cc
    void begin_swap(std::uint64_t group, Group& g);
    void make_still(Swap& s);
    void end_swap(Swap& s);
    bool snarf(std::uint64_t writers);
    protocol::DdrtCommand to_xpoint(const Swap& s, unsigned piece);
    void look_at_swaps();
    bool feed_swaps(std::uint64_t which);
    bool feed_dram_pieces(Swap& s, std::uint32_t id);
    bool feed_xpoint_reads(Swap& s, std::uint32_t id);
    bool old_swap_writes(std::uint32_t module) const;
    void piece_from_dram(std::uint32_t context);
    void piece_from_xpoint(std::uint32_t id, Contents::Id contents);
    void serve_postponed(Swap& s);
    void end_if_done(Swap& s);
    Contents::Id take_out(const parts::SectorStore& store, std::uint64_t address);
    // planar_function.cc: swaps by XPoint
    void check_function() const;
    bool advance_functions();
    bool serves_reads() const;
    void order(Swap& s);
    void ordered(Swap& s);
    void share_light();
    void confirm(Swap& s);
    std::uint32_t id_of(const Swap& s) const {
        return migration_id | static_cast<std::uint32_t>(&s - state.swaps.data()) << 4;
    }
    Swap& swap_of(std::uint32_t id) { return parts::named(state.swaps, id >> 4 & 0xff); }
    Tick old_at(const Swap& s) const { return s.decided + params.swap_patience->raw; }
    bool old(const Swap& s) const { return now() >= old_at(s); }
    Mask all_pieces() const { return static_cast<Mask>((1u << pieces_) - 1); }
    /// Where one of a swap's pages begins in the buffer, in bytes: the one from XPoint, or from
    /// DRAM.
    std::uint64_t buffer_address(const Swap& s, bool from_dram) const {
        const auto index = static_cast<std::uint64_t>(&s - state.swaps.data());
        return (2 * index + from_dram) * placement_.page_bytes;
    }
    bool moves(const Swap& s, std::uint64_t slot) const {
        return s.live && s.phase != Phase::decided && (slot == s.slot_in || slot == s.slot_out);
    }
    static unsigned first_of(unsigned set) { return static_cast<unsigned>(std::countr_zero(set)); }
    bool conflicts(const Request& q) const { return channel_->dram().held(bank_of(q.group)); }
    std::uint32_t bank_of(std::uint64_t group) const {
        return channel_->dram_access(placement_.dram_address(group), 1).bank;
    }
    bool is_write(std::uint32_t id) const {
        return state.requests[id].r.command != protocol::Command::read;
    }
    /// Pieces whose place in XPoint has been read, as has what goes there.
    static unsigned pieces_to_xpoint(const Swap& s) {
        return s.dram_read & s.xpoint_read & ~s.xpoint_write_asked;
    }

    /// Ids above this one name a piece of a swap: swap x 16 + piece.
    static constexpr std::uint32_t migration_id = 1u << 31;

    /// Swaps with something to do next, a bit each: found once in each round of wake(), after which
    /// they only become fewer.
    struct {
        std::uint64_t old = 0;     ///< those that go before demand
        std::uint64_t devices = 0; ///< with pieces to ask the devices for, or to write to DRAM
        std::uint64_t channel = 0; ///< with pieces to write to XPoint
    } swaps_;

    Placement placement_;
    unsigned pieces_ = 8;
    std::optional<MemoryChannel> channel_;
    std::optional<MemoryRoute> route_;            ///< with the swap function
    mem::DramWires wires_ = mem::DramWires::data; ///< of migration by the controller
    const parts::DataBus* beside_ = nullptr;      ///< the same
    std::uint64_t table_bytes_ = 0;
};

} // namespace memsim::ohm
