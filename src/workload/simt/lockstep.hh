#pragma once

#include "gpu_program/warp_stream.hh"

#include <vector>

namespace memsim::workload {

using gpu_program::u32;
using gpu_program::u64;
using gpu_program::u8;

/// The decoded streams of a work-group's warps: by warp, its operations between barriers.
class GroupOperations {
  public:
    struct Operation {
        gpu_program::WarpOp op;
        u32 result = 0; ///< its number among the results of its warp, from 1; 0: none
    };
    using Phase = std::vector<Operation>; ///< of one warp

    void decode(const std::vector<std::vector<u8>>& warps);
    u32 warps() const { return static_cast<u32>(phases_.size()); }
    u32 phases() const;
    const Phase* phase(u32 warp, u32 number) const {
        return number < phases_[warp].size() ? &phases_[warp][number] : nullptr;
    }
    /// Bit i: thread i of the warp executes an operation.
    u32 threads(u32 warp) const { return threads_[warp]; }

  private:
    std::vector<std::vector<Phase>> phases_; ///< by warp
    std::vector<u32> threads_;
};

/// Executes work-items of different work-groups in lockstep, one per lane, and appends to a stream.
/// Lanes whose next operations are equal issue together. Otherwise compute instructions issue
/// first, followed by the access with the lowest program address, so that lanes reconverge after a
/// loop or a branch.
class Lockstep {
  public:
    Lockstep(gpu_program::WarpStreamWriter& writer, u32 lanes) : writer_(writer), lanes_(lanes) {}

    /// Runs thread `thread` of this phase in a lane; a null phase executes nothing.
    struct Item {
        const GroupOperations::Phase* phase = nullptr;
        u32 thread = 0;
    };
    /// Runs the items to completion. `overhead`: instructions of the loop over work-items.
    void run(const std::vector<Item>& items, u32 overhead);

  private:
    struct Lane {
        Item item;
        std::size_t next = 0;  ///< operation of the phase
        u32 left = 0;          ///< remaining instructions of the current compute operation; 0: none
        std::vector<u32> made; ///< result number in the stream, by result number in its own warp
    };
    /// The lane's next operation; null at the end.
    static const GroupOperations::Operation* head(Lane& lane);
    u64 waits(const Lane& lane, const GroupOperations::Operation& o) const;
    void compute(u32 lanes);
    void access(u32 lanes);

    gpu_program::WarpStreamWriter& writer_;
    std::vector<Lane> lanes_;
    u32 results_ = 0; ///< in the stream
};

} // namespace memsim::workload
