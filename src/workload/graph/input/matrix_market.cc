#include "input_files/words.hh"
#include "workload/graph/input/graph_reader.hh"

#include <algorithm>
#include <cctype>

namespace memsim::workload {

using input_files::Words;

namespace {

/// The words of the banner are not case-sensitive.
std::string lower(std::string_view word) {
    std::string text(word);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

void check_value(Words& words) {
    std::string_view text = words.word("the value");
    if (text.starts_with('+')) text.remove_prefix(1);
    double value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if ((error != std::errc {} && error != std::errc::result_out_of_range) ||
        end != text.data() + text.size())
        words.refuse("the value is '" + std::string(text.substr(0, 40)) +
                     "', where a number is right");
}

/// What the first line of a file states about its entries.
struct Banner {
    std::string symmetry;
    int values = 0; ///< of an entry
    bool mirrored() const { return symmetry != "general"; }
};

Banner read_banner(InputFile& file) {
    std::string_view line;
    file.next_line(line);
    Words banner(file, line);
    banner.word("the banner");
    const std::string object = lower(banner.word("'matrix'"));
    const std::string format = lower(banner.word("'coordinate'"));
    if (object != "matrix" || format != "coordinate")
        banner.refuse("a '" + object + " " + format +
                      "', where 'matrix coordinate' is right for a graph");
    const std::string field = lower(banner.word("the kind of values"));
    if (field != "pattern" && field != "real" && field != "integer" && field != "complex")
        banner.refuse("values of kind '" + field +
                      "', where pattern, real, integer or complex is right");
    const std::string symmetry = lower(banner.word("the symmetry"));
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric" &&
        symmetry != "hermitian")
        banner.refuse("a symmetry '" + symmetry +
                      "', where general, symmetric, skew-symmetric or hermitian is right");
    return {symmetry, field == "pattern" ? 0 : field == "complex" ? 2 : 1};
}

} // namespace

Csr read_matrix_market(InputFile& file) {
    const Banner banner = read_banner(file);
    std::string_view line;
    std::vector<Arc> arcs;
    bool announced = false;
    std::uint64_t vertices = 0, entries = 0, seen = 0;
    while (file.next_line(line)) {
        if (line.starts_with('%')) continue;
        Words words(file, line);
        if (words.empty()) continue;
        if (!announced) {
            vertices = words.number("the number of rows", 0, 0xfffffffe);
            const auto columns = words.number("the number of columns", 0, 0xfffffffe);
            entries = words.number("the number of entries", 0, 0xffffffff);
            words.end("rows columns entries");
            if (columns != vertices)
                file.refuse_line("a matrix of " + std::to_string(vertices) + " by " +
                                 std::to_string(columns) + "; a graph's is square");
            announced = true;
            continue;
        }
        if (++seen > entries)
            file.refuse_line("more entries than the " + std::to_string(entries) + " announced");
        const auto i = static_cast<std::uint32_t>(words.number("the row", 1, vertices));
        const auto j = static_cast<std::uint32_t>(words.number("the column", 1, vertices));
        for (int v = 0; v < banner.values; ++v) check_value(words);
        words.end("row column value");
        if (banner.mirrored() && i < j)
            file.refuse_line("an entry above the diagonal of a " + banner.symmetry +
                             " matrix, of which only the lower half is written");
        arcs.emplace_back(i - 1, j - 1);
        if (banner.mirrored() && i != j) arcs.emplace_back(j - 1, i - 1);
    }
    if (!announced) file.refuse("has no line 'rows columns entries'");
    if (seen < entries)
        file.refuse("announces " + std::to_string(entries) + " entries but holds " +
                    std::to_string(seen) + ": it is cut off; fetch it again");
    check_vertices(file, vertices, seen);
    return rows_of(static_cast<std::uint32_t>(vertices), arcs);
}

} // namespace memsim::workload
