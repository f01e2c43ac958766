#include "workload/traces/address_trace.hh"

#include "workload/traces/readers.hh"

#include <charconv>

namespace memsim::workload {

std::vector<std::uint64_t> parse_geometry(std::string_view text) {
    std::vector<std::uint64_t> sizes;
    std::uint64_t product = 1;
    for (std::size_t from = 0; from <= text.size() && !text.empty();) {
        const std::size_t end = std::min(text.find(',', from), text.size());
        std::uint64_t n = 0;
        const auto [last, error] = std::from_chars(text.data() + from, text.data() + end, n);
        if (error != std::errc {} || last != text.data() + end || n == 0 ||
            n > (std::uint64_t {1} << 57) / product)
            throw ConfigError("'" + std::string(text) +
                              "' is no geometry: write how many channels, ranks, bank groups, "
                              "banks, rows and columns there are, such as 1,2,4,4,65536,128");
        product *= n;
        sizes.push_back(n);
        from = end + 1;
    }
    return sizes;
}

std::unique_ptr<TraceReader> open_trace(const std::string& path, const TraceOptions& options) {
    auto file = std::make_unique<InputFile>(path);
    TraceOptions o = options;
    const std::string head(file->peek(4096));
    if (head.empty()) file->refuse("is empty; a trace was expected");
    if (o.format == TraceFormat::automatic) {
        if (head.starts_with(gem5_magic))
            o.format = TraceFormat::gem5;
        else if (head.starts_with(memsim_magic.substr(0, 13)))
            o.format = TraceFormat::memsim;
        else if (head.starts_with("-kernel") || head.starts_with("Memcpy") ||
                 head.starts_with("kernel-"))
            file->refuse("is an Accel-Sim trace of instructions, not of addresses: "
                         "workload.TraceProgram plays it");
        else {
            std::string first;
            for (std::size_t at = 0; at < head.size();) {
                const std::size_t end = std::min(head.find('\n', at), head.size());
                const std::size_t text = head.find_first_not_of(" \t\r", at);
                if (text < end && head[text] != '#') {
                    first = head.substr(at, end - at);
                    break;
                }
                at = end + 1;
            }
            o.format = text_format(*file, first);
        }
    }
    std::unique_ptr<TraceReader> reader =
        o.format == TraceFormat::gem5     ? gem5_reader(std::move(file))
        : o.format == TraceFormat::memsim ? memsim_reader(std::move(file))
                                          : text_reader(std::move(file), o);
    reader->format = o.format;
    return reader;
}

} // namespace memsim::workload
