#include "mem/text_trace.hh"

#include "core/error.hh"

#include <array>
#include <charconv>
#include <string_view>

namespace memsim::mem {

namespace {

std::string_view take_word(std::string_view& s) {
    const std::size_t begin = std::min(s.find_first_not_of(" \t\r"), s.size());
    s.remove_prefix(begin);
    const std::size_t end = std::min(s.find_first_of(" \t\r"), s.size());
    const std::string_view word = s.substr(0, end);
    s.remove_prefix(end);
    return word;
}

template <class T>
bool read_number(std::string_view word, T& value, int base) {
    if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2), base = 16;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc {} && end == word.data() + word.size();
}

bool read_line(std::string_view line, TraceRecord& r) {
    const std::string_view first = take_word(line), second = take_word(line),
                           third = take_word(line);
    if (!take_word(line).empty()) return false;
    if (first == "LD" || first == "ST") {
        r.write = first == "ST";
        return read_number(second, r.address, 10) && third.empty();
    }
    constexpr std::array<std::string_view, 4> writes {"WRITE", "write", "P_MEM_WR", "BOFF"};
    for (std::string_view w : writes) r.write |= second == w;
    return read_number(first, r.address, 16) && !second.empty() &&
           read_number(third, r.cycle, 10) && r.cycle >= 0;
}

} // namespace

std::optional<TraceRecord> TextTrace::next(Place& place) {
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
        place = {at_, place.line + 1};
        if (const std::size_t text = line_.find_first_not_of(" \t\r");
            text == std::string::npos || line_[text] == '#')
            continue;
        TraceRecord r;
        if (!read_line(line_, r))
            throw ConfigError("'" + path_ + "', line " + std::to_string(place.line) + ": '" +
                              line_.substr(0, 60) +
                              "' is neither '<hex address> READ|WRITE <cycle>' nor 'LD|ST "
                              "<address>'");
        return r;
    }
    return {};
}

} // namespace memsim::mem
