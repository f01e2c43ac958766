#include "workload/graph/input/graph_reader.hh"

#include "support.hh"

#include <lzma.h>
#include <zlib.h>

namespace memsim::graph_reader_test {

using namespace memsim::workload;

namespace {

Csr read_text(const std::string& text) { return read_graph(TemporaryFile("graph", text).path); }

/// The sentence for a bad file, without the file's path before it.
std::string refusal(const std::string& bytes) {
    const TemporaryFile file("graph", bytes);
    const std::string error = error_of([&] { read_graph(file.path); });
    INFO(error);
    REQUIRE(error.starts_with(file.path + ": "));
    return error.substr(file.path.size() + 2);
}

std::string gzip(const std::string& text) {
    z_stream z {};
    REQUIRE(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string packed(deflateBound(&z, text.size()) + 64, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(packed.data());
    z.avail_out = static_cast<uInt>(packed.size());
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    packed.resize(z.total_out);
    deflateEnd(&z);
    return packed;
}

std::string xz(const std::string& text) {
    std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
    std::size_t size = 0;
    REQUIRE(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<std::uint8_t*>(packed.data()), &size,
                                    packed.size()) == LZMA_OK);
    packed.resize(size);
    return packed;
}

std::string words(const std::vector<std::uint32_t>& values) {
    return {reinterpret_cast<const char*>(values.data()), 4 * values.size()};
}

// 0 -> 1, 0 -> 2, 2 -> 0
const Csr small = graph_of(3, {{0, 2}, {0, 1}, {2, 0}});

} // namespace

TEST_CASE("every format gives the same graph") {
    CHECK(read_text("# a comment\n# Nodes: 3 Edges: 3\n10\t30\n10\t20\n30\t10\n") == small);
    CHECK(read_text("10 30\r\n10 20\r\n\r\n30 10") == small);
    CHECK(read_text("10 30 0.5\n10 20 7\n30 10 1e-3\n") == small);
    CHECK(read_text("c x\np sp 3 3\na 1 3 7\na 1 2 0\na 3 1 5\n") == small);
    CHECK(read_text(
              "%%MatrixMarket matrix coordinate pattern general\n% x\n3 3 3\n1 3\n1 2\n3 1\n") ==
          small);
    CHECK(
        read_text(
            "%%MatrixMarket MATRIX Coordinate Real General\n3 3 3\n1 3 1e-3\n1 2 +2\n3 1 -.5\n") ==
        small);
    CHECK(read_text("CSR1" + words({3, 3, 0, 2, 2, 3, 1, 2, 0})) == small);
    CHECK(read_text("CSR1" + words({3, 3, 0, 2, 2, 3, 2, 1, 0})) == small);
}

TEST_CASE("METIS lists each edge twice, with weights or without") {
    // 0 - 1, 0 - 2, and an isolated 3
    const Csr star = graph_of(4, {{0, 1}, {1, 0}, {0, 2}, {2, 0}});
    CHECK(read_text("% x\n4 2\n2 3\n1\n1\n\n") == star);
    CHECK(read_text("4 2\n3 2\n1\n1\n\n") == star);
    CHECK(read_text("4 2 001\n2 5 3 6\n1 5\n1 6\n\n") == star);
    CHECK(read_text("% x\n4 2 111 2\n9 8 7 2 5 3 6\n9 8 7 1 5\n9 8 7 1 6\n9 8 7\n") == star);
    CHECK(refusal("% x\n4 2\n2 3\n1\n1\n") ==
          "announces 4 vertices but holds 3: it is cut off; fetch it again");
    CHECK(refusal("% x\n2 1\n3\n1\n").starts_with("line 3, column 1: a neighbour is '3'"));
    CHECK(refusal("% x\n2 2\n2\n1\n").starts_with("announces 2 edges, each listed twice, but"));
    CHECK(refusal("% x\n2 1\n2 2\n1\n").starts_with("line 4: more neighbours than the 1 edges"));
    CHECK(refusal("% x\n2 1 7\n2\n1\n").starts_with("line 2, column 5: the format is '7'"));
}

TEST_CASE("undirected formats are mirrored, with loops once") {
    const Csr mirrored = graph_of(3, {{0, 2}, {2, 0}, {1, 1}});
    CHECK(read_text("p tw 3 2\n1 3\n2 2\n") == mirrored);
    CHECK(read_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n") ==
          mirrored);
}

TEST_CASE("gzip and xz are decoded, in several pieces and members too") {
    std::string path = "# a path\n";
    for (int v = 0; v < 30000; ++v) path += std::to_string(v) + "\t" + std::to_string(v + 1) + "\n";
    const Csr graph = read_text(path);
    REQUIRE(graph.vertices == 30001);
    CHECK(read_text(gzip(path)) == graph);
    CHECK(read_text(xz(path)) == graph);
    const std::size_t middle = path.find('\n', path.size() / 2) + 1;
    CHECK(read_text(gzip(path.substr(0, middle)) + gzip(path.substr(middle))) == graph);
    CHECK(read_text(xz(path.substr(0, middle)) + xz(path.substr(middle))) == graph);

    const std::string gz = gzip(path), lz = xz(path);
    for (std::size_t cut : {std::size_t {12}, gz.size() / 2, gz.size() - 1})
        CHECK(refusal(gz.substr(0, cut)) == "the gzip data is cut off; fetch it again");
    for (std::size_t cut : {std::size_t {12}, lz.size() / 2, lz.size() - 1})
        CHECK(refusal(lz.substr(0, cut)) == "the xz data is cut off; fetch it again");
    CHECK(refusal(gz.substr(0, gz.size() - 6) + "xxxxxx") ==
          "the gzip data is damaged; fetch it again");
    CHECK(refusal(gz + "junk") == "the gzip data is damaged; fetch it again");
    // Damage in the middle may decode to foreign text before the checksum is reached: see the end.
    CHECK(refusal(lz.substr(0, lz.size() - 6) + "xxxxxx") ==
          "the xz data is damaged; fetch it again");
}

TEST_CASE("a file that is no graph") {
    CHECK(refusal("") == "is empty; a graph file was expected");
    const std::string foreign =
        "is no graph in a known format: a file begins with '#' or a number "
        "(SNAP edge list, Rodinia), 'c' or "
        "'p' (DIMACS .gr), '%%MatrixMarket', '%' or a number (METIS), or 'CSR1'";
    CHECK(refusal("\x7f"
                  "ELF...") == foreign);
    CHECK(refusal("picture") == foreign);
    CHECK(refusal("# only a comment\n") == "holds a graph without vertices; one is the least");
    CHECK(error_of([] { read_graph("/no/such/graph"); }) ==
          "/no/such/graph: cannot be opened (No such file or directory): name a file that "
          "can be read");
    CHECK(error_of([] { read_graph("/"); }) == "/: is a directory: name a file");
    CHECK(refusal("# " + std::string(3 << 20, 'x')) ==
          "line 1: a line of over 1 MiB, so this is not a text file");
}

TEST_CASE("a bad edge list") {
    CHECK(refusal("1 2\n3\n") == "line 2, column 2: the target vertex is missing");
    CHECK(refusal("1 2\n1 2 3\n") == "line 2, column 5: '3' follows the end of 'source target'");
    CHECK(refusal("1 -2\n") == "line 1, column 3: the target vertex is '-2', where a whole number "
                               "from 0 to 4294967295 is right");
    CHECK(refusal("1 4294967296\n") ==
          "line 1, column 3: the target vertex is '4294967296', where a whole "
          "number from 0 to 4294967295 is right");
    CHECK(refusal("# Nodes: 3 Edges: 3\n1 2\n2 3\n") ==
          "its comment announces 3 nodes and 3 edges, but its lines hold 3 and 2: it is cut off or "
          "was changed; fetch it again");
    CHECK(refusal("# Nodes: 2 Edges: 2\n1 2\n2 3\n") ==
          "its comment announces 2 nodes and 2 edges, but its lines hold 3 and 2: it is cut off or "
          "was changed; fetch it again");
}

TEST_CASE("a bad .gr") {
    CHECK(refusal("c x\n1 2\n") ==
          "line 2: an edge before the line 'p sp|tw vertices edges', which must come first");
    CHECK(refusal("c x\n") == "has no line 'p sp|tw vertices edges'");
    CHECK(refusal("p cut 3 3\n") ==
          "line 1, column 3: a problem of kind 'cut', where 'sp' (arcs 'a u v w') or "
          "'tw' (edges 'u v') is right");
    CHECK(refusal("p tw 3 2\n1 2\n") ==
          "announces 2 edges but holds 1: it is cut off; fetch it again");
    CHECK(refusal("p tw 3 1\n1 2\n2 3\n") ==
          "line 3: more edges than the 1 stated by the 'p' line");
    CHECK(refusal("p tw 3 1\n1 4\n") ==
          "line 2, column 3: the second vertex is '4', where a whole number from 1 to 3 is right");
    CHECK(refusal("p tw 3 1\n0 1\n") ==
          "line 2, column 1: the first vertex is '0', where a whole number from 1 to 3 is right");
    CHECK(refusal("p sp 3 1\n1 2 7\n") ==
          "line 2, column 1: 'a from to length' was expected, or a comment 'c ...'");
    CHECK(refusal("p sp 3 1\na 1 2\n") == "line 2, column 6: the length is missing");
    CHECK(refusal("p tw 3 1\np tw 3 1\n") == "line 2: a second 'p' line; a file holds one graph");
}

TEST_CASE("a bad MatrixMarket file") {
    const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
    CHECK(refusal(banner) == "has no line 'rows columns entries'");
    CHECK(refusal(banner + "3 4 1\n1 1\n") == "line 2: a matrix of 3 by 4; a graph's is square");
    CHECK(refusal(banner + "3 3 2\n1 1\n") ==
          "announces 2 entries but holds 1: it is cut off; fetch it again");
    CHECK(refusal(banner + "3 3 1\n1 1\n2 2\n") == "line 4: more entries than the 1 announced");
    CHECK(refusal(banner + "3 3 1\n1 1 5\n") ==
          "line 3, column 5: '5' follows the end of 'row column value'");
    CHECK(refusal("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 x\n") ==
          "line 3, column 5: the value is 'x', where a number is right");
    CHECK(refusal("%%MatrixMarket matrix array real general\n3 3\n") ==
          "line 1, column 23: a 'matrix array', where 'matrix coordinate' is right for a graph");
    CHECK(refusal("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n1 2\n") ==
          "line 3: an entry above the diagonal of a symmetric matrix, of which only the lower half "
          "is written");
}

TEST_CASE("a bad CSR1 file") {
    CHECK(refusal("CSR1" + words({3})) ==
          "byte 8: the file ends inside the header, 4 bytes too early; fetch it again");
    CHECK(refusal("CSR1" + words({3, 3, 0, 2})) ==
          "byte 20: the file ends inside the row offsets, 8 bytes too early; fetch it again");
    CHECK(refusal("CSR1" + words({3, 3, 0, 2, 2, 3, 1})) ==
          "byte 32: the file ends inside the columns, 8 bytes too early; fetch it again");
    // A header of 16 GB is refused by the bytes that are missing, without holding 16 GB.
    CHECK(refusal("CSR1" + words({0xfffffffe, 0xffffffff, 0})) ==
          "byte 16: the file ends inside the row offsets, 1048572 bytes too early; fetch it again");
    CHECK(refusal("CSR1" + words({3, 3, 0, 2, 2, 3, 1, 2, 0, 9})) ==
          "byte 40: more bytes follow the 3 columns stated in the header");
    CHECK(refusal("CSR1" + words({3, 3, 0, 2, 1, 3, 1, 2, 0})) ==
          "row offset 2 is 1, below the 2 before it; row offsets must never fall");
    CHECK(refusal("CSR1" + words({3, 3, 1, 2, 2, 3, 1, 2, 0})) ==
          "the first row offset is 1, not 0");
    CHECK(refusal("CSR1" + words({3, 3, 0, 2, 2, 2, 1, 2, 0})) ==
          "the last row offset is 2, but there are 3 arcs; they must be equal");
    CHECK(refusal("CSR1" + words({3, 3, 0, 2, 2, 3, 1, 3, 0})) ==
          "arc 1 leads to vertex 3, but vertices run from 0 to 2");
}

TEST_CASE("real graphs have the published sizes") {
    const auto check = [](const char* name, std::uint32_t vertices, std::size_t arcs) {
        const std::string path = shared_data(std::string("graphs/") + name);
        if (path.empty()) return;
        const Csr graph = read_graph(path);
        CHECK(graph.vertices == vertices);
        CHECK(graph.col.size() == arcs);
    };
    check("wiki-Vote.txt", 7115, 103689);
    check("USA-road-FLA.gr.xz", 1070376, 2 * 1343951);
    check("cnr-2000.csr.gz", 325557, 3216152);
}

} // namespace memsim::graph_reader_test
