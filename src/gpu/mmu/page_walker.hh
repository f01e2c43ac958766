#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "gpu/mmu/page_map.hh"
#include "protocol/mem.hh"

namespace memsim::gpu {

using namespace memsim::literals;

struct WalkerParams {
    using group = void;
    Param<Bytes> table_memory {
        16_MiB, {1_KiB, 1_GiB}, "Device memory for page tables", example_value()};
    Param<Bytes> table_base {Bytes {std::int64_t {1} << 40},
                             "First address of the memory for page tables", example_value()};
    Param<Bytes> table_entry {8_B,
                              {1_B, 128_B},
                              "Size of a page-table entry",
                              cited("Intel SDM, volume 3, section 4.5: entries of 64 bits")};
    Param<unsigned> leaf_entries {512,
                                  {1, 1u << 20},
                                  "Pages mapped by a leaf table",
                                  cited("Intel SDM, volume 3, section 4.5: tables of 512 entries")};
    Param<Bytes> walk_read {32_B,
                            {1_B, 128_B},
                            "Bytes read by a walker for an entry: a sector",
                            assumed("a sector of the L2")};
    Param<unsigned> walkers {32, {1, 4096}, "Walker threads", stated("ZnG table I; Power et al.")};
    Param<unsigned> walk_cache {
        1024,
        {0, 1 << 20},
        "Root entries of the walk cache",
        assumed("8 KiB of 8 B, in the range of Power et al., HPCA'14; not looked up")};
    Param<unsigned> walk_cache_ways {
        16, {1, 65536}, "Root entries of a set of the walk cache", assumed()};
    Param<PolicyName<device_parts::TagPolicy>> walk_cache_replacement {
        "lru", "Policy that selects the root entry of a set of the walk cache to evict",
        usual_policy()};
};

struct WalkerStats {
    using group = void;
    Counter walks {Unit::count, "Walks started"};
    Counter walk_reads {Unit::count, "Reads of page-table entries"};
    Counter walk_cache_hits {Unit::count, "Root entries found in the walk cache"};
    Level walking {Unit::count, "Walker threads in use"};
};

/// The walker threads of an MMU and their walk cache. A thread reads the root's entry of a page,
/// unless the walk cache has it, and then the leaf's. It is assigned to its walk until it is
/// released. A value for State.
class PageWalker {
  public:
    static constexpr std::string_view archived_as = "PageWalker";
    template <class Archive>
    void archive(Archive& a) {
        a(threads_), a(free_), a(reading_), a(roots_);
        if constexpr (Loading<Archive>)
            for (std::uint32_t i = 0; i < reading_.size(); ++i)
                a.check(reading_[i] < threads_.size(), "reads for a thread that does not exist");
    }

    /// Refuses parameters of `owner` for which the pages have no page tables.
    void init(const Component& owner, const WalkerParams& p, const PlacementParams& pages);

    bool idle() const { return !free_.empty(); }
    std::uint32_t busy() const {
        return static_cast<std::uint32_t>(threads_.size() - free_.size());
    }
    /// Assigns a walk to an idle thread. Returns the thread's number.
    std::uint32_t start(std::uint32_t walk, std::uint64_t key, Tick now, WalkerStats& stat);
    /// The next read of a thread, by its tag.
    bool has_read() const { return !reading_.empty(); }
    protocol::MemRequest take_read(WalkerStats& stat);
    /// The read of a thread has completed. Returns its walk if that was the leaf's entry.
    std::optional<std::uint32_t> entry_read(std::uint32_t thread);
    void release(std::uint32_t thread, Tick now, WalkerStats& stat);

    void check_loaded(Loader& l, std::size_t walks) const {
        for (const Thread& t : threads_) l.index("walker.walk", t.walk, walks);
    }

  private:
    struct Thread {
        std::uint64_t key = 0;
        std::uint32_t walk = 0;
        bool leaf = false; ///< the leaf's entry is being read
    };

    std::vector<Thread> threads_;
    FreeList free_;
    Fifo<std::uint32_t> reading_; ///< threads whose read was not sent
    TlbArray roots_;              ///< the walk cache: leaf tables by application and number
    PageTable table_;
    std::uint32_t read_bytes_ = 32;
};

} // namespace memsim::gpu
