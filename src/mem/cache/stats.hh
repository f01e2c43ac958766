#pragma once

#include "core/declare/elapsed.hh"
#include "mem/cache/params.hh"

namespace memsim::mem {

/// The cause that stalls the first request of the queue.
enum class CacheStall : std::uint8_t { none, mshrs, targets, mem_side, set, bank, flush, link };

} // namespace memsim::mem

namespace memsim::mem::cache {

struct Stats {
    Counter accesses {Unit::count, "Reads, writes and atomics looked up or forwarded"};
    Counter reads {Unit::count, "Reads from above"};
    Counter bytes {Unit::byte, "Bytes requested by reads, writes and atomics"};
    Counter sectors {Unit::count, "Sectors that accesses touch"};
    Counter read_sectors {Unit::count, "Sectors that reads touch"};
    Counter misses {Unit::count, "Accesses with at least one missing sector, merged or not"};
    Counter missed_sectors {Unit::count,
                            "Sectors of accesses that were neither valid nor being fetched"};
    Counter missed_read_sectors {Unit::count,
                                 "Sectors of reads that were neither valid nor being fetched"};
    Counter hits {Unit::count, "Accesses with no missing sector"};
    Counter read_hits {Unit::count, "Read hits"};
    Counter writes {Unit::count, "Write accesses"};
    Counter write_hits {Unit::count, "Write hits: all sectors were valid or written in this cache"};
    Counter atomics {Unit::count, "Atomic accesses"};
    Counter merged {Unit::count, "Misses whose missing sectors were all being fetched"};
    Counter sector_misses {Unit::count,
                           "Misses on a line that is present without some of its sectors"};
    Counter pending_sectors {Unit::count, "Sectors of accesses that were being fetched"};
    Counter pending_read_sectors {Unit::count, "Sectors of reads that were being fetched"};
    Ratio miss_rate {misses, accesses, "Misses per access"};
    Counter kept_writes {Unit::count,
                         "Writes kept in reserved ways although the policy forwards writes"};

    Counter fetches {Unit::count, "Reads sent to the next level"};
    Counter fetched_bytes {Unit::byte, "Bytes requested from the next level by reads"};
    Counter evictions {Unit::count, "Lines evicted by another line"};
    Counter passed_on {Unit::count, "Writes and atomics forwarded"};
    Counter writebacks {Unit::count, "Writes of dirty sectors sent to the next level"};
    Counter written_back_bytes {Unit::byte, "Bytes of dirty sectors sent to the next level"};
    Counter victims {Unit::count, "Lines whose clean sectors were offered to the next level"};
    Counter claims {Unit::count,
                    "Messages that inform the next level of sectors written in this cache"};
    Level mshrs_used {Unit::count, "MSHRs in use"};
    Distribution miss_latency {Unit::time, "Time from a miss to the arrival of its last sector"};

    Counter invalidations {Unit::count, "Invalidations of all clean lines"};
    Counter flushes {Unit::count, "Flushes of an application's lines"};
    Counter flushed_lines {Unit::count, "Lines emptied by flushes"};

    Counter hints {Unit::count, "Lines named by hints"};
    Counter hints_useless {Unit::count, "Lines of hints that were present or being fetched"};
    Counter hints_dropped {Unit::count,
                           "Lines of hints dropped because no MSHR, way or queue entry was free"};
    Counter prefetches {Unit::count, "Lines of hints that were fetched"};
    Counter prefetches_used {Unit::count, "Prefetched lines with a later access"};
    Counter prefetches_unused {Unit::count,
                               "Prefetched lines evicted or flushed before any access"};

    Each<Counter> partition_requests {
        from<&Params::partition, &PartitionParams::partitions>, Unit::count,
        "Requests from this slice's partition (0) and from the other one (1)"};
    Each<Counter> copy_reads {from<&Params::partition, &PartitionParams::partitions>, Unit::count,
                              "Reads served by a copy in the other partition (1)"};
    Each<Counter> link_bytes {
        from<&Params::partition, &PartitionParams::partitions>, Unit::byte,
        "Bytes on the link between partitions to this slice (0) and from this slice (1)"};

    BookedCycles bank_busy {Unit::cycle, "Cycles of all banks occupied by accesses and fills"};
    Counter stalled_by_mshrs {Unit::count, "Requests stalled because no MSHR was free"};
    Counter stalled_by_targets {
        Unit::count,
        "Requests stalled because their MSHR had no free target or its fetch was too old"};
    Counter stalled_by_mem_side {Unit::count, "Requests stalled by a full queue to the next level"};
    Counter stalled_by_set {Unit::count,
                            "Requests stalled because all lines of the set were being filled"};
    Counter stalled_by_bank {
        Unit::count,
        "Requests stalled by a busy bank, by an atomic that was changing their sectors, or by the "
        "link between partitions"};
    Counter stalled_by_flush {Unit::count, "Requests stalled by a flush"};
    ElapsedTime stall_time {"Time during which the first request was stalled"};

    void count(CacheStall cause) {
        static constexpr std::array<Counter Stats::*, 8> counters {nullptr,
                                                                   &Stats::stalled_by_mshrs,
                                                                   &Stats::stalled_by_targets,
                                                                   &Stats::stalled_by_mem_side,
                                                                   &Stats::stalled_by_set,
                                                                   &Stats::stalled_by_bank,
                                                                   &Stats::stalled_by_flush,
                                                                   &Stats::stalled_by_bank};
        if (cause != CacheStall::none) ++(this->*counters[static_cast<std::size_t>(cause)]);
    }
};

} // namespace memsim::mem::cache
