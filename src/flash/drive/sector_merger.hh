#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "core/state/hash_map.hh"
#include "protocol/block_size.hh"

namespace memsim::flash {

using namespace memsim::literals;

/// Adapts requests in blocks smaller than 512 bytes to a drive with sectors of 512 bytes.
///
/// Models        For a read it requests the sectors that contain the blocks, and returns the
///               blocks. A write lies within one group, which is a sector or an aligned range of
///               sectors. The rest of the group is read first, and the whole group is then written
///               by one request. Writes that arrive for the group before it is written are merged
///               into that request; later ones are written together when the drive has answered.
///               A flush is forwarded when all earlier writes are complete.
/// Ordering      A request sees all requests that were answered before it arrived. Concurrent
///               requests may execute in any order, but none overtakes a flush that waits.
/// Not modelled  The time of merging.
class SectorMerger final : public Model<SectorMerger>,
                           public Functional,
                           public protocol::HasBlockSize {
  public:
    struct Params {
        Param<Bytes> block {256_B,
                            {32_B, 256_B},
                            "Size of a block, the unit of requests",
                            power_of_two(),
                            example_value()};
        Param<Bytes> group {512_B,
                            {512_B, 16_KiB},
                            "Aligned range of the drive that is written as a whole, such as a "
                            "flash page; at most 64 blocks",
                            power_of_two(),
                            example_value()};
        Param<unsigned> queue {
            64, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
        Param<unsigned> jobs {
            128, {1, 65535}, "Requests accepted and not answered", queue_places()};
    };
    struct Ports {
        Responder<protocol::BlockIo> requests {{.depth = from<&Params::queue>},
                                               "Requests for blocks"};
        Requester<protocol::BlockIo> drive {{.depth = from<&Params::jobs>}, "Requests for sectors"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads answered"};
        Counter writes {Unit::count, "Writes answered"};
        Counter merge_reads {Unit::count, "Groups read to complete a write"};
        Counter joined {Unit::count, "Writes merged with another write of their group"};
        Counter waits {Unit::count, "Groups that waited until their previous write had completed"};
        Counter drive_bytes {Unit::byte, "Bytes requested from the drive by reads and writes"};
    };

    static constexpr std::uint32_t none = ~0u;
    enum class Kind : std::uint8_t { none, pass, read_rest, write };
    /// A request, or one merged with another of its group; then it is in the list of that one.
    struct Job {
        Kind kind = Kind::none;
        protocol::BlockRequest request;
        std::uint64_t blocks = 0;  ///< of a group being merged: the written blocks
        std::uint32_t next = none; ///< next merged request
        Contents::Id contents;     ///< of the group, without the drive's bytes
    };
    struct State {
        std::vector<Job> jobs; ///< by tag
        FreeList free;
        Fifo<std::uint32_t> to_drive;
        Fifo<std::uint32_t> done;
        HashMap<std::uint32_t> merging; ///< the current job, by group
        HashMap<std::uint32_t> behind;  ///< the next job, by group
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

    std::uint32_t ratio_ = 2;  ///< blocks in a sector
    std::uint32_t blocks_ = 2; ///< blocks in a group
    std::uint32_t pieces_ = 8; ///< pieces of 32 bytes in a block
};

} // namespace memsim::flash
