#pragma once

#include "cmd/block_table.hh"
#include "cmd/fingerprint_store.hh"
#include "cmd/hash_store.hh"
#include "cmd/metadata.hh"
#include "cmd/packing.hh"
#include "core/clock.hh"
#include "core/free_list.hh"
#include "core/functional.hh"
#include "parts/interleave.hh"
#include "parts/sector_store.hh"
#include "protocol/mem.hh"
#include "protocol/probe.hh"

#include <optional>

namespace memsim::cmd {

using protocol::Mem;

/// How blocks with equal data are found.
enum class Detection : std::uint8_t {
    none, ///< they are not
    md5,  ///< a strong hash, whose equality is taken for that of the data
    ecc   ///< a weak fingerprint that costs no time; the reference is read and compared (ESD)
};
constexpr std::array<std::string_view, 3> names_of(Detection) { return {"none", "md5", "ecc"}; }

/// Where the data of an intra-duplicate are.
enum class IntraData : std::uint8_t {
    nowhere, ///< intra-duplicates are blocks as all others
    map,     ///< in the block's map entry (CMD IV-B)
    block    ///< one block in memory for each value; found without a hash
};
constexpr std::array<std::string_view, 3> names_of(IntraData) {
    return {"nowhere", "map", "block"};
}

/// In front of a memory controller: removes the writes of blocks whose data memory has already, and
/// reads of them (CMD, section IV). What it is in front of keeps blocks of 128 bytes, and, on top
/// of them, the tables.
///
/// A write takes the block's type, mask and map entry, reads what it does not cover (equation 1),
/// and looks whether all words are equal; else it is hashed and looked up in the hash store. A
/// duplicate is mapped to its reference and not written. What is no duplicate goes to the block's
/// own place or, if others are mapped to that, to the place of a donor: a whole block of type 01 or
/// 10 whose own place holds nothing, found by its type flag. A block that leaves a place with
/// others takes all of its sectors along, so it is whole from then on.
/// A read takes the type first and, if there is need, map entry and mask. Sectors outside of the
/// mask are read in the block's own place, all others where they are: the map entry, the L2's line
/// of the reference if it is clean and that block is still its own, or memory.
/// Requests for one block go in order, reads of it side by side.
///
/// With detection=none and intra=nowhere it passes everything on, and counts it by class.
/// Precondition: a request lies within a block. Not modelled: the width of its ports, contention of
/// look-ups in the L2 with the L2's own.
class Deduplicator final : public Model<Deduplicator>, public Functional {
  public:
    struct Params {
        Param<Detection> detection {Detection::md5, "How equal blocks are found"};
        Param<IntraData> intra {IntraData::map, "Where the data of intra-duplicates are"};
        Param<bool> assisted_read {true, "Inter-duplicates are copied from the L2 (CMD IV-C)"};
        Param<Bytes> capacity {1_GiB,
                               {1_KiB, Bytes {std::int64_t {1} << 38}},
                               "Of this controller's blocks; the tables lie behind them",
                               multiple_of(4_KiB)};
        Param<unsigned> channels {1, {1, 4096}, "Controllers that the addresses are spread over"};
        Param<unsigned> channel {0, {0, 4095}, "Which of them this is"};
        Param<Bytes> interleave {
            256_B, {128_B, 1_GiB}, "Chunk of addresses that is one's", multiple_of(128_B)};
        Param<unsigned> slices {0, {0, 64}, "Caches above, whose lines it may copy"};
        Param<Frequency> clock {1.365_GHz, {1_MHz, 100_GHz}, "Of the cycles below: the SMs'"};
        Param<unsigned> table_cycles {20, {0, 10000}, "Of a look into a table's cache (Table II)"};
        Param<unsigned> copy_cycles {
            20, {0, 10000}, "To look for a sector in the L2 and copy it (assumption; sweep 10-60)"};
        Param<unsigned> round_cycles {
            76, {0, 10000}, "Of MD5 for 64 bytes (CMD IV-E: 228 for 128 bytes, three rounds)"};
        Param<unsigned> hash_interval {
            4,
            {0, 10000},
            "From one block that is hashed to the next (assumption: pipelined; sweep to 228)"};
        Param<unsigned> hash_entries {
            2224, {0, 1u << 24}, "References that are known (48 KB of 22 bytes); 0: no limit"};
        Param<unsigned> hash_ways {16, {1, 4096}, "Of the hash store (assumption)"};
        Param<bool> whole_tables {false, "Type, mask and map are asked for at once (sweep)"};
        Param<unsigned> reads {64, {1, 4096}, "Reads under way (assumption: as the controller's)"};
        Param<unsigned> writes {96,
                                {1, 4096},
                                "Writes under way: a hash queue of 32 and what a pipelined unit "
                                "holds, 57 (assumption)"};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to it"};
        Param<unsigned> outstanding {256, {1, 65536}, "Requests to memory without an answer"};
        MetadataParams metadata;
        PackingParams packing;
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>}, "Requests of the L2"};
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "The memory controller"};
        Many<Requester<Mem>> caches {from<&Params::slices>,
                                     {.depth = from<&Params::queue>},
                                     "The L2's slices, to look for sectors; nothing is sent"};
    };
    struct Stats {
        Counter write_requests {Unit::count, "Writes of data to memory"};
        Counter data_reads {Unit::count, "Reads from memory of blocks that were written back"};
        Counter read_only_reads {Unit::count, "Reads from memory of blocks that never were"};
        Counter dedup_reads {Unit::count, "Reads from memory for writes that cover too little"};
        Counter verify_reads {Unit::count, "Reads from memory to compare a reference"};
        Counter reads {Unit::count, "Reads that came"};
        Counter writes {Unit::count, "Writes that came: blocks that were written back"};
        Counter intra {Unit::count, "Of them intra-duplicates"};
        Counter inter {Unit::count, "Of them blocks mapped to a reference, and not written"};
        Counter silent {Unit::count, "Of these, those that were mapped to it already"};
        Counter uncounted {Unit::count, "Duplicates written: the reference's count is full"};
        Counter unlisted {Unit::count, "Blocks written whose hash found no room in the store"};
        Counter collisions {Unit::count, "References of equal fingerprint and other data"};
        Counter hashed {Unit::count, "Blocks hashed"};
        Counter forgotten {Unit::count, "References that made room in the hash store"};
        Counter borrowed {Unit::count, "Blocks that went to the place of a donor"};
        Counter groups_searched {Unit::count, "Pieces of type flags read to find donors"};
        Counter brought_home {Unit::count, "Blocks brought home, as there was no donor"};
        Counter intra_sectors {Unit::count, "Sectors read that came from map entries"};
        Counter copied_sectors {Unit::count, "Sectors read that were copied from the L2"};
        Counter looked_sectors {Unit::count, "Sectors that were looked for in the L2"};
        Counter reached_1 {Unit::count, "Read-only blocks read from memory"};
        Counter reached_2 {Unit::count, "Of them twice at least"};
        Counter reached_3 {Unit::count, "Of them three times at least"};
        Counter reached_6 {Unit::count, "Of them six times at least"};
        Counter reached_11 {Unit::count, "Of them 11 times at least"};
        Counter reached_21 {Unit::count, "Of them 21 times at least"};
        MetadataStats metadata;
        PackingStats packing;
    };
    /// What a request waits for next.
    enum class Step : std::uint8_t {
        type,      ///< the type flag
        map,       ///< map entry and mask
        reference, ///< the reference's type flag, before the L2 is looked into
        copy,      ///< the look into the L2
        data,      ///< the sectors of a read
        old,       ///< what a write does not cover
        hash,      ///< the digest
        verified,  ///< the reference's data
        donor,     ///< the type flags of 128 blocks
        packed,    ///< the encoder
        passed     ///< an answer from memory that is passed on
    };
    struct Job {
        protocol::MemRequest request; ///< as it came
        std::uint64_t number = 0;     ///< in the order of arrival
        std::uint32_t block = 0;
        std::uint32_t place = 0; ///< of a reference: that is compared, or looked for in the L2
        std::uint32_t group = 0; ///< of blocks, where a donor is looked for
        std::uint32_t groups_left = 0;
        Step step = Step::type;
        bool active = false;
        bool write = false;
        bool moves = false;       ///< it brings what another memory held
        bool coded = false;       ///< `other` gets the code of a block
        bool homeward = false;    ///< no request's: its data go to its own place
        std::uint8_t before = 0;  ///< older ones of the same block that it waits for
        std::uint8_t waits = 0;   ///< looks and reads under way
        std::uint8_t sectors = 0; ///< that the request names
        std::uint8_t mask = 0;    ///< of a write: the block's from now on
        std::uint8_t missing = 0; ///< sectors to be found in the L2
        std::uint8_t awaited = 0; ///< sectors that an answer of memory will bring
        Reference::Digest digest {};
    };
    using Sectors = std::array<SectorBytes, block_sectors>;
    struct JobData {
        Sectors own;
        Sectors other; ///< of the reference that is compared
    };
    struct State {
        BlockTable table;
        HashStore store;               ///< of a strong hash
        FingerprintStore fingerprints; ///< of a weak one
        PackingState packing;
        MetadataState metadata;
        std::vector<Job> jobs; ///< reads, then writes, then those that go home
        std::vector<JobData> data;
        FreeList free_reads, free_writes, free_homeward;
        std::uint64_t arrived = 0;
        Fifo<protocol::MemRequest> out; ///< to memory, in order
        parts::SectorStore stores;      ///< the place of each byte's store in the program's order
        std::vector<std::uint8_t> read_counts; ///< of read-only blocks, up to 21
        Tick hash_free = 0;                    ///< when the hash unit takes the next block
    };

    explicit Deduplicator(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override;
    std::optional<std::string> imbalance() const override;
    std::vector<MemoryUse> memory_uses() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    struct JobId {
        std::uint32_t job = 0;
    };
    void waited(const JobId& id);

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool deduplicates() const {
        return params.detection != Detection::none || params.intra != IntraData::nowhere;
    }
    bool passes() const { return !deduplicates() && !packing_->compresses(); }
    /// Calls f with the store of references.
    template <class F>
    auto store(F&& f) const {
        return params.detection == Detection::ecc ? f(state.fingerprints) : f(state.store);
    }
    template <class F>
    auto store(F&& f) {
        return params.detection == Detection::ecc ? f(state.fingerprints) : f(state.store);
    }
    const Reference* find(const Job& j) const {
        return store([&](auto& s) { return s.find(j.digest, j.mask); });
    }
    bool accept(const protocol::MemRequest& r);
    void take_data(std::uint32_t id);
    void merge_data(std::uint32_t id);
    void begin(std::uint32_t id);
    void step(std::uint32_t id);
    void step_read(std::uint32_t id, Job& j);
    void step_write(std::uint32_t id, Job& j);
    void come_back(const protocol::MemResponse& r);
    void drain();

    // Reads.
    void find_sectors(std::uint32_t id, Job& j);
    void copy_from_caches(std::uint32_t id, Job& j);
    void answer_read(std::uint32_t id, Job& j);

    // Writes.
    void complete(std::uint32_t id, Job& j);
    void detect(std::uint32_t id, Job& j);
    void commit(std::uint32_t id, Job& j);
    void join(std::uint32_t id, Job& j, std::uint32_t place);
    void pack(std::uint32_t id, Job& j);
    void settle(std::uint32_t id, Job& j);
    void expand(std::uint32_t id, Job& j);
    void write_below(std::uint32_t id, const Job& j, std::uint32_t place);
    void put_down(std::uint32_t id, Job& j, std::uint32_t place);
    std::uint32_t next_to_bring_home(std::uint32_t except, std::uint32_t from) const;
    bool bring_somebody_home(std::uint32_t id, const Job& j);
    void leave(std::uint32_t block);
    void finish(std::uint32_t id);
    bool must_be_whole(const Job& j) const {
        return j.mask != all_sectors && state.table.type(j.block) == BlockType::own &&
               state.table.shared(j.block);
    }

    // Time, memory, bytes.
    void look(std::uint32_t id, Table table, std::uint32_t block);
    void wait(std::uint32_t id, unsigned cycles);
    void arrived(std::uint32_t id) { after<&Deduplicator::waited>(Time {1}, {id}); }
    void fetch(std::uint32_t id, std::uint32_t place, std::uint32_t sectors, Counter& counter);
    Counter& read_class(std::uint32_t block);
    void send(protocol::MemRequest r) { state.out.push(r); }
    std::uint64_t address(std::uint64_t block) const {
        return map_.address(params.channel, block * block_bytes);
    }
    std::uint64_t block_of(const protocol::MemRequest& r) const {
        return map_.within(r.address) / block_bytes;
    }
    bool is_ours(const protocol::MemRequest& r) const;
    protocol::MemRequest over(std::uint64_t block, std::uint32_t sectors) const;
    Block bytes_of(const Job& j);
    void read_functional(std::uint32_t block, std::uint32_t sector, SectorBytes& to);
    std::uint32_t free_place_functional(std::uint32_t block);
    void write_functional(std::uint32_t block, std::uint32_t sector, FunctionalAccess& access);
    BlockBytes block_below(std::uint32_t place);
    void unpack_functional(std::uint32_t place);
    void look_below(std::uint32_t place, std::uint32_t sector, bool write, SectorBytes& data);

    parts::Interleave map_;
    std::array<TableLayout, tables> layout_ {};
    std::optional<Metadata> metadata_;
    std::optional<Packing> packing_;
    std::optional<Clock> clock_;
    BlockBytes block_ {};
};

} // namespace memsim::cmd
