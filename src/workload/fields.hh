#pragma once

#include "input_files/input_file.hh"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace memsim::workload {

using input_files::InputFile;

/// Reads the words of a line of a text file from left to right.
class Fields {
  public:
    Fields(const InputFile& file, std::string_view line) : Fields(file, line, line) {}
    /// Reads a part of a line.
    Fields(const InputFile& file, std::string_view part, std::string_view line)
        : file_(file), begin_(line.data()), last_(part.data()), rest_(part) {
        skip();
    }

    bool empty() const { return rest_.empty(); }

    /// The next word. `what` names it in the error if it is missing.
    std::string_view word(std::string_view what) {
        last_ = rest_.data();
        if (rest_.empty()) refuse(std::string(what) + " is missing");
        std::size_t n = 0;
        while (n < rest_.size() && !is_space(rest_[n])) ++n;
        const std::string_view taken = rest_.substr(0, n);
        rest_.remove_prefix(n);
        skip();
        return taken;
    }
    /// The next word as an integer from `least` to `most`.
    std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most) {
        const std::string_view text = word(what);
        std::uint64_t n = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
        if (error != std::errc {} || end != text.data() + text.size() || n < least || n > most)
            refuse(std::string(what) + " is '" + std::string(text.substr(0, 40)) +
                   "', where a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most) + " is right");
        return n;
    }
    void end(std::string_view shape) {
        last_ = rest_.data();
        if (!rest_.empty())
            refuse("'" + std::string(rest_.substr(0, 40)) + "' follows the end of '" +
                   std::string(shape) + "'");
    }
    /// Reports an error at the last word.
    [[noreturn]] void refuse(const std::string& what) const {
        file_.refuse_column(static_cast<std::size_t>(last_ - begin_) + 1, what);
    }

  private:
    static bool is_space(char c) { return c == ' ' || c == '\t'; }
    void skip() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }

    const InputFile& file_;
    const char* begin_; ///< start of the line
    const char* last_;  ///< the last word, or the end of the line if a word is missing
    std::string_view rest_;
};

} // namespace memsim::workload
