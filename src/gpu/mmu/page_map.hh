#pragma once

#include "core/kernel/component.hh"
#include "device_parts/sector_store.hh"
#include "device_parts/shuffle.hh"
#include "gpu/mmu/page_table.hh"
#include "gpu/mmu/tlb_array.hh"

namespace memsim::gpu {

using namespace memsim::literals;

struct PlacementParams {
    using group = void;
    Param<Bytes> page {
        4_KiB, {1_KiB, 16_GiB}, "Page size, as in the TLBs", assumed("the usual page of a CPU")};
    Param<unsigned> applications {1, {1, 256}, "Address spaces", from_wiring()};
    Param<Bytes> address_space {1_GiB,
                                {1_KiB, Bytes {std::int64_t {1} << 50}},
                                "Size of an application's virtual address space, from 0",
                                example_value()};
    Param<PagePlacement> placement {PagePlacement::identity, "Initial location of pages",
                                    assumed("physical addresses are the program's")};
    Param<unsigned> partitions {
        1, {1, 65536}, "Equal parts of the memory, for placement=interleaved", from_wiring()};
    Param<Bytes> memory {1_GiB,
                         {1_KiB, Bytes {std::int64_t {1} << 50}},
                         "Size of the device memory for pages",
                         example_value()};
    Param<Bytes> memory_base {0_B, "First address of the memory for pages", example_value()};

    std::uint64_t page_bytes() const { return static_cast<std::uint64_t>(page->raw); }
    std::uint64_t pages() const { ///< of an address space
        return (static_cast<std::uint64_t>(address_space->raw) + page_bytes() - 1) / page_bytes();
    }
    std::uint64_t frames() const { return static_cast<std::uint64_t>(memory->raw) / page_bytes(); }
    std::uint64_t first_frame() const {
        return static_cast<std::uint64_t>(memory_base->raw) / page_bytes();
    }
    bool by_fault() const { return placement() == PagePlacement::faults; }
    /// Refuses a loaded key that is not a page of an address space.
    void check_key(Loader& l, std::string_view field, std::uint64_t key) const {
        l.index(field, application_of(key), applications());
        l.index(field, page_of(key), pages());
    }
};

/// The location of the pages of all address spaces: by the placement, unless they were mapped to
/// another frame later. Sparse: only deviations from the placement need memory. Held applications
/// are not translated. A value for State.
class PageMap {
  public:
    static constexpr std::string_view archived_as = "PageMap";
    template <class Archive>
    void archive(Archive& a) {
        a(mappings_), a(touched_), a(unplaced_), a(holds_);
    }

    /// Refuses parameters of `owner` for which pages would have no location.
    void init(const Component& owner, const PlacementParams& params, std::uint64_t seed);

    /// The frame of a page, if it is mapped.
    std::optional<std::uint64_t> find(std::uint64_t key) const;
    /// Whether the page will receive its frame at its first access, which is still to come.
    bool untouched(std::uint64_t key) const {
        return params_->placement() == PagePlacement::first_touch && !mappings_.find(key);
    }
    /// Assigns the next frame to a page at its first access.
    std::uint64_t touch(std::uint64_t key);
    /// Whether an order removed the page: requests wait until it is mapped again.
    bool unmapped(std::uint64_t key) const {
        const Mapping* m = mappings_.find(key);
        return m && !m->mapped;
    }
    void map(std::uint64_t key, std::uint64_t frame) { mappings_[key] = {frame, true}; }
    void unmap(std::uint64_t key) { mappings_[key] = {find(key).value_or(0), false}; }

    void hold(std::uint16_t application) { ++holds_[application]; }
    /// Returns true if the application is no longer held.
    bool resume(std::uint16_t application) {
        MEMSIM_ASSERT(holds_[application], "an application is resumed that is not held");
        return --holds_[application] == 0;
    }
    bool held(std::uint16_t application) const { return holds_[application]; }

    /// Accesses the contents of pages that were never touched: the program's memory exists before
    /// its pages have frames.
    void functional_untouched(FunctionalAccess& access);
    bool has_contents() const { return !unplaced_.empty(); }

  private:
    struct Mapping {
        std::uint64_t frame = 0;
        bool mapped = false;
    };
    std::optional<std::uint64_t> placed(std::uint64_t key) const;

    HashMap<Mapping> mappings_;
    std::uint64_t touched_ = 0;                       ///< frames assigned by touch()
    std::vector<device_parts::SectorStore> unplaced_; ///< by application
    std::vector<std::uint32_t> holds_;                ///< orders to hold, by application

    const PlacementParams* params_ = nullptr;
    const Component* owner_ = nullptr;
    device_parts::Shuffle shuffled_; ///< frames, for a random placement
};

} // namespace memsim::gpu
