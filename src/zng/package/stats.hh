#pragma once

#include "core/declare/elapsed.hh"
#include "zng/package/params.hh"

namespace memsim::zng::package {

inline unsigned all_planes(const void* params) {
    const auto& p = *static_cast<const Params*>(params);
    return p.geometry.dies() * p.geometry.planes();
}

struct Stats {
    Counter reads {Unit::count, "Lines read"};
    Counter read_bytes {Unit::byte, "Bytes that reads ask for"};
    Counter register_reads {Unit::count, "Reads that registers served alone"};
    Counter joined_reads {Unit::count, "Reads that joined others to their page"};
    Counter useful_bytes {Unit::byte, "Bytes sent of what was sensed for reads"};
    Counter writes {Unit::count, "Lines written"};
    Counter write_bytes {Unit::byte, "Bytes of lines written"};
    Counter write_hits {Unit::count, "Writes that found their page in a register"};
    Counter stalled_writes {Unit::count, "Writes that waited for a register"};
    Each<Counter> plane_writes {all_planes, Unit::count, "Lines written to pages of this plane"};
    Counter log_programs {Unit::count, "Pages programmed to log blocks"};
    Counter programmed_bytes {Unit::byte,
                              "Bytes of lines written in pages programmed to log blocks"};
    Counter log_pages {Unit::count, "Programs of pages that were not in the log block before"};
    Counter merges {Unit::count, "Pages sensed because their register held a part"};
    Counter migrations {Unit::count, "Pages that went to another plane"};
    Counter migrated_bytes {Unit::byte, "Bytes of pages that went to another plane"};
    ElapsedTime migration_time {"Time that planes waited for pages to go to another"};
    Counter log_lows {Unit::count, "Log blocks that came to their reserve"};
    Counter moves {Unit::count, "Pages moved by a collector"};
    Counter senses {Unit::count, "Pages sensed, for whatever reason"};
    Counter sensed_bytes {Unit::byte, "Bytes of pages sensed"};
    Counter page_reads {Unit::count, "Pages sensed for reads"};
    Counter pages_read {Unit::count, "Different pages that were read"};
    Counter programs {Unit::count, "Pages programmed, for whatever reason"};
    Counter erases {Unit::count, "Blocks erased"};
    ElapsedTime sense_time {"Time of planes spent sensing"};
    ElapsedTime program_time {"Time of planes spent programming"};
    ElapsedTime erase_time {"Time of planes spent erasing"};
    ElapsedTime io_time {"Time of planes' I/O paths spent on lines"};
    Level programming {Unit::count, "Planes that are programming"};
    Level registers_used {Unit::count, "Registers that are not free"};
    Level touched_blocks {Unit::count, "Blocks touched so far (peak: how many)"};
    Level most_erases {Unit::count, "Erases of the block erased most (peak)"};
    Level erase_squares {Unit::count, "Squares of blocks' erases, in sum (peak): their spread"};
    Gauge free_blocks {Unit::count, "Blocks of which no page is programmed, when asked"};
    Gauge valid_pages {Unit::count,
                       "Pages of the flash that hold the newest version of theirs, when asked"};
    Gauge invalid_pages {Unit::count, "Programmed pages that are out of date, when asked"};
    Gauge erased_pages {Unit::count, "Pages of the flash that are not programmed, when asked"};
    Ratio useful_share {useful_bytes, sensed_bytes, "Share of the bytes sensed that were useful"};
    Ratio register_hit_rate {write_hits, writes, "Writes that found their page in a register"};
    Ratio reads_per_page {page_reads, pages_read, "Times that a page was sensed for reads"};
    Ratio programs_per_page {log_programs, log_pages, "Programs for each page written"};
    Ratio writes_per_program {writes, log_programs, "Writes merged into a program"};
    Distribution read_latency {Unit::time, "Time from a read's acceptance to its answer's way out"};
};

} // namespace memsim::zng::package
