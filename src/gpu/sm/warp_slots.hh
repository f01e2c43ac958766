#pragma once

#include "gpu/sm/scoreboard.hh"

#include <algorithm>

namespace memsim::gpu {

/// A warp on an SM.
struct Warp {
    bool live = false;
    bool exited = false;
    std::uint8_t block = 0; ///< slot of its block
    Scoreboard results;
    std::uint64_t age = 0; ///< order of arrival
    std::uint64_t position = 0;
    std::vector<std::uint8_t> stream;
};

/// The warp slots of an SM. A value for State.
class WarpSlots {
  public:
    static constexpr std::string_view archived_as = "WarpSlots";
    using Element = Warp;
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    template <class Archive>
    void archive(Archive& a) {
        a(warps_), a(arrivals_);
    }

    void resize(std::uint32_t slots) { warps_.resize(slots); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(warps_.size()); }
    Warp& operator[](std::uint32_t slot) { return warps_[slot]; }
    const Warp& operator[](std::uint32_t slot) const { return warps_[slot]; }

    /// Places a warp in the lowest free slot from this one on and exchanges its stream for the
    /// former one's. Returns the slot, or none if all are in use.
    std::uint32_t place(std::uint32_t from, std::uint32_t block,
                        std::vector<std::uint8_t>& stream) {
        std::uint32_t slot = from;
        while (slot < warps_.size() && warps_[slot].live) ++slot;
        if (slot == warps_.size()) return none;
        Warp& warp = warps_[slot];
        warp.live = true;
        warp.exited = false;
        warp.block = static_cast<std::uint8_t>(block);
        warp.results.clear();
        warp.age = arrivals_++;
        warp.position = 0;
        warp.stream.swap(stream);
        return slot;
    }
    void leave(std::uint32_t slot) {
        warps_[slot].live = false;
        warps_[slot].stream.clear();
    }
    std::uint64_t live() const {
        return static_cast<std::uint64_t>(std::ranges::count(warps_, true, &Warp::live));
    }
    /// Warps that have outstanding results.
    std::uint64_t waiting() const {
        std::uint64_t n = 0;
        for (const Warp& w : warps_) n += w.live && w.results.outstanding;
        return n;
    }
    void check_loaded(Loader& l, std::size_t blocks) const {
        for (const Warp& warp : warps_) {
            l.index("warps.block", warp.block, blocks);
            l.index("warps.latest", warp.results.latest, Scoreboard::places);
        }
    }

  private:
    std::vector<Warp> warps_;
    std::uint64_t arrivals_ = 0;
};

} // namespace memsim::gpu
