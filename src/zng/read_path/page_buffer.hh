#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "device_parts/links.hh"
#include "device_parts/tag_policy.hh"
#include "mem/page_cache/page_front.hh"
#include "protocol/block_io.hh"

namespace memsim::zng {

using namespace memsim::literals;
using protocol::Mem;

/// The DRAM page buffer of HybridGPU (Zhang et al., FlashGPU, DAC'19; ZnG II-C) between a GPU's L2
/// and its flash. A flash.Drive models the firmware, FTL and channels that serve misses.
///
/// Models        a dispatcher that looks up one request per `dispatch`. A hit accesses the DRAM. A
///               miss fetches the page: the drive reads it, it is written to the DRAM line by line,
///               and all requests that wait for it are then served in order. With `passing`, reads
///               that precede any write are answered from the page as it arrives from the drive.
///               Writes stay in the buffer: while more than `dirty_pages` pages are dirty, the one
///               written least recently is written to the drive and stays as a clean page. A
///               fetched page replaces a clean, idle page of its set, chosen by the policy. If
///               there is none, a dirty page is written back first and requests wait. Requests and
///               whole pages alternate at the DRAM. A page prefetcher names further pages on a
///               miss; these replace only clean, idle pages.
/// Not modelled  The DRAM itself (a mem.DramController behind `dram_side`); the controller's own
///               memory traffic (mapping tables and firmware use another memory); power loss.
class PageBuffer final : public Model<PageBuffer>,
                         public Functional,
                         private mem::PagedDram::Owner {
  public:
    struct Params {
        Param<Bytes> capacity {32_MiB,
                               {512_B, 1_GiB * 64},
                               "Bytes of pages held",
                               assumed("of the authors' other work")};
        Param<Bytes> page {
            4_KiB, {512_B, 64_KiB}, "Bytes of a flash page", stated("ZnG table I: 4 KB")};
        Param<Bytes> line {128_B,
                           {32_B, 128_B},
                           "Bytes per DRAM request for a part of a page",
                           assumed("a line of 128 B")};
        Param<unsigned> ways {8, {1, 64}, "Pages per set", assumed()};
        Param<PolicyName<device_parts::TagPolicy>> replacement {
            "lru", "Replacement policy of a set; a request for a page counts as a use",
            usual_policy()};
        mem::AheadParams ahead;
        Param<unsigned> dirty_pages {
            256,
            {1, 1u << 24},
            "Dirty pages above which the oldest is written back (a write buffer of 1 MiB)",
            assumed()};
        Param<Time> dispatch {2_ns,
                              {0_fs, 1_us},
                              "Time of the dispatcher per request",
                              assumed("a cycle of 500 MHz; range 0 to 20 ns"),
                              Change::tunable};
        Param<Time> latency {2_ns,
                             {1_fs, 1_us},
                             "Latency of answers",
                             assumed("that of the dispatcher"),
                             Change::tunable};
        Param<bool> passing {false,
                             "Answer reads that wait for a page as it arrives from the drive; "
                             "otherwise when it is in the DRAM",
                             switched_off()};
        Param<unsigned> queue {
            32, {1, 65536}, "Requests queued or in flight to this component", queue_places()};
        Param<unsigned> requests {
            256, {1, 65536}, "Requests in progress", assumed("4 of each warp of an SM")};
        Param<unsigned> dram_queue {
            64, {1, 65536}, "Outstanding reads of the DRAM", queue_places()};
        Param<unsigned> drive_queue {
            256, {1, 65535}, "Outstanding requests to the drive", queue_places()};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>, .latency = from<&Params::latency>},
                                 "Requests from the L2"};
        Requester<Mem> dram_side {{.depth = from<&Params::dram_queue>}, "The DRAM"};
        Requester<protocol::BlockIo> drive_side {{.depth = from<&Params::drive_queue>},
                                                 "The firmware and its flash"};
    };
    struct Stats {
        mem::FrontStats front;
        Counter passing_reads {Unit::count,
                               "Reads answered from a page as it arrived from the drive"};
        mem::AheadStats ahead;
        Counter pages_in {Unit::count, "Pages read from the drive"};
        Counter pages_out {Unit::count, "Dirty pages written to the drive"};
        Counter stalled_by_requests {Unit::count, "Times that the limit of requests was reached"};
        Counter stalled_by_set {Unit::count, "Times that no page of a set could be replaced"};
        Counter dram_bytes {Unit::byte, "Bytes requested from the DRAM, whole pages included"};
        Distribution fetch_time {Unit::time,
                                 "Time from a miss or prefetch to its page in the DRAM"};
        Distribution drive_time {Unit::time, "Time of a fetch spent in the drive"};
        Distribution latency {Unit::time, "Time from a request's look-up to its answer"};
        Level dirty {Unit::count, "Dirty pages"};
    };

    static constexpr std::uint32_t none = mem::PagedDram::none;
    /// empty; idle: holds a page; fetching: the drive is reading its page; filling: its page is
    /// being written to the DRAM; leaving: its page is being written to the drive and may be used
    /// meanwhile.
    enum class Mode : std::uint8_t { empty, idle, fetching, filling, leaving };
    struct Frame {
        mem::PagedDram::Transfer transfer;
        std::uint64_t page = 0;
        Tick since = 0;
        std::uint32_t queued = 0; ///< requests that wait for the DRAM
        Mode mode = Mode::empty;
        bool dirty = false;
        bool ahead = false; ///< fetched ahead, and not accessed since
        std::uint32_t
            older = none,
            newer = none; ///< neighbours in the list of dirty frames, ordered by their last write
    };
    struct State {
        std::vector<Frame> frames;
        Policy<device_parts::TagPolicy> replacement;
        mem::PagesAhead ahead;
        std::vector<std::uint32_t> notes; ///< of the policy, by frame
        mem::PagedDram::State dram;
        Fifo<std::uint32_t> to_drive;          ///< frames
        device_parts::DeferredWrites deferred; ///< host writes to pages being fetched, by page
        device_parts::ListEnds written;        ///< dirty frames, by their last write
        std::uint32_t dirty = 0;
        Tick dispatcher_free = 0;
        Timer next;
    };

    explicit PageBuffer(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return !front_->idle(); }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    friend mem::PageFront<PageBuffer>;

    bool accept();
    std::uint32_t make_room(std::uint64_t page, bool ahead);
    void make_newest(std::uint32_t frame);
    void clean_excess();
    void write_out(std::uint32_t frame);
    bool send();
    void drive_answered(const protocol::BlockResponse& r);
    std::uint32_t first_of(std::uint64_t page) const {
        return static_cast<std::uint32_t>(page % sets_) * params.ways();
    }
    device_parts::TagWords words() {
        return {state.notes.data(), params.ways(), params.ways(), sets_};
    }

    // Interface to mem::PageFront.
    std::uint32_t find(std::uint64_t page) const;
    bool present(std::uint32_t frame) const {
        const Mode mode = state.frames[frame].mode;
        return mode == Mode::idle || mode == Mode::leaving;
    }
    bool first_use(std::uint32_t frame) { return std::exchange(state.frames[frame].ahead, false); }
    std::uint32_t fetch(std::uint64_t page, device_parts::AskedBy asked);
    void waits(std::uint32_t, bool) {}
    void serve(std::uint32_t request);
    Counter& no_frame() { return stat.stalled_by_set; }

    // Interface to mem::PagedDram.
    mem::PagedDram::Transfer& transfer(std::uint32_t frame) override;
    void sent(std::uint32_t frame) override { --state.frames[frame].queued; }
    void done(std::uint32_t) override {}
    void copied_in(std::uint32_t frame) override;
    void copied_out(std::uint32_t frame) override { state.to_drive.push(frame); }

    std::uint32_t page_ = 0, sets_ = 0, block_sectors_ = 0;
    std::optional<mem::PageFront<PageBuffer>> front_; ///< operates on State
    std::vector<std::uint32_t> status_;               ///< scratch space of make_room()
};

} // namespace memsim::zng
