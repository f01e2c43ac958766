#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

/// The output of a validation case.
namespace memsim::validation {

/// A table of docs/validation.md. It is printed as Markdown, between markers that name the heading
/// under which it stands there; `util/validation` puts it in that place. The destructor prints the
/// table in one piece, so that the report of a failed check never stands between two rows.
class Table {
  public:
    /// `caption` is the line above the table. `columns` are the column headings with bars between.
    Table(const std::string& heading, const std::string& caption, const std::string& columns)
        : text(fmt::format("\n<!-- tables: {} -->\n{}:\n\n| {} |\n|", heading, caption, columns)) {
        for (auto bars = std::count(columns.begin(), columns.end(), '|'); bars >= 0; --bars)
            text += "---|";
        text += '\n';
    }
    ~Table() {
        std::printf("%s<!-- end of tables -->\n", text.c_str());
        std::fflush(stdout);
    }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    /// One row: the format of its cells with bars between, and their values.
    template <class... Values>
    void row(fmt::format_string<Values...> cells, Values&&... values) {
        text += "| " + fmt::format(cells, std::forward<Values>(values)...) + " |\n";
    }

  private:
    std::string text;
};

/// The difference in percent, in bold if it exceeds the limit.
inline std::string percent(double ours, double theirs, double allowed) {
    const double difference = 100 * (ours / theirs - 1);
    const char* const bold = std::abs(difference) > allowed ? "**" : "";
    return fmt::format("{}{:+.1f}{}", bold, difference, bold);
}

} // namespace memsim::validation
