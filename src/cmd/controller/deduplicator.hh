#pragma once

#include "cmd/controller/caches_above.hh"
#include "cmd/controller/host_access.hh"
#include "cmd/controller/job_contents.hh"
#include "cmd/controller/reading.hh"
#include "cmd/controller/writing.hh"
#include "core/base/clock.hh"
#include "protocol/traffic.hh"

#include <optional>

namespace memsim::cmd {

using protocol::Mem;

/// Removes writes of data that memory already holds, and reads of them, in front of a memory
/// controller (CMD, section IV).
///
/// Models        detection, mapping and read assistance for blocks of 128 bytes. Memory holds the
///               blocks and, above them, the tables. With detection=none and intra=nowhere, all
///               requests are forwarded and counted by class.
/// Ordering      Requests to one block execute in order; reads of one block may execute in
///               parallel.
/// Requires      A request lies within one block.
/// Not modelled  The width of its ports.
///
/// Parts: Jobs (outstanding requests), Reading and Writing (steps of a request), Placement (the
/// place of each block's data), Metadata (presence of tables on chip), CachesAbove (the L2, from
/// which it copies), BlockMemory with Packing (contents of memory), JobContents (contents of
/// messages), HostAccess (functional accesses of the host).
class Deduplicator final : public Model<Deduplicator>,
                           public Functional,
                           public protocol::StatesTraffic {
  public:
    struct Params {
        Param<PolicyName<Detector>> detection {"md5", "Detection of equal blocks",
                                               stated("CMD IV-E: MD5")};
        Param<IntraData> intra {IntraData::map, "Place of the data of intra-duplicates",
                                stated("CMD IV-C: the map refers to intra-duplicates")};
        Param<PolicyName<Compressor>> compression {
            "none", "Compression of whole blocks on their way to memory",
            stated("CMD, evaluation: without compression")};
        ReadingParams reading;
        Param<Bytes> capacity {
            1_GiB,
            {1_KiB, Bytes {std::int64_t {1} << 38}},
            "Capacity of this controller's blocks, without the tables behind the blocks",
            multiple_of(4_KiB),
            example_value()};
        Param<unsigned> channels {
            1, {1, 4096}, "Controllers over which addresses are interleaved", from_wiring()};
        Param<unsigned> channel {0,
                                 {0, 4095},
                                 "Index of this controller among those that share the addresses",
                                 from_wiring()};
        Param<Bytes> interleave {256_B,
                                 {128_B, 1_GiB},
                                 "Interleaving chunk of addresses for one controller",
                                 multiple_of(128_B),
                                 cited("GPGPU-Sim, SM75_RTX2060/gpgpusim.config: dramid@8")};
        Param<unsigned> slices {
            0, {0, 64}, "Caches above, from which sectors may be copied", from_wiring()};
        Param<Frequency> clock {1.365_GHz,
                                {1_MHz, 100_GHz},
                                "Clock of the unit (that of the SMs)",
                                stated("CMD table II: 1365 MHz")};
        Param<unsigned> table_cycles {
            20, {0, 10000}, "Cycles of a look-up in a table's cache", stated("CMD table II")};
        Param<unsigned> hash_entries {2224,
                                      {1, 1u << 24},
                                      "References in the hash store (48 KB of 22 bytes)",
                                      inferred("CMD IV-E: 48 KB of entries of 22 bytes")};
        Param<bool> exact {false, "Hash store without a capacity limit", switched_off()};
        Param<unsigned> hash_ways {
            16, {0, 4096}, "Ways of the hash store (0: fully associative)", assumed()};
        Param<bool> whole_tables {false, "Read type, mask and map at the same time (sweep)",
                                  inferred("CMD IV: the map is read once the read type is known")};
        Param<bool> sectors_alone {
            false,
            "Equation 1 compares whole sectors: bytes missing in a partly written sector are "
            "available without a read (sweep)",
            assumed("equation 1 names sectors; a partly written one is read, too")};
        Param<unsigned> reads {
            64, {1, 4096}, "Outstanding reads", assumed("those of the controller")};
        Param<unsigned> writes {
            96,
            {1, 4096},
            "Outstanding writes: a hash queue of 32 and the 57 of a pipelined unit",
            assumed()};
        Param<unsigned> donor_tries {
            8,
            {1, 1u << 20},
            "Pieces of type flags that a search for a donor reads before it tries a block "
            "whose data lie in the written block's place",
            assumed("no source gives it; range to 2^20: all pieces")};
        Param<unsigned> queue {
            16, {1, 65536}, "Requests queued or in flight to this component", queue_places()};
        Param<unsigned> outstanding {
            256, {1, 65536}, "Outstanding requests to memory", queue_places()};
        MetadataParams metadata;
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>}, "Requests from the L2"};
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "The memory controller"};
        Many<Requester<Mem>> caches {from<&Params::slices>,
                                     {.depth = from<&Params::queue>},
                                     "L2 slices for look-ups of sectors; no messages are sent"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads received"};
        Counter writes {Unit::count, "Writes received (blocks written back)"};
        ReadingStats reading;
        ReadClassStats read_classes;
        WritingStats writing;
        PlacementStats placement;
        MetadataStats metadata;
        PackingStats packing;
    };
    struct State {
        Policy<Detector> detector;
        Policy<Compressor> compressor;
        PlacementState placement;
        MetadataState metadata;
        JobsState jobs;
        Fifo<protocol::MemRequest> out;        ///< to memory, in order
        device_parts::SectorStore stores;      ///< the program's last stores
        std::vector<std::uint8_t> read_counts; ///< of read-only blocks
        Tick hash_free = 0; ///< time at which the hash unit accepts the next block
    };

    explicit Deduplicator(const Params& p) : params(p) {}
    void init() override;
    void start() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override;
    std::optional<std::string> imbalance() const override;
    std::vector<MemoryUse> memory_uses() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::Traffic traffic(const PortBase&, unsigned hops) const override {
        return {protocol::traffic_to(port.cpu_side, hops).share, block_bytes, this};
    }

    struct JobId {
        std::uint32_t job = 0;
    };
    void waited(const JobId& id);

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void perform(std::uint32_t id, const Actions& actions);
    void perform(std::uint32_t id, const action::Look& a) { look(id, a.table, a.block); }
    void perform(std::uint32_t id, const action::Wait& a) { wait(id, a.cycles); }
    void perform(std::uint32_t id, const action::Hash& a);
    void perform(std::uint32_t id, const action::Fetch& a);
    void perform(std::uint32_t id, const action::Change& a);
    void perform(std::uint32_t id, const action::Store& a);
    void perform(std::uint32_t, const action::Begin& a) { begin(a.job); }
    void perform(std::uint32_t id, const action::Finish&) { finish(id); }
    void look(std::uint32_t id, Table table, std::uint32_t block);
    void wait(std::uint32_t id, unsigned cycles);
    void begin(std::uint32_t id);
    void finish(std::uint32_t id);

    bool passes() const { return !scheme_.deduplicates() && !packing_->compresses(); }
    void check_params() const;
    void check_memory(std::uint32_t blocks) const;
    bool accept(const protocol::MemRequest& r);
    void pass_write(std::uint32_t block);
    void come_back(const protocol::MemResponse& r);
    void later(std::uint32_t id, Tick time);
    void answer_read(std::uint32_t id);
    void drain();

    std::optional<CachesAbove> caches_;
    Scheme scheme_;
    BlockMap map_;
    std::array<TableLayout, tables> layout_ {};
    std::optional<Clock> clock_;
    std::optional<Metadata> metadata_;
    std::optional<Placement> placement_;
    std::optional<Packing> packing_;
    std::optional<BlockMemory> memory_;
    std::optional<Jobs> jobs_;
    std::optional<ReadClasses> read_classes_;
    std::optional<Reading> reading_;
    std::optional<Writing> writing_;
    std::optional<StoreOrder> order_;
    std::optional<JobContents> contents_;
    std::optional<HostAccess> host_;
};

} // namespace memsim::cmd
