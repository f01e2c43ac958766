#pragma once

#include "input_files/input_file.hh"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace memsim::input_files {

/// Consumes the next line that is neither blank nor a comment (beginning with #).
inline bool next_text(InputFile& file, std::string_view& line) {
    while (file.next_line(line)) {
        const std::size_t at = line.find_first_not_of(" \t");
        if (at != line.npos && line[at] != '#') return true;
    }
    return false;
}

/// The words of one line of a trace, from left to right. Fast, because traces have millions of
/// lines. Errors name the column.
class Words {
  public:
    Words(const InputFile& file, std::string_view line) : Words(file, line, line) {}
    /// Reads a part of a line.
    Words(const InputFile& file, std::string_view part, std::string_view line)
        : file_(file), begin_(line.data()), at_(part.data()), end_(part.data() + part.size()) {
        skip();
    }

    bool empty() const { return at_ == end_; }
    std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

    /// The next word; `what` names it in the error if it is missing.
    std::string_view word(const char* what) {
        if (at_ == end_) [[unlikely]]
            missing(what);
        last_ = at_;
        while (at_ != end_ && !is_blank(*at_)) ++at_;
        const std::string_view taken {last_, static_cast<std::size_t>(at_ - last_)};
        skip();
        return taken;
    }
    /// The word that was read last.
    std::string_view last() const {
        return {last_, static_cast<std::size_t>(std::find_if(last_, end_, is_blank) - last_)};
    }
    /// Hexadecimal, with or without 0x.
    std::uint64_t hex(const char* what) {
        if (at_ == end_) [[unlikely]]
            missing(what);
        last_ = at_;
        if (end_ - at_ > 2 && at_[0] == '0' && (at_[1] | 0x20) == 'x') at_ += 2;
        const char* const digits = at_;
        std::uint64_t n = 0;
        for (; at_ != end_; ++at_) {
            const unsigned digit = nibble(*at_);
            if (digit > 15) break;
            n = n << 4 | digit;
        }
        if (at_ == digits || at_ - digits > 16 || !blank_or_end()) [[unlikely]]
            wrong(what, "a hexadecimal number of at most 64 bits");
        skip();
        return n;
    }
    std::uint64_t number(const char* what, std::uint64_t most = ~std::uint64_t {0}) {
        if (at_ == end_) [[unlikely]]
            missing(what);
        last_ = at_;
        const std::uint64_t n = digits(what);
        if (n > most) [[unlikely]]
            wrong(what, "a number from 0 to " + std::to_string(most));
        return n;
    }
    std::uint64_t number(const char* what, std::uint64_t least, std::uint64_t most) {
        const std::string_view text = word(what);
        std::uint64_t n = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
        if (error != std::errc {} || end != text.data() + text.size() || n < least || n > most)
            wrong(what,
                  "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
        return n;
    }
    std::int64_t integer(const char* what) {
        if (at_ == end_) [[unlikely]]
            missing(what);
        last_ = at_;
        const bool negative = *at_ == '-';
        at_ += negative;
        const std::uint64_t n = digits(what);
        if (n > std::uint64_t {1} << 62) [[unlikely]]
            wrong(what, "a number of at most 62 bits");
        return negative ? -static_cast<std::int64_t>(n) : static_cast<std::int64_t>(n);
    }
    /// Decimal, or hexadecimal after 0x.
    std::uint64_t either(const char* what) {
        return rest().starts_with("0x") || rest().starts_with("0X") ? hex(what) : number(what);
    }
    void end(const char* shape) {
        if (at_ == end_) return;
        last_ = at_;
        refuse("'" + shown() + "' follows the end of '" + shape + "'");
    }

    /// Reports an error in the word that was read last.
    [[noreturn]] void wrong(const char* what, const std::string& right) const {
        refuse(std::string(what) + " is '" + shown() + "', where " + right + " is right");
    }
    [[noreturn]] void refuse(const std::string& what) const {
        file_.refuse_column(static_cast<std::size_t>(last_ - begin_) + 1, what);
    }

  private:
    static bool is_blank(char c) { return c == ' ' || c == '\t'; }
    static unsigned nibble(char c) {
        if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
        const char lower = static_cast<char>(c | 0x20);
        return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16u;
    }
    static unsigned digit(char c) { return static_cast<unsigned>(c - '0'); }
    /// Whether the number exceeds 64 bits. Numbers of up to 19 digits never do.
    static bool overflow(const char* from, const char* to) {
        std::uint64_t n = 0;
        for (; from != to; ++from) {
            if (n > (~std::uint64_t {0} - digit(*from)) / 10) return true;
            n = n * 10 + digit(*from);
        }
        return false;
    }
    bool blank_or_end() const { return at_ == end_ || is_blank(*at_); }
    void skip() {
        while (at_ != end_ && is_blank(*at_)) ++at_;
    }
    std::uint64_t digits(const char* what) {
        const char* const from = at_;
        const char* at = from;
        std::uint64_t n = 0;
        for (; at != end_ && digit(*at) < 10; ++at) n = n * 10 + digit(*at);
        at_ = at;
        if (at == from || (at - from > 19 && overflow(from, at)) || !blank_or_end()) [[unlikely]]
            wrong(what, "a whole decimal number of at most 64 bits");
        skip();
        return n;
    }
    [[noreturn, gnu::noinline]] void missing(const char* what) {
        last_ = end_;
        refuse(std::string(what) + " is missing");
    }
    /// The word that was read last, or its first 40 bytes.
    std::string shown() const {
        const char* const end = std::min(end_, last_ + 40);
        return {last_, std::find_if(last_, end, is_blank)};
    }

    const InputFile& file_;
    const char* begin_;
    const char* at_;
    const char* end_;
    const char* last_ = begin_; ///< where the word that was read last begins
};

} // namespace memsim::input_files
