#pragma once

#include "core/declare/stats.hh"
#include "flash/ftl/collections.hh"
#include "flash/ftl/page_jobs.hh"

#include <functional>

namespace memsim::flash {

/// The garbage collector and static wear leveller of a drive. If a plane has too few free blocks,
/// the valid pages of a block are moved within the plane and the block is erased; so is a block
/// that was rarely written. A part: its owner reads, programs and erases, and decides when a task
/// may begin.
class Collector {
  public:
    struct Config {
        unsigned moves = 8;            ///< pages of a block moved at the same time
        unsigned at_once = 1;          ///< blocks of a plane collected at the same time
        bool per_block = false;        ///< one collection begins with each block opened for writes
        std::uint32_t free_blocks = 2; ///< a collection begins if a plane has fewer free blocks
        std::uint32_t target = 2;      ///< free blocks of a plane at which collection ends
        std::uint32_t wear_gap = 0;    ///< erases by which a block may lag behind; 0: unlimited
    };
    struct Counters {
        Counter &collections, &levellings, &moved_pages, &erases;
        Level& most_erases;
    };
    /// Plain values for State.
    struct Tasks {
        Fifo<std::uint32_t> due;  ///< planes whose collection waits for may_begin()
        std::uint32_t active = 0; ///< collections and levellings in progress
    };
    struct Events {
        std::function<bool()> may_begin;             ///< a task; else begin_due() follows
        std::function<void(std::uint32_t job)> send; ///< to the flash
        std::function<void(std::uint32_t plane, const FtlBlock& block, bool cold)> begins;
        std::function<void(std::uint32_t lpn)> moved; ///< a logical page has moved
        std::function<void(std::uint32_t plane)> room_made;
    };
    /// All arguments outlive the collector. `most_worn`: State, the erases of the most erased
    /// block.
    Collector(const Config& figures, const Counters& count, std::vector<Collection>& state,
              Tasks& tasks, std::uint32_t& most_worn, const Policy<VictimPolicy>& victim,
              const Geometry& geometry, PageJobs& jobs, Ftl& ftl, Contents& records, Events events)
        : config_(figures), count_(count), collections_(figures.moves, figures.at_once, state),
          tasks_(tasks), most_worn_(most_worn), victim_(victim), geometry_(geometry), jobs_(jobs),
          ftl_(ftl), records_(records), events_(std::move(events)) {}

    /// Begins a collection if the plane has too few free blocks and fewer than at_once are active.
    /// `taken`: a block was opened for writes, or the host cannot write.
    void check_room(std::uint32_t plane, bool taken);
    /// Whether a block of the plane is being collected.
    bool works(std::uint32_t plane) const { return collections_.active(plane) != 0; }
    /// Begins the due collections. Requires: they may begin now.
    void begin_due();
    /// A read of the plane has ended: a block that waited for it may be erased.
    void continue_collection(std::uint32_t plane);
    // Completion of its jobs in the flash.
    void read(std::uint32_t job, Contents::Id sensed);
    void programmed(std::uint32_t job);
    void erased(std::uint32_t job, Tick now);

  private:
    void begin(std::uint32_t plane, std::uint32_t record, bool cold);
    Collection& collection_of(std::uint32_t page);

    Config config_;
    Counters count_;
    Collections collections_;
    Tasks& tasks_;
    std::uint32_t& most_worn_;
    const Policy<VictimPolicy>& victim_;
    const Geometry& geometry_;
    PageJobs& jobs_;
    Ftl& ftl_;
    Contents& records_;
    Events events_;
};

} // namespace memsim::flash
