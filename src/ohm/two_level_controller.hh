#pragma once

#include "core/functional.hh"
#include "ohm/deferred_writes.hh"
#include "ohm/evictions.hh"
#include "ohm/reverse_writes.hh"
#include "parts/sector_store.hh"

namespace memsim::ohm {

/// The memory controller of one channel in two-level mode: DRAM is a direct-mapped inclusive cache
/// of the XPoint modules behind the same channel (Ohm-GPU III-B, Fig. 7b).
///
/// Every request reads its line of DRAM, tag and data in one access. A read that hits is answered,
/// a write that hits is written. On a miss a dirty victim - it has just been read - is written to
/// XPoint, the line is read from XPoint and answered, and written to DRAM. A write of a whole line
/// needs no read of XPoint; one of a part of it does.
/// Requests to one set take effect one after another, in order of arrival: the next one begins when
/// the scheduler has the last one's write and the module its victim.
///
/// auto_rw (Ohm-GPU IV-B): the XPoint controller snarfs the line as it is read from DRAM, compares
/// the tags itself and takes the eviction over: no transfer to XPoint. A line is read from DRAM
/// only when there is a place for it in the module's register.
///
/// reverse_write (Ohm-GPU V-A, Fig. 12): the line that a miss brings crosses the channel once, from
/// XPoint to the register in front of the DRAM, and the controller's DDR monitor sees it pass.
/// XPoint says ready; the controller stops issuing whatever would use the channel and confirms; the
/// channel is held until XPoint's completion signal has come; then the request is answered, and the
/// line goes from the register to its place without the channel. One hold serves all lines that are
/// ready, up to reverse_batch; while the DRAM has work, it begins when so many are ready or one has
/// waited for reverse_patience.
///
/// migration_channel dedicated: fills and victims have a channel of their own (Ohm-GPU Fig. 8).
///
/// The channel: ready reads of XPoint first, then DRAM by its scheduler, then evictions, which take
/// a place only where the channel would idle; those older than `patience` go before all else.
/// Contents: a line changes when the scheduler gets what is written. What the host copies into a
/// set that requests use is put there when they are done. Not modelled: ECC itself, energy, lines
/// beyond an XPoint line. A read of a line that waits in the DRAM's register is answered from what
/// the DDR monitor saw.
class TwoLevelController final : public Model<TwoLevelController>, public Functional {
  public:
    static constexpr std::uint32_t block_bytes = 128; ///< of which a request is a part

    struct Params {
        ChannelParams channel;
        EvictionParams eviction;
        ReverseParams reverse;
        Param<Bytes> interleave {2_KiB,
                                 {256_B, 1_MiB},
                                 "Chunk of the sharing of addresses: the crossbar's (a DRAM row)"};
        Param<Bytes> dram {1_GiB,
                           {512_B, Bytes {std::int64_t {1} << 50}},
                           "DRAM of this controller (Ohm-GPU table III, two-level: 1 GiB)"};
        Param<unsigned> ratio {64, {1, 1u << 20}, "XPoint to DRAM (Ohm-GPU table I: 1:64)"};
        Param<Bytes> line {
            128_B, {128_B, 256_B}, "Line of the cache (assumption: the L2's, one access for all)"};
    };
    struct Ports {
        ChannelPorts<Params> channel;
    };
    struct Stats {
        ChannelStats channel;
        EvictionStats eviction;
        ReverseStats reverse;
        Counter requests {Unit::count, "Demand requests accepted"};
        Counter hits {Unit::count, "Of them, those whose line was in DRAM"};
        Ratio dram_hit_rate {hits, requests, "Share of requests whose line was in DRAM"};
        Counter xpoint_reads {Unit::count, "Lines read from XPoint"};
        Counter fills {Unit::count, "Lines written to DRAM after a miss"};
        Counter conflicts {Unit::count, "Requests that waited for another one of their set"};
        Level lines {Unit::count, "Lines of DRAM that hold something"};
    };

    static constexpr std::uint32_t none = 0xffffffff;
    struct Request {
        protocol::MemRequest r;
        Tick accepted = 0;
        std::uint64_t local = 0; ///< of its line, as this controller counts
        std::uint64_t set = 0;
        std::uint32_t next = none; ///< behind it, of the same set
        std::uint32_t module = 0;  ///< its line's in XPoint
        std::uint8_t victims = 0;  ///< on their way to a module
        bool fetched = false;      ///< the line came from XPoint
        bool filled = false;       ///< the scheduler has it, from the register
        bool answered = false;     ///< or needs no answer
        bool settled = false;      ///< the scheduler has its line, or it changes nothing
        bool released = false;     ///< the next request of the set has begun
        Contents::Id line;         ///< what came from XPoint and is to be written to DRAM
    };
    struct Ready {
        std::uint32_t module = 0;
        std::uint32_t id = 0;
        Tick since = 0; ///< for reverse_patience
    };
    struct State {
        ChannelState channel;
        std::vector<Request> requests;
        Fifo<std::uint32_t> free;
        HashMap<std::uint32_t> busy;            ///< set -> the last request of it
        Fifo<std::uint32_t> tag_reads;          ///< requests whose line is to be read
        Fifo<std::uint32_t> writes;             ///< requests whose line is to be written
        std::vector<Fifo<std::uint32_t>> reads; ///< of each module: requests whose command waits
        EvictionState evictions;
        Fifo<Ready> ready;
        ReverseState reverse;
        DramCache cache;
        Timer next;
        Tick stalled_since = never;
        parts::SectorStore dram; ///< contents of the DRAM
        DeferredWrites deferred; ///< to lines that requests use, by their sets
    };

    explicit TwoLevelController(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    /// In the context of a DRAM access: nobody waits for it, or the request is answered when it is
    /// done.
    static constexpr std::uint32_t fill_mark = 1u << 31, write_mark = 1u << 30;
    static constexpr std::uint32_t id_of(std::uint32_t context) {
        return context & ~(fill_mark | write_mark);
    }

    // two_level_controller.cc: requests and answers
    void accept();
    bool accept(const protocol::MemRequest& r);
    void begin(std::uint32_t id);
    void line_read(std::uint32_t id);
    void line_came(std::uint32_t id, Contents::Id line);
    void fill(std::uint32_t id);
    void finish(std::uint32_t id, Contents::Id contents = {});
    Contents::Id read_dram(const Request& q);
    Contents::Id part_of(Contents::Id line, const Request& q);
    void write_dram(Request& q, bool write);
    void end_if_done(std::uint32_t id);
    // two_level_channel.cc: devices and the channel; the bool says whether anything changed
    void take_answers();
    void send_left();
    void take_dram_done();
    bool feed_dram();
    bool feed_modules();
    bool grant_ready();
    bool evict(bool old_ones);
    bool confirm();
    void arm_next();

    std::uint64_t set_address(std::uint64_t set) const { return set * map_.line_bytes; }
    std::uint32_t line_sectors() const {
        return static_cast<std::uint32_t>(map_.line_bytes) / SectorBytes::size;
    }
    bool whole_line(const protocol::MemRequest& r) const {
        return r.payload() == map_.line_bytes && !r.partial &&
               r.command != protocol::Command::atomic;
    }
    bool is_write(const Request& q) const { return q.r.command != protocol::Command::read; }

    LineMap map_;
    std::optional<MemoryChannel> channel_;
    std::optional<ModuleSide> modules_;
    std::optional<Evictions> evictions_;
    std::optional<ReverseWrites> reverse_; ///< with reverse_write
};

} // namespace memsim::ohm
