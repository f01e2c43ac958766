#pragma once

#include "core/declare/elapsed.hh"

namespace memsim::mem::cache {

struct Stats {
    Counter accesses {Unit::count, "Reads, writes and atomics looked up or passed on"};
    Counter reads {Unit::count, "Reads that came from above"};
    Counter bytes {Unit::byte, "Bytes that reads, writes and atomics ask for"};
    Counter sectors {Unit::count, "Sectors that accesses touch"};
    Counter read_sectors {Unit::count, "Sectors that reads touch"};
    Counter misses {Unit::count, "Accesses that did not find all their sectors, merged or not"};
    Counter missed_sectors {Unit::count,
                            "Sectors of accesses that were neither here nor on their way"};
    Counter missed_read_sectors {Unit::count,
                                 "Sectors of reads that were neither here nor on their way"};
    Counter hits {Unit::count, "Accesses that found all their sectors"};
    Counter read_hits {Unit::count, "Reads among the hits"};
    Counter writes {Unit::count, "Writes among the accesses"};
    Counter write_hits {Unit::count,
                        "Writes that hit: their sectors were valid or written in this cache"};
    Counter atomics {Unit::count, "Atomics among the accesses"};
    Counter merged {Unit::count, "Misses whose missing sectors were all on their way"};
    Counter sector_misses {Unit::count, "Misses that found their line without some sectors"};
    Counter pending_sectors {Unit::count, "Sectors of accesses that were on their way"};
    Counter pending_read_sectors {Unit::count, "Sectors of reads that were on their way"};
    Ratio miss_rate {misses, accesses, "Misses for each access"};
    Counter kept_writes {Unit::count, "Writes that reserved ways took from another policy"};

    Counter fetches {Unit::count, "Reads sent below"};
    Counter fetched_bytes {Unit::byte, "Bytes that reads sent below ask for"};
    Counter evictions {Unit::count, "Lines that made room for another"};
    Counter passed_on {Unit::count, "Writes and atomics passed on"};
    Counter writebacks {Unit::count, "Writes of dirty sectors sent below"};
    Counter written_back_bytes {Unit::byte, "Bytes of dirty sectors sent below"};
    Counter victims {Unit::count, "Lines whose clean sectors were offered below"};
    Counter claims {Unit::count,
                    "Messages that told the next level which sectors this cache has written"};
    Level mshrs_used {Unit::count, "MSHRs in use"};
    Distribution miss_latency {Unit::time, "Time from a miss to the last of its sectors"};

    Counter invalidations {Unit::count, "Times the cache was emptied of clean lines"};
    Counter flushes {Unit::count, "Times an application's lines were flushed"};
    Counter flushed_lines {Unit::count, "Lines emptied by flushes"};

    Counter hints {Unit::count, "Lines that hints named"};
    Counter hints_useless {Unit::count, "Lines of hints that were here or on their way"};
    Counter hints_dropped {Unit::count,
                           "Lines of hints that were dropped for want of an MSHR, a way or room"};
    Counter prefetches {Unit::count, "Lines of hints that were fetched"};
    Counter prefetches_used {Unit::count, "Prefetched lines that an access then asked for"};
    Counter prefetches_unused {Unit::count,
                               "Prefetched lines that were evicted or flushed before any access"};

    BookedCycles bank_busy {Unit::cycle, "Cycles that accesses and fills took of all banks"};
    Counter stalled_by_mshrs {Unit::count, "Requests held up because no MSHR was free"};
    Counter stalled_by_targets {
        Unit::count, "Requests held up by an MSHR full of targets, or with data too old"};
    Counter stalled_by_mem_side {Unit::count, "Requests held up by the queue going below"};
    Counter stalled_by_set {Unit::count, "Requests held up as all lines were being filled"};
    Counter stalled_by_bank {Unit::count, "Requests held up by their bank"};
    Counter stalled_by_flush {Unit::count, "Requests held up by a flush"};
    ElapsedTime stall_time {"Time that the first request was held up"};
};

} // namespace memsim::mem::cache
