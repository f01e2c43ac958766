#pragma once

#include "core/base/clock.hh"
#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "host/copy_engine.hh"
#include "host/fault_driver.hh"
#include "host/hinted_pages.hh"
#include "host/host_dram.hh"
#include "host/page_backing.hh"
#include "parts/page_prefetcher.hh"
#include "protocol/block_io.hh"
#include "protocol/mem.hh"
#include "protocol/page_fault.hh"
#include "protocol/translation.hh"

namespace memsim::host {

using namespace memsim::literals;
using parts::PageName;
using protocol::Mem;

/// Where pages are that are not in device memory. host_memory: in host DRAM. drive: on a drive,
/// read into host DRAM, copied there `host_copies` times, and from there to the device.
/// drive_direct: on a drive that writes to the device itself (GPU-direct storage), nothing passes
/// host DRAM.
enum class PageSource : std::uint8_t { host_memory, drive, drive_direct };
constexpr std::array<std::string_view, 3> names_of(PageSource) {
    return {"host_memory", "drive", "drive_direct"};
}

/// The host as a GPU sees it: a driver that serves page faults in batches, a copy engine, its DRAM.
///
/// The first fault interrupts the driver; `fault_latency` later it takes up to `batch` of the
/// faults that are there, spends `page_cost` on one page after the other, and claims a frame for
/// each from the MMU. A dirty page that had to make room is copied out first. When the frame is
/// free and the data have been read (DRAM, `dram_bandwidth` and `dram_latency`), the copy engine
/// writes the page to the device, in requests of `chunk`, and the fault is answered when all of
/// them are. At most `transfers` pages are under way. The next batch begins when all pages of this
/// one are there.
///
/// A page prefetcher (parts/page_prefetcher.hh) may bring further pages behind those of a batch,
/// and so do the pages of hints that came since the last one. They are placed in the MMU without a
/// fault. A fault on a page that came in the meantime is answered without an interrupt, as the
/// driver lets such accesses run again when it has finished a batch. No more pages are under way
/// than there are frames.
///
/// Both directions of the copy engine work at once, each on one page at a time, through
/// device_side: usually a link.Pcie. Not modelled: several GPUs, faults of the CPU, contention of
/// other programs for DRAM, capacity of host memory.
class PagingHost final : public Model<PagingHost>, public Functional {
  public:
    struct Params {
        Param<Bytes> page {4_KiB, {1_KiB, 1_GiB}, "Page size, as in the MMU", power_of_two()};
        Param<Time> fault_latency {20_us,
                                   {1_fs, 1_s},
                                   "Time from the interrupt to the first page: 20 to 50 us",
                                   cited("Zheng et al., HPCA'16"),
                                   Change::tunable};
        Param<unsigned> batch {
            256, {1, 65536}, "Faults of a batch at most", cited("NVIDIA's open driver: 256")};
        Param<Time> page_cost {1_us,
                               {0_fs, 1_s},
                               "The driver's time for a page, one after the other",
                               assumed("no source gives it; range 0 to 2 us"),
                               Change::tunable};
        Param<PolicyName<parts::PagePrefetcher>> prefetch {"none",
                                                           "Pages that come without a fault"};
        Param<unsigned> prefetchers {
            0, {0, 1}, "Whether somebody tells by hints which pages will be accessed"};
        Param<unsigned> hinted {1024,
                                {1, 1u << 20},
                                "Pages of hints that wait for a batch; the oldest one is dropped",
                                assumed()};
        Param<Time> prefetch_cost {100_ns,
                                   {0_fs, 1_s},
                                   "The driver's time for a page that no fault asked for",
                                   assumed("a tenth of page_cost; range 0 to 1 us"),
                                   Change::tunable};
        Param<unsigned> transfers {16, {1, 4096}, "Pages under way", assumed()};
        Param<Rate> dram_bandwidth {34_GBps,
                                    {1_MBps, Rate {1'000'000'000'000'000}},
                                    "Rate of host DRAM: two channels of DDR4-2133, 17 GB/s each",
                                    assumed("a desktop"),
                                    Change::tunable};
        Param<Time> dram_latency {
            100_ns, {0_fs, 1_ms}, "Time to the first byte of a page", assumed(), Change::tunable};
        Param<PageSource> source {PageSource::host_memory, "Where pages are initially"};
        Param<unsigned> drives {0, {0, 1}, "Whether a drive is bound"};
        Param<Bytes> drive_space {
            1_GiB,
            {1_KiB, Bytes {std::int64_t {1} << 50}},
            "First addresses on the drive, one for each application: number n begins at n times "
            "this",
            multiple_of(page)};
        Param<unsigned> host_copies {
            1,
            {0, 8},
            "Copies in host DRAM of what comes from the drive: from the kernel to the "
            "user (ZnG II-C: redundant copies in the host; how many is an assumption)"};
        Param<Bytes> chunk {
            128_B, {32_B, 128_B}, "A request of the copy engine: a line", power_of_two()};
        Param<unsigned> outstanding {
            256, {1, 65536}, "Requests of the copy engine without an answer", cited("8-bit tags")};
        Param<unsigned> queue {256, {1, 65536}, "Faults waiting or in flight: the MMU's buffer"};
    };
    struct Ports {
        Responder<protocol::Faults> faults {{.depth = from<&Params::queue>}, "Page faults"};
        Requester<protocol::PageControl> pages {
            {.depth = from<&Params::transfers>, .needs = needs<protocol::HasPages>},
            "Orders to the MMU"};
        Requester<Mem> device_side {{.depth = from<&Params::outstanding>},
                                    "The copy engine, towards device memory"};
        Many<Responder<Mem>> hints {from<&Params::prefetchers>,
                                    {.depth = [](const void*) { return 64u; }, .hints = true},
                                    "Pages that will be accessed"};
        Many<Requester<protocol::BlockIo>> drive_side {
            from<&Params::drives>, {.depth = from<&Params::transfers>}, "The drive"};
    };
    struct Stats {
        Counter faults {Unit::count, "Page faults answered"};
        Counter prefetches {Unit::count, "Pages brought that nobody had faulted on"};
        Counter late_faults {Unit::count,
                             "Faults on pages that a prefetch had brought in the meantime"};
        Counter batches {Unit::count, "Batches of the driver"};
        Counter batched_faults {Unit::count, "Faults that came in a batch"};
        Ratio faults_per_batch {batched_faults, batches, "Faults of a batch"};
        Counter pages_out {Unit::count, "Dirty pages copied out"};
        Counter bytes_in {Unit::byte, "Bytes written to the device"};
        Counter bytes_out {Unit::byte, "Bytes read from the device"};
        ElapsedTime cpu_time {"Time that the driver worked, fault_latency included"};
        Counter drive_reads {Unit::count, "Pages read from the drive"};
        Counter drive_writes {Unit::count, "Pages written to the drive"};
        Counter dram_bytes {Unit::byte, "Bytes read from and written to host DRAM"};
        PerSecond bandwidth_in {bytes_in, "Bytes to the device a second of simulated time"};
        Distribution batch_time {Unit::time, "Time from the interrupt to the last page of a batch"};
        Distribution fault_time {Unit::time,
                                 "Time from a batch's interrupt to each of its answers; of a fault "
                                 "whose page a prefetch had brought, from its being taken"};
    };
    /// A page under way.
    struct Page {
        protocol::PageFault fault;
        Tick since = 0; ///< the interrupt by which its fault was taken
        bool prefetch = false;
        bool late = false; ///< it was there when its fault was taken, and so is not fetched yet
        std::uint64_t frame = 0;
        PageName victim;                      ///< the page that made room
        std::uint32_t sent = 0, answered = 0; ///< chunks, of the copy out and then of that in
        Contents::Id in, out;                 ///< what is copied to and from its frame
        bool framed = false;                  ///< its frame may be written
        bool here = false;                    ///< its data have been read
        bool placed = false;                  ///< the MMU has been told
        bool live = false;
    };
    struct Arrived { ///< in host DRAM
        std::uint32_t page = 0;
    };
    struct State {
        FaultDriver driver;
        Policy<parts::PagePrefetcher> prefetch;
        HeldPages held; ///< where pages are prefetched
        HintedPages hinted;
        std::vector<Page> pages;
        FreeList free;
        CopyEngine copies;
        Fifo<std::uint32_t> placing; ///< pages that the MMU is to be told of
        Fifo<protocol::BlockRequest> to_drive;
        std::uint32_t writing = 0; ///< pages on their way to the drive
        HostDram dram;
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
    /// No page is under way, and none that was written to is missing from the drive.
    bool quiet() const { return state.free.size() == state.pages.size() && state.writing == 0; }
    void work();
    void take_batch();
    Time cost(const WantedPage& w) const {
        return w.prefetch ? params.prefetch_cost() : params.page_cost();
    }
    void begin(const WantedPage& wanted, Tick since);
    void gone(const PageName& page);
    void answer(std::uint32_t page);
    void finish(std::uint32_t page);
    void framed(const protocol::PageOrderReply& reply);
    void copied(const protocol::MemResponse& r);
    void fetch(std::uint32_t page);
    void copy_in(std::uint32_t page);
    void copy();
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
