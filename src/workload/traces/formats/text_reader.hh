#pragma once

#include "input_files/words.hh"
#include "workload/traces/address_trace.hh"

#include <algorithm>
#include <string>

/// Common parts of the text formats with one line per record.
namespace memsim::workload {

using input_files::Words;

class TextReader : public TraceReader {
  public:
    TextReader(std::unique_ptr<InputFile> file, const TraceOptions& options)
        : file_(std::move(file)), options_(options) {}

    void go_to(const TracePlace& place) override {
        file_->go_to({place.line, place.byte});
        place_ = place;
    }

  protected:
    bool read(TraceRecord& r) override {
        std::string_view line;
        for (;;) {
            if (!next_text(*file_, line)) return false;
            Words words(*file_, line);
            r = {};
            if (parse(words, r)) break;
        }
        place_.line = file_->place().line;
        place_.byte = file_->place().byte;
        return true;
    }
    /// Returns false if the line holds no access.
    virtual bool parse(Words& words, TraceRecord& r) = 0;
    void refuse(const std::string& what) const override { file_->refuse_line(what); }

    static constexpr std::uint64_t most_time = (std::uint64_t {1} << 63) - 1;
    static constexpr std::uint64_t most_bytes = std::uint64_t {1} << 31; ///< of an access
    /// The bytes of an access, given as a number of units of `unit` bytes.
    static std::uint32_t size(Words& words, const char* what, std::uint64_t unit = 1) {
        const std::uint64_t n = words.number(what);
        if (n == 0 || n > most_bytes / unit)
            words.wrong(what, "a number from 1 to " + std::to_string(most_bytes / unit));
        return static_cast<std::uint32_t>(n * unit);
    }
    /// The first byte of a block of 512 bytes.
    static std::uint64_t block(Words& words, const char* what) {
        constexpr std::uint64_t bytes = 512;
        return words.number(what, (~std::uint64_t {0} - most_bytes) / bytes) * bytes;
    }
    /// Seconds with decimals, as femtoseconds.
    static std::int64_t seconds(Words& words, const char* what) {
        const auto decimal = detail::read_decimal(words.word(what));
        const auto time = detail::scale_exactly(decimal, ticks_per_second);
        if (decimal.length != words.last().size() || time.fault != detail::Fault::none ||
            time.value < 0)
            words.wrong(what, "a number of seconds from 0 to 9223");
        return time.value;
    }

    std::unique_ptr<InputFile> file_;
    TraceOptions options_;
};

/// A text format with its own time unit, whose length the file does not state, and without sizes of
/// accesses.
class CycleReader : public TextReader {
  public:
    CycleReader(std::unique_ptr<InputFile> file, const TraceOptions& options)
        : TextReader(std::move(file), options) {
        if (options.unit.raw > 0) unit_ = options.unit.raw;
    }
    bool in_time_units() const override { return options_.unit.raw > 0; }
    bool sized() const override { return false; }

  protected:
    bool read(TraceRecord& r) override {
        if (!TextReader::read(r)) return false;
        r.bytes = options_.bytes;
        return true;
    }
};

/// A text format whose words are separated by commas.
class CommaReader : public TextReader {
    using TextReader::TextReader;

  protected:
    bool parse(Words& words, TraceRecord& r) final {
        text_ = words.rest();
        std::replace(text_.begin(), text_.end(), ',', ' ');
        Words fields(*file_, text_);
        return parse_fields(fields, r);
    }
    virtual bool parse_fields(Words& fields, TraceRecord& r) = 0;

  private:
    std::string text_;
};

/// Helpers of format detectors.
inline bool is_number(std::string_view w) {
    return !w.empty() && w.find_first_not_of("0123456789") == w.npos;
}
inline bool are_numbers(const std::vector<std::string_view>& words) {
    return std::all_of(words.begin(), words.end(), is_number);
}
inline bool is_address(std::string_view w) {
    return is_number(w) || ((w.starts_with("0x") || w.starts_with("0X")) && w.size() > 2 &&
                            w.find_first_not_of("0123456789abcdefABCDEF", 2) == w.npos);
}
/// A number with or without decimals.
inline bool is_decimal(std::string_view w) {
    const auto d = detail::read_decimal(w);
    return d.length > 0 && d.length == w.size();
}
inline bool is_one_of(std::string_view w, std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), w) != all.end();
}

template <class Reader>
std::unique_ptr<TraceReader> reader_of(std::unique_ptr<InputFile> file,
                                       const TraceOptions& options) {
    return std::make_unique<Reader>(std::move(file), options);
}

} // namespace memsim::workload
