#pragma once

#include "workload/simt/lanes.hh"

#include <cstring>
#include <vector>

/// Asynchronous copies to shared memory. Their data are in the array after the wait for them: a
/// kernel that reads earlier gets the former contents.
namespace memsim::workload {

/// Data of copies that no warp has waited for.
class PendingData {
  public:
    void add(void* to, const void* from, u32 bytes) {
        pieces_.push_back({to, data_.size(), bytes});
        const auto* first = static_cast<const u8*>(from);
        data_.insert(data_.end(), first, first + bytes);
    }
    /// The same from this address of an array.
    template <class From>
    void add_from(const From& from, u64 address, void* to, u32 bytes) {
        add(to, reinterpret_cast<const u8*>(from.data) + (address - from.base), bytes);
    }
    /// Writes the data to shared memory.
    void write() {
        for (const Piece& p : pieces_) std::memcpy(p.to, &data_[p.at], p.bytes);
        pieces_.clear();
        data_.clear();
    }

  private:
    struct Piece {
        void* to;
        std::size_t at;
        u32 bytes;
    };
    std::vector<Piece> pieces_;
    std::vector<u8> data_;
};

/// Shape of a lane's copy: 4, 8 or 16 bytes. `plus` and `to_plus` are constants added to the
/// indices at no cost.
struct CopyShape {
    u32 elements = 1; ///< neighbouring ones of each lane
    u32 plus = 0;     ///< to the index in device memory
    u32 to_plus = 0;  ///< to the index in shared memory

    template <class T>
    u32 bytes() const {
        const auto width = static_cast<u32>(sizeof(T)) * elements;
        MEMSIM_ASSERT(width == 4 || width == 8 || width == 16, "a lane copies 4, 8 or 16 bytes");
        return width;
    }
};

/// Shape of a bulk copy, in elements.
struct TileShape {
    u32 rows = 1, columns = 0;
    u32 pitch = 0;    ///< from a row to the next in device memory
    u32 to_pitch = 0; ///< in shared memory
};

/// A transaction barrier (mbarrier) of a block: counts the bytes of bulk copies and the arrivals of
/// threads.
struct TransactionBarrier {
    u32 number = 0;
    gpu_program::BarrierProgress expected; ///< by all copies and arrivals so far
    PendingData pending;

    /// Adds a tile of the array `from` to the data and bytes of which it waits.
    template <class To, class From>
    gpu_program::TileCopy expect(const To& to, u32 place, const From& from, u64 index,
                                 const TileShape& tile) {
        constexpr u64 of_element = sizeof(*from.data);
        const auto row_bytes = static_cast<u32>(of_element * tile.columns);
        const u64 address = from.base + of_element * index, pitch = of_element * tile.pitch;
        MEMSIM_ASSERT(row_bytes % 16 == 0 && address % 16 == 0 && pitch % 16 == 0,
                      "rows of a bulk copy are multiples of 16 bytes");
        MEMSIM_ASSERT(index + u64 {tile.rows - 1} * tile.pitch + tile.columns <= from.size &&
                          place + (tile.rows - 1) * tile.to_pitch + tile.columns <= to.size,
                      "a kernel copies past the end of an array");
        for (u32 r = 0; r < tile.rows; ++r)
            pending.add(&to.data[place + r * tile.to_pitch],
                        &from.data[index + u64 {r} * tile.pitch], row_bytes);
        expected.bytes += u64 {row_bytes} * tile.rows;
        return {address, pitch, row_bytes, tile.rows, number};
    }
};

/// The part of a warp's stream that waits for copies.
class CopyFlow : public Flow {
  public:
    using Flow::Flow;

    /// Ends a group of copies (cp.async.commit_group).
    void commit_copies() {
        use(1, 0);
        groups_.push_back(std::exchange(group_, {}));
    }
    /// Waits for all groups of the warp's copies but the last `n` (cp.async.wait_group n). Other
    /// warps see the data after a barrier of the block.
    void wait_copies(u32 n) {
        u64 waits = 0;
        for (; groups_.size() > n; groups_.erase(groups_.begin())) {
            waits |= open(groups_.front().results);
            groups_.front().data.write();
        }
        use(1, waits);
    }
    /// The active threads arrive at the barrier when these operands are available.
    template <class... Operands>
    void arrive(TransactionBarrier& barrier, const Operands&... operands) {
        stream_.arrive(active_, barrier.number, take((u64 {0} | ... | open(operands.needs))));
        barrier.expected.arrivals += static_cast<u64>(std::popcount(active_));
    }
    /// Waits until the bytes of all copies that the block has started with this barrier, and all
    /// threads that the block's code has let arrive so far, have arrived.
    void wait_barrier(TransactionBarrier& barrier) {
        barrier.pending.write();
        stream_.await(active_, barrier.number, barrier.expected, take(0));
    }

  protected:
    struct Group {
        Needs results;
        PendingData data;
    };
    /// Writes the copies of the active lanes as one operation of the open group.
    void copy_lanes(u32 pc, u32 width, const gpu_program::WarpStreamWriter::Addresses& address,
                    const Needs& needs) {
        stream_.copy(pc, active_, static_cast<u8>(width), address, take(open(needs)));
        group_.results = group_.results | new_result();
    }

    Group group_; ///< copies that are not committed

  private:
    std::vector<Group> groups_; ///< committed ones, the oldest first
};

} // namespace memsim::workload
