#include "flash/block_trace.hh"

#include "core/error.hh"

#include <array>

namespace memsim::flash {

namespace {

/// The five numbers of a line, or nothing.
std::optional<std::array<std::int64_t, 5>> numbers(const std::string& line) {
    std::array<std::int64_t, 5> all {};
    const char* at = line.data();
    const char* const end = at + line.size();
    const auto skip = [&] {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
    };
    for (std::int64_t& n : all) {
        skip();
        const char* const first = at;
        for (; at < end && *at >= '0' && *at <= '9' && at - first < 18; ++at) // they always fit
            n = n * 10 + (*at - '0');
        if (at == first) return {};
        if (at < end && *at != ' ' && *at != '\t' && *at != '\r') return {};
    }
    skip();
    if (at != end) return {};
    return all;
}

} // namespace

std::optional<BlockRecord> BlockTrace::next(Place& place) {
    if (!file_.is_open()) {
        file_.open(path_, std::ios::binary);
        if (!file_) throw ConfigError("'" + path_ + "' cannot be read: give the path of a trace");
    }
    if (place.offset != at_) {
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(place.offset));
        at_ = place.offset;
    }
    while (std::getline(file_, line_)) {
        at_ += line_.size() + !file_.eof();
        place.offset = at_, ++place.line;
        if (const std::size_t text = line_.find_first_not_of(" \t\r");
            text == std::string::npos || line_[text] == '#')
            continue;
        const auto fail = [&](const std::string& what) {
            throw ConfigError("'" + path_ + "', line " + std::to_string(place.line) + ": '" +
                              line_.substr(0, 60) + "' " + what);
        };
        const auto n = numbers(line_);
        if (!n || (*n)[4] > 1 || (*n)[3] == 0)
            fail("is not '<arrival> <device> <sector> <sectors> <0 for a write, 1 for a read>'");
        if ((*n)[3] > protocol::BlockRequest::most_sectors) fail("asks for more than 1024 sectors");
        if ((*n)[0] < place.arrival) fail("arrives before the line above it");
        place.arrival = (*n)[0];
        return BlockRecord {(*n)[0], static_cast<std::uint64_t>((*n)[2]),
                            static_cast<std::uint64_t>((*n)[3]), (*n)[4] == 0};
    }
    return {};
}

} // namespace memsim::flash
