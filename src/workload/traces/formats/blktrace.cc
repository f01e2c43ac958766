#include "workload/traces/formats/text_reader.hh"

namespace memsim::workload {

namespace {

/// Whether this is the line of an event: 'major,minor cpu sequence seconds pid action ...'.
bool is_event(const std::vector<std::string_view>& words) {
    return words.size() >= 7 && words[0].find(',') != std::string_view::npos &&
           is_number(words[1]) && is_number(words[2]) && is_decimal(words[3]) &&
           is_number(words[4]);
}

/// '8,0 3 11 0.009507758 697 D W 223490 + 8 [name]': requests issued to the device (action D).
/// Other events, requests without data and the final summary are skipped.
class Blktrace final : public TextReader {
    using TextReader::TextReader;
    bool parse(Words& words, TraceRecord& r) override {
        const std::string_view device = words.word("the device");
        if (device.empty() || device[0] < '0' || device[0] > '9')
            return false; // a line of the summary
        const std::size_t comma = device.find(',');
        if (comma == device.npos || !is_number(device.substr(0, comma)) ||
            !is_number(device.substr(comma + 1)))
            words.wrong("the device", "major,minor");
        words.number("the processor");
        words.number("the sequence number");
        r.time = seconds(words, "the time");
        words.number("the process");
        if (words.word("the action") != "D") return false;
        const std::string_view kind = words.word("the kind of the request");
        const bool write = kind.find('W') != kind.npos;
        if (!write && kind.find('R') == kind.npos) return false; // a discard or a flush
        r.command = write ? TraceCommandKind::write : TraceCommandKind::read;
        r.address = block(words, "the first sector");
        if (words.empty() || words.word("'+'") != "+") return false; // a command of the device
        constexpr std::uint64_t sector = 512;
        r.bytes = size(words, "the sectors", sector);
        return true;
    }
};

const Named<TraceFormat> blktrace {
    "blktrace",
    {.title = "blktrace",
     .shape = "major,minor cpu sequence seconds pid action kind sector + sectors [process]",
     .notes = "text of `blkparse`; requests issued to the device (action `D`) are read",
     .detect = [](const FileHead& h) { return is_event(h.words); },
     .open = reader_of<Blktrace>}};

} // namespace

} // namespace memsim::workload
