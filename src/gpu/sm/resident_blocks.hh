#pragma once

#include "core/state/archive.hh"
#include "core/state/fifo.hh"
#include "gpu/sm/warp_set.hh"
#include "protocol/dispatch.hh"

namespace memsim::gpu {

/// A block on an SM, and its barrier.
struct ResidentBlock {
    bool live = false;
    std::uint16_t application = 0;
    std::uint32_t launch = 0;
    std::uint32_t number = 0;
    std::uint64_t base = 0;          ///< of its addresses
    std::uint32_t stores_before = 0; ///< stores of its application before it, in program order
    std::uint32_t warps = 0;         ///< warps that still have their slot
    std::uint32_t running = 0;       ///< warps that have not exited
    std::uint32_t arrived = 0;       ///< warps at the barrier
    WarpSet at_barrier;              ///< mask of these warps
    std::uint64_t local = 0;         ///< local_memory.hh: first row of warp slot 0
    std::uint32_t local_warp = 0, local_row = 0; ///< distances of slots and rows

    // Both functions return the warps to release: all that waited, once all running warps have
    // arrived.
    WarpSet arrive(std::uint32_t warp) {
        ++arrived;
        at_barrier.add(warp);
        return passed();
    }
    WarpSet exit() {
        --running;
        return passed();
    }

  private:
    WarpSet passed() {
        if (arrived == 0 || arrived < running) return {};
        arrived = 0;
        return std::exchange(at_barrier, {});
    }
};

/// The block slots of an SM. A value for State.
class ResidentBlocks {
  public:
    static constexpr std::string_view archived_as = "ResidentBlocks";
    using Element = ResidentBlock;
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    template <class Archive>
    void archive(Archive& a) {
        a(blocks_), a(ended_);
    }

    void resize(std::uint32_t slots) { blocks_.resize(slots); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
    ResidentBlock& operator[](std::uint32_t slot) { return blocks_[slot]; }
    const ResidentBlock& operator[](std::uint32_t slot) const { return blocks_[slot]; }
    std::uint32_t live() const {
        std::uint32_t n = 0;
        for (const ResidentBlock& b : blocks_) n += b.live;
        return n;
    }
    /// Places a block in the lowest free slot. Returns the slot, or none if all are in use.
    std::uint32_t place(const protocol::BlockStart& s) {
        std::uint32_t slot = 0;
        while (slot < blocks_.size() && blocks_[slot].live) ++slot;
        if (slot == blocks_.size()) return none;
        ResidentBlock& b = blocks_[slot];
        b = {};
        b.live = true;
        b.application = s.application, b.launch = s.launch, b.number = s.block;
        b.base = s.base, b.stores_before = s.stores_before;
        b.warps = b.running = s.warps;
        b.local = s.local, b.local_warp = s.local_warp, b.local_row = s.local_row;
        return slot;
    }
    /// A warp has released its slot: the block ends with its last one.
    void warp_ended(std::uint32_t slot) {
        if (--blocks_[slot].warps == 0) ended_.push(slot);
    }
    bool any_ended() const { return !ended_.empty(); }
    /// Removes the first ended block; its slot is then free.
    const ResidentBlock& take_ended() {
        ResidentBlock& b = blocks_[ended_.pop()];
        b.live = false;
        return b;
    }
    void check_loaded(Loader& l, std::size_t warps) const {
        for (const ResidentBlock& b : blocks_)
            b.at_barrier.check_loaded(l, "blocks.at_barrier", warps);
        l.indices("blocks.ended", ended_, blocks_.size());
    }

  private:
    std::vector<ResidentBlock> blocks_;
    Fifo<std::uint32_t> ended_; ///< slots whose end was not reported
};

} // namespace memsim::gpu
