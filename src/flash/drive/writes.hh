#pragma once

#include "core/declare/stats.hh"
#include "flash/drive/back_end.hh"
#include "flash/drive/commands.hh"
#include "flash/drive/dram.hh"
#include "flash/drive/page_cache.hh"

#include <functional>

namespace memsim::flash {

/// Writes and flushes in progress: into the cache, as far as the write buffer has space, and from
/// there to the flash. No write overtakes a flush, which completes when all earlier writes are in
/// the flash. A part.
class DriveWrites {
  public:
    struct Config {
        std::uint32_t page_sectors = 0;
        std::uint64_t buffer = 0;      ///< maximum of sectors dirty or being written
        std::uint32_t dirty_pages = 0; ///< kept in the cache
    };
    struct Parts { ///< all outlive DriveWrites
        Fifo<std::uint32_t>& waiting;
        DriveCommands& commands;
        PageCache& cache;
        DriveContents& contents;
        DriveDram& dram;
        DriveBackEnd& back_end;
        Contents& records;
        Counter& buffer_waits;
    };
    /// `flushed`: called when a flush is complete.
    DriveWrites(const Config& figures, const Parts& parts,
                std::function<void(std::uint32_t command)> flushed)
        : config_(figures), of_(parts), flushed_(std::move(flushed)) {}

    /// Queues a write or a flush.
    void add(std::uint32_t command);
    std::uint32_t count() const { return of_.waiting.size(); }
    /// Accepts writes while there is space.
    void accept_waiting(Tick now);
    /// Starts to write dirty pages to the flash, the oldest first; hot pages when their space is
    /// needed or a flush waits.
    void destage();

  private:
    bool is_flush(std::uint32_t c) const {
        return of_.commands[c].request.op == protocol::BlockOp::flush;
    }
    bool take_write(std::uint32_t command, Tick now);

    const Config config_;
    const Parts of_;
    std::function<void(std::uint32_t)> flushed_;
};

} // namespace memsim::flash
