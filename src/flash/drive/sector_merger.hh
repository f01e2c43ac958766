#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "core/state/hash_map.hh"
#include "protocol/block_size.hh"

namespace memsim::flash {

using namespace memsim::literals;

/// Stands before a drive for whoever moves blocks smaller than the drive's sectors of 512 bytes.
/// Of a read it asks the drive for the sectors that the blocks lie in, and keeps the blocks. A
/// write lies within one group, a sector or an aligned range of sectors. The rest of the group is
/// read first, and the whole group written by one request. Writes that come for the same group
/// before it is written go along; those that come later are written together when the drive has
/// answered. Flushes pass. Order: what was answered before
/// a request came is seen by it; what is under way at the same time may go either way. Not
/// modelled: the time of merging.
class SectorMerger final : public Model<SectorMerger>,
                           public Functional,
                           public protocol::HasBlockSize {
  public:
    struct Params {
        Param<Bytes> block {
            256_B, {32_B, 256_B}, "A block, in which requests count", power_of_two()};
        Param<Bytes> group {
            512_B,
            {512_B, 16_KiB},
            "Aligned range of the drive that is written as a whole, such as a flash "
            "page; at most 64 blocks",
            power_of_two()};
        Param<unsigned> queue {64, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<unsigned> jobs {128, {1, 65535}, "Requests taken and not answered"};
    };
    struct Ports {
        Responder<protocol::BlockIo> requests {{.depth = from<&Params::queue>},
                                               "Requests for blocks"};
        Requester<protocol::BlockIo> drive {{.depth = from<&Params::jobs>}, "Requests for sectors"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads answered"};
        Counter writes {Unit::count, "Writes answered"};
        Counter merge_reads {Unit::count, "Groups read for the rest of what was written"};
        Counter joined {Unit::count, "Writes that went along with another of their group"};
        Counter waits {Unit::count, "Groups that waited until they had been written before"};
        Counter drive_bytes {Unit::byte, "Bytes that the drive was asked to read and write"};
    };

    static constexpr std::uint32_t none = ~0u;
    enum class Kind : std::uint8_t { none, pass, read_rest, write };
    /// A request, or one that goes along with another of its group: then it is in that one's list.
    struct Job {
        Kind kind = Kind::none;
        protocol::BlockRequest request;
        std::uint64_t blocks = 0;  ///< of a group that is merged, those that are written
        std::uint32_t next = none; ///< that goes along
        Contents::Id contents;     ///< of the group, as far as it is not the drive's
    };
    struct State {
        std::vector<Job> jobs; ///< by tag
        FreeList free;
        Fifo<std::uint32_t> to_drive;
        Fifo<std::uint32_t> done;
        HashMap<std::uint32_t> merging; ///< the job, by group
        HashMap<std::uint32_t> behind;  ///< the job that is next, by group
    };

    explicit SectorMerger(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.free.size() != state.jobs.size(); }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    std::uint32_t block_bytes() const override {
        return static_cast<std::uint32_t>(params.block->raw);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool take(const protocol::BlockRequest& r);
    bool take_write(const protocol::BlockRequest& r);
    std::uint32_t create(Kind kind, const protocol::BlockRequest& r);
    void add(Job& merge, const protocol::BlockRequest& r);
    bool send();
    bool answer();
    void answered(const protocol::BlockResponse& r);
    void fill(Job& merge, Contents::Id found);
    Contents::Id cut(const Job& job, Contents::Id found);
    std::uint64_t group_of(const protocol::BlockRequest& r) const { return r.sector / blocks_; }
    void begin_merge(std::uint32_t job);
    static std::uint64_t first_bits(std::uint64_t n) { return ~std::uint64_t {0} >> (64 - n); }

    std::uint32_t ratio_ = 2;  ///< blocks of a sector
    std::uint32_t blocks_ = 2; ///< of a group
    std::uint32_t pieces_ = 8; ///< of 32 bytes, of a block
};

} // namespace memsim::flash
