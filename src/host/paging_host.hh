#pragma once

#include "core/base/clock.hh"
#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "device_parts/page_prefetcher.hh"
#include "host/copy_engine.hh"
#include "host/fault_driver.hh"
#include "host/hinted_pages.hh"
#include "host/page_backing.hh"
#include "protocol/block_io.hh"
#include "protocol/mem.hh"
#include "protocol/page_fault.hh"
#include "protocol/translation.hh"

namespace memsim::host {

using namespace memsim::literals;
using device_parts::PageName;
using protocol::Mem;

/// The location of pages that are not in device memory. host_memory: in host DRAM. drive: on a
/// drive; pages are read into host DRAM, copied there `host_copies` times, and transferred to the
/// device. drive_direct: on a drive that writes directly to the device (GPU-direct storage),
/// without host DRAM.
enum class PageSource : std::uint8_t { host_memory, drive, drive_direct };
constexpr std::array<std::string_view, 3> names_of(PageSource) {
    return {"host_memory", "drive", "drive_direct"};
}

/// The host of a GPU: a driver that serves page faults in batches, a copy engine, and host DRAM.
///
/// Models        The first fault interrupts the driver. After `fault_latency` it fetches up to
///               `batch` of the waiting faults, spends `page_cost` on each page, one after another,
///               and claims a frame for each from the MMU. A dirty evicted page is copied out
///               first. When the frame is free and the data have been read (DRAM, `dram_bandwidth`
///               and `dram_latency`), the copy engine writes the page to the device in requests of
///               `chunk`. The fault is answered when all of them are. At most `transfers` pages are
///               in progress. The next batch begins when all pages of this one have arrived.
///
/// A page prefetcher (device_parts/page_prefetcher.hh) may add pages to a batch; pages named by
/// hints since the last batch are added, too. They are placed in the MMU without a fault. A fault
/// on a page that has arrived meanwhile is answered without an interrupt, because the driver
/// restarts such accesses at the end of a batch. At most as many pages are in progress as there are
/// frames.
///
/// Both directions of the copy engine are active, each with one page at a time, through device_side
/// (usually a link.Pcie).
///
/// Not modelled  Several GPUs; faults of the CPU; contention of other programs for DRAM; capacity
///               of host memory.
class PagingHost final : public Model<PagingHost>, public Functional {
  public:
    struct Params {
        Param<Bytes> page {4_KiB,
                           {1_KiB, 1_GiB},
                           "Page size, as in the MMU",
                           power_of_two(),
                           assumed("the usual page of a CPU")};
        Param<Time> fault_latency {20_us,
                                   {1_fs, 1_s},
                                   "Time from the interrupt to the first page: 20 to 50 us",
                                   assumed("Zheng et al., HPCA'16, as quoted; not looked up"),
                                   Change::tunable};
        Param<unsigned> batch {256,
                               {1, 65536},
                               "Maximum number of faults in a batch",
                               cited("NVIDIA's open driver, uvm_gpu_replayable_faults.c: 256")};
        Param<Time> page_cost {1_us,
                               {0_fs, 1_s},
                               "Time of the driver for each page, one after another",
                               assumed("no source gives it; range 0 to 2 us"),
                               Change::tunable};
        Param<PolicyName<device_parts::PagePrefetcher>> prefetch {
            "none", "Policy that selects pages to transfer without a fault", switched_off()};
        Param<unsigned> hinted {
            1024,
            {1, 1u << 20},
            "Pages of hints that wait for a batch; further hints drop the oldest",
            assumed()};
        Param<Time> prefetch_cost {100_ns,
                                   {0_fs, 1_s},
                                   "Time of the driver for a page without a fault",
                                   assumed("a tenth of page_cost; range 0 to 1 us"),
                                   Change::tunable};
        Param<unsigned> transfers {16, {1, 4096}, "Pages in progress", assumed()};
        Param<Rate> dram_bandwidth {34_GBps,
                                    {1_MBps, Rate {1'000'000'000'000'000}},
                                    "Rate of host DRAM: two channels of DDR4-2133, 17 GB/s each",
                                    assumed("a desktop"),
                                    Change::tunable};
        Param<Time> dram_latency {
            100_ns, {0_fs, 1_ms}, "Time to the first byte of a page", assumed(), Change::tunable};
        Param<PageSource> source {PageSource::host_memory, "Initial location of pages",
                                  assumed("host memory holds what device memory does not")};
        Param<Bytes> drive_space {
            1_GiB,
            {1_KiB, Bytes {std::int64_t {1} << 50}},
            "Size of an application's range on the drive; number n starts at n times this size",
            multiple_of(page),
            example_value()};
        Param<unsigned> host_copies {
            1,
            {0, 8},
            "Copies in host DRAM of data from the drive: from the kernel to the user (ZnG II-C: "
            "redundant copies in the host; their number is an assumption)",
            stated("ZnG II-C: redundant copies")};
        Param<Bytes> chunk {128_B,
                            {32_B, 128_B},
                            "Size of a request of the copy engine: a line",
                            power_of_two(),
                            assumed("a line of the L2")};
        Param<unsigned> outstanding {
            256, {1, 65536}, "Outstanding requests of the copy engine", assumed("8-bit PCIe tags")};
        Param<unsigned> queue {
            256, {1, 65536}, "Faults waiting or in flight: the MMU's buffer", queue_places()};
    };
    struct Ports {
        Responder<protocol::Faults> faults {{.depth = from<&Params::queue>}, "Page faults"};
        Requester<protocol::PageControl> pages {
            {.depth = from<&Params::transfers>, .needs = needs<protocol::HasPages>},
            "Page orders to the MMU"};
        Requester<Mem> device_side {{.depth = from<&Params::outstanding>},
                                    "The copy engine's port to device memory"};
        Optional<Responder<Mem>> hints {{.depth = [](const void*) { return 64u; }, .hints = true},
                                        "Hints of pages to be accessed, of a prefetcher"};
        Optional<Requester<protocol::BlockIo>> drive_side {{.depth = from<&Params::transfers>},
                                                           "The drive"};
    };
    struct Stats {
        Counter faults {Unit::count, "Page faults answered"};
        Counter prefetches {Unit::count, "Pages transferred without a fault"};
        Counter late_faults {Unit::count,
                             "Faults on pages that a prefetch had transferred meanwhile"};
        Counter batches {Unit::count, "Batches of faults"};
        Counter batched_faults {Unit::count, "Faults that were part of a batch"};
        Ratio faults_per_batch {batched_faults, batches, "Faults per batch"};
        Counter pages_out {Unit::count, "Dirty pages copied out"};
        Counter bytes_in {Unit::byte, "Bytes written to the device"};
        Counter bytes_out {Unit::byte, "Bytes read from the device"};
        ElapsedTime cpu_time {"Time that the driver was busy, including fault_latency"};
        Counter drive_reads {Unit::count, "Pages read from the drive"};
        Counter drive_writes {Unit::count, "Pages written to the drive"};
        Counter dram_bytes {Unit::byte, "Bytes read from and written to host DRAM"};
        PerSecond bandwidth_in {bytes_in, "Bytes to the device per second of simulated time"};
        Distribution batch_time {Unit::time,
                                 "Time from the interrupt to the arrival of a batch's last page"};
        Distribution fault_time {Unit::time,
                                 "Time from a batch's interrupt to each of its responses; for a "
                                 "fault on a prefetched page from its acceptance"};
    };
    /// A page in progress.
    struct Page {
        protocol::PageFault fault;
        Tick since = 0; ///< interrupt of the batch
        bool prefetch = false;
        bool late = false; ///< present when its fault was accepted, so not fetched
        std::uint64_t frame = 0;
        PageName victim;                      ///< the evicted page
        std::uint32_t sent = 0, answered = 0; ///< chunks of the copy out, then of the copy in
        Contents::Id in, out;                 ///< contents copied to and from its frame
        bool framed = false;                  ///< its frame may be written
        bool here = false;                    ///< its data were read
        bool placed = false;                  ///< the MMU was informed
        bool live = false;
    };
    struct Arrived { ///< in host DRAM
        std::uint32_t page = 0;
    };
    struct State {
        FaultDriver driver;
        Policy<device_parts::PagePrefetcher> prefetch;
        HeldPages held; ///< for page prefetching
        HintedPages hinted;
        std::vector<Page> pages;
        FreeList free;
        CopyEngine copies;
        Fifo<std::uint32_t> placing; ///< pages to report to the MMU
        Fifo<protocol::BlockRequest> to_drive;
        std::uint32_t writing = 0; ///< pages being written to the drive
        SerialWire dram;           ///< the host's, shared by all transfers
        PageBacking backing;
        Timer next;
    };

    explicit PagingHost(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override {
        return !state.driver.idle() || state.free.size() != state.pages.size();
    }
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    void read(const Arrived& a);

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    /// Whether no page is in progress and all dirty pages are on the drive.
    bool quiet() const { return state.free.size() == state.pages.size() && state.writing == 0; }
    void advance_driver();
    void take_batch();
    Time cost(const WantedPage& w) const {
        return w.prefetch ? params.prefetch_cost() : params.page_cost();
    }
    void claim_frame(const WantedPage& wanted, Tick since);
    void record_eviction(const PageName& page);
    void answer_fault(std::uint32_t page);
    void release_page(std::uint32_t page);
    void order_answered(const protocol::PageOrderReply& reply);
    void chunk_answered(const protocol::MemResponse& r);
    void read_page(std::uint32_t page);
    void queue_copy_in(std::uint32_t page);
    void send_chunks();
    void from_drive(const protocol::BlockResponse& r);
    void ask_drive(std::uint64_t sector, protocol::BlockOp op, std::uint32_t tag,
                   Contents::Id contents = {});
    Tick use_dram(unsigned passes);

    std::uint32_t chunks_ = 0;  ///< of a page
    std::uint64_t sectors_ = 0; ///< of a page
    WireTime dram_;
    bool prefetches_ = false;
    std::uint64_t pages_ = 0;                  ///< of an address space
    std::vector<PageName> faults_, with_them_; ///< scratch
};

} // namespace memsim::host
