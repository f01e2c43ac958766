#pragma once

#include "parts/input_file.hh"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace memsim::workload {

using parts::InputFile;

/// The words of one line of a text file, taken from left to right.
class Fields {
  public:
    Fields(const InputFile& file, std::string_view line) : file_(file), rest_(line) { skip(); }

    bool empty() const { return rest_.empty(); }

    /// The next word; `what` says what it should have been if there is none.
    std::string_view word(std::string_view what) {
        if (rest_.empty()) file_.refuse_line(std::string(what) + " is missing");
        std::size_t n = 0;
        while (n < rest_.size() && !is_space(rest_[n])) ++n;
        const std::string_view taken = rest_.substr(0, n);
        rest_.remove_prefix(n);
        skip();
        return taken;
    }
    /// The next word as a whole number from `least` to `most`.
    std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most) {
        const std::string_view text = word(what);
        std::uint64_t n = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
        if (error != std::errc {} || end != text.data() + text.size() || n < least || n > most)
            file_.refuse_line(std::string(what) + " is '" + std::string(text.substr(0, 40)) +
                              "', where a whole number from " + std::to_string(least) + " to " +
                              std::to_string(most) + " is right");
        return n;
    }
    void end(std::string_view shape) {
        if (!rest_.empty())
            file_.refuse_line("'" + std::string(rest_.substr(0, 40)) +
                              "' stands after the end of '" + std::string(shape) + "'");
    }

  private:
    static bool is_space(char c) { return c == ' ' || c == '\t'; }
    void skip() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }

    const InputFile& file_;
    std::string_view rest_;
};

} // namespace memsim::workload
