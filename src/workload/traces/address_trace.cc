#include "workload/traces/address_trace.hh"

#include "core/base/text.hh"
#include "input_files/words.hh"

#include <algorithm>
#include <charconv>

namespace memsim::workload {

static const Named<TraceFormat> automatic {
    "automatic", {.title = "the format detected from the first bytes of the file"}};

std::vector<std::uint64_t> parse_geometry(std::string_view text) {
    std::vector<std::uint64_t> sizes;
    std::uint64_t product = 1;
    for (const std::string_view one : elements_of(text)) {
        std::uint64_t n = 0;
        const auto [last, error] = std::from_chars(one.begin(), one.end(), n);
        if (error != std::errc {} || last != one.end() || n == 0 ||
            n > (std::uint64_t {1} << 57) / product)
            throw ConfigError("'" + std::string(text) +
                              "' is no geometry: give the numbers of channels, ranks, bank groups, "
                              "banks, rows and columns, such as 1,2,4,4,65536,128");
        product *= n;
        sizes.push_back(n);
    }
    return sizes;
}

void TraceReader::count_from_first(TraceReader& same) {
    TraceRecord first;
    if (same.read(first)) origin_ = first.time;
}

void TraceReader::check(TraceRecord& r) const {
    if (r.bytes == 0) refuse("record " + std::to_string(place_.records) + " has no bytes");
    if (sized() && r.address + (r.bytes - 1) < r.address)
        refuse("the access leaves the address space of 2^64 bytes");
    r.time = std::max(r.time, origin_);
    if (__builtin_sub_overflow(r.time, origin_, &r.time) ||
        __builtin_mul_overflow(r.time, unit_, &r.time))
        refuse("the time is beyond the end of simulated time: count times from the first record "
               "(from_first)");
}

FileHead::FileHead(std::string_view b) : bytes(b) {
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
        const std::size_t text = bytes.find_first_not_of(" \t\r", at);
        if (text < end && bytes[text] != '#') {
            line = bytes.substr(text, end - text);
            break;
        }
        at = end + 1;
    }
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    const auto split = [&](std::string_view between, auto& to) {
        for (std::size_t at = line.find_first_not_of(between); at < line.size();) {
            const std::size_t end = std::min(line.find_first_of(between, at), line.size());
            to.push_back(line.substr(at, end - at));
            at = std::min(line.find_first_not_of(between, end), line.size());
        }
    };
    split(" \t\r", words);
    split(", \t\r", fields);
}

namespace {

template <class F>
void for_each_format(F&& f) {
    for (const std::string& name : Named<TraceFormat>::names())
        if (const TraceFormat& format = Named<TraceFormat>::find(name); format.detect)
            f(name, format);
}

/// The name of the detected format of a file.
std::string detected(const InputFile& file, std::string_view bytes) {
    const FileHead head(bytes);
    std::vector<std::string> found;
    for_each_format([&](const std::string& name, const TraceFormat& format) {
        if (format.detect(head)) found.push_back(name);
    });
    if (found.size() == 1) return found[0];
    if (!found.empty())
        file.refuse("may be a trace of " + found[0] + " or " + found[1] + ": state its format");
    std::string lines, others;
    for_each_format([&](const std::string&, const TraceFormat& format) {
        const std::string title(format.title);
        if (format.shape.empty())
            others += (others.empty() ? "" : " or ") + title;
        else
            lines +=
                (lines.empty() ? "'" : ", '") + std::string(format.shape) + "' (" + title + ")";
    });
    file.refuse("is no trace in a known format: its first line is none of " + lines +
                ", and it does not begin as a trace of " + others);
}

} // namespace

std::unique_ptr<TraceReader> open_trace(const std::string& path, const TraceOptions& options) {
    const auto open = [&](const std::string& name) {
        return Named<TraceFormat>::find(name).open(std::make_unique<InputFile>(path), options);
    };
    std::string name = options.format.text();
    {
        InputFile file(path);
        const std::string_view head = file.peek(4096);
        if (head.empty()) file.refuse("is empty; a trace was expected");
        if (name == "automatic") name = detected(file, head);
    }
    auto reader = open(name);
    reader->format = name;
    if (options.from_first || reader->dated()) reader->count_from_first(*open(name));
    return reader;
}

} // namespace memsim::workload
