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
    Counter read_bytes {Unit::byte, "Bytes requested by reads"};
    Counter register_reads {Unit::count, "Reads served by registers only"};
    Counter joined_reads {Unit::count, "Reads that joined an earlier read of the same page"};
    Counter useful_bytes {Unit::byte, "Requested bytes of sensed pages that were sent"};
    Counter writes {Unit::count, "Lines written"};
    Counter write_bytes {Unit::byte, "Bytes of lines written"};
    Counter write_hits {Unit::count, "Writes whose page a register held"};
    Counter stalled_writes {Unit::count, "Writes that waited for a register"};
    Each<Counter> plane_writes {all_planes, Unit::count, "Lines written to pages of this plane"};
    Counter log_programs {Unit::count, "Pages programmed to log blocks"};
    Counter programmed_bytes {Unit::byte,
                              "Bytes of written lines in pages programmed to log blocks"};
    Counter log_pages {Unit::count, "Programs of pages that had no log page before"};
    Counter merges {Unit::count, "Pages sensed because their register held only a part"};
    Counter migrations {Unit::count, "Pages migrated to another plane"};
    Counter migrated_bytes {Unit::byte, "Bytes of pages migrated to another plane"};
    ElapsedTime migration_time {"Time that planes waited for migrations"};
    Counter log_lows {Unit::count, "Log blocks that reached their reserve"};
    Counter moves {Unit::count, "Pages moved by a collector"};
    Counter senses {Unit::count, "Pages sensed for any reason"};
    Counter sensed_bytes {Unit::byte, "Bytes of pages sensed"};
    Counter page_reads {Unit::count, "Pages sensed for reads"};
    Counter pages_read {Unit::count, "Distinct pages read"};
    Counter programs {Unit::count, "Pages programmed for any reason"};
    Counter erases {Unit::count, "Blocks erased"};
    ElapsedTime sense_time {"Time of planes spent sensing"};
    ElapsedTime program_time {"Time of planes spent programming"};
    ElapsedTime erase_time {"Time of planes spent erasing"};
    ElapsedTime io_time {"Time of planes' I/O paths spent on lines"};
    Level programming {Unit::count, "Planes that are programming"};
    Level registers_used {Unit::count, "Registers that are not free"};
    Level touched_blocks {Unit::count, "Blocks touched so far"};
    Level most_erases {Unit::count, "Erases of the block erased most (peak)"};
    Level erase_squares {
        Unit::count, "Sum over blocks of squared erase counts (peak), a measure of their spread"};
    Gauge free_blocks {Unit::count, "Blocks without a programmed page, at the time of the dump"};
    Gauge valid_pages {Unit::count,
                       "Pages that hold their newest version, at the time of the dump"};
    Gauge invalid_pages {Unit::count,
                         "Programmed pages that are out of date, at the time of the dump"};
    Gauge erased_pages {Unit::count, "Pages that are not programmed, at the time of the dump"};
    Ratio useful_share {useful_bytes, sensed_bytes, "Share of sensed bytes that were requested"};
    Ratio register_hit_rate {write_hits, writes, "Share of writes whose page a register held"};
    Ratio reads_per_page {page_reads, pages_read, "Senses per page read"};
    Ratio programs_per_page {log_programs, log_pages, "Programs per page written"};
    Ratio writes_per_program {writes, log_programs, "Writes per program"};
    Distribution read_latency {Unit::time,
                               "Time from a read's acceptance to the departure of its answer"};
};

} // namespace memsim::zng::package
