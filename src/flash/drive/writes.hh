#pragma once

#include "core/declare/stats.hh"
#include "flash/drive/back_end.hh"
#include "flash/drive/commands.hh"
#include "flash/drive/dram.hh"
#include "flash/drive/page_cache.hh"

#include <functional>

namespace memsim::flash {

/// Writes and flushes on their way: into the cache, as far as the write buffer has room, and from
/// there to the flash. No write passes a flush, which is done when all that was written is in the
/// flash. A part.
class DriveWrites {
  public:
    struct Config {
        std::uint32_t page_sectors = 0;
        std::uint64_t buffer = 0;      ///< sectors that are dirty or on their way, at most
        std::uint32_t dirty_pages = 0; ///< so many stay in the cache
    };
    struct Parts { ///< all outlive it
        Fifo<std::uint32_t>& waiting;
        DriveCommands& commands;
        PageCache& cache;
        DriveContents& contents;
        DriveDram& dram;
        DriveBackEnd& back_end;
        Contents& records;
        Counter& buffer_waits;
    };
    /// `flushed`: a flush is done.
    DriveWrites(const Config& figures, const Parts& parts,
                std::function<void(std::uint32_t command)> flushed)
        : f_(figures), of_(parts), flushed_(std::move(flushed)) {}

    /// A write or a flush, which waits for its turn.
    void add(std::uint32_t command);
    std::uint32_t count() const { return of_.waiting.size(); }
    /// Takes what there is room for.
    void take(Tick now);
    /// Sends dirty pages on their way, first written first; hot ones when their place is needed, or
    /// a flush waits.
    void destage();

  private:
    bool is_flush(std::uint32_t c) const {
        return of_.commands[c].request.op == protocol::BlockOp::flush;
    }
    bool take_write(std::uint32_t command, Tick now);

    const Config f_;
    const Parts of_;
    std::function<void(std::uint32_t)> flushed_;
};

} // namespace memsim::flash
