#include "input_files/block_trace.hh"

#include "input_files/words.hh"

namespace memsim::input_files {

std::optional<BlockRecord> BlockTrace::next(Place& place) {
    if (file_->place().byte != place.byte) {
        file_ = std::make_unique<InputFile>(file_->path());
        file_->go_to({place.line, place.byte});
    }
    std::string_view line;
    if (!next_text(*file_, line)) return {};
    constexpr std::uint64_t most_time = (std::uint64_t {1} << 63) - 1,
                            space = ~std::uint64_t {0} / block_trace_sector;
    Words words(*file_, line);
    BlockRecord r;
    r.arrival = static_cast<std::int64_t>(words.number("the arrival time", most_time));
    if (r.arrival < place.arrival)
        words.wrong("the arrival time", "one that is not before the last");
    r.device = static_cast<std::uint16_t>(words.number("the device", 65535));
    r.sector = words.number("the first sector", space);
    r.sectors = words.number("the number of sectors");
    if (r.sectors == 0 || r.sectors > block_trace_most_sectors)
        words.wrong("the number of sectors", "a number from 1 to " +
                                                 std::to_string(block_trace_most_sectors) +
                                                 ", which are 2 GiB,");
    if (r.sectors > space - r.sector)
        words.refuse("the access leaves the address space of 2^64 bytes");
    r.write = words.number("0 for a write or 1 for a read", 1) == 0;
    words.end("arrival device sector sectors type");
    place = {file_->place().byte, file_->place().line, r.arrival};
    return r;
}

} // namespace memsim::input_files
