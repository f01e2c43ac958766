#include "target.hh"

#include "../contract/child.hh"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

/// The corpus of each fuzz target, which holds every input that was a finding once. A target
/// accepts each file whose name begins with 'good', so that it does not refuse everything, and
/// refuses each file whose name begins with 'bad'.
namespace memsim::test {

namespace {

namespace fs = std::filesystem;

/// What is wrong with how the target reads the file; nothing if it is right.
std::string fault(const FuzzTarget& target, const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes {std::istreambuf_iterator(file), {}};
    const std::string name = path.filename().string();
    const std::string message = refusal(target, bytes);
    if (name.starts_with("bad")) return message.empty() ? "is accepted" : "";
    return name.starts_with("good") ? message : "";
}

/// Reads all of a target's corpus in a child process; what is wrong. Nothing in the corpus
/// justifies much memory, except vertices without edges, of which a graph may announce 2^24.
std::string read_corpus(const FuzzTarget& target, const std::vector<fs::path>& corpus) {
    const std::uint64_t mebibytes = target.name == "graph" ? 256 : 64;
    return in_child({.mebibytes = mebibytes, .seconds = 60}, [&] {
        std::string all;
        for (const fs::path& path : corpus) {
            std::string wrong;
            try {
                wrong = fault(target, path);
            } catch (const std::exception& e) {
                wrong = e.what();
            }
            if (!wrong.empty()) all += path.string() + ": " + wrong + "\n";
        }
        return all;
    });
}

} // namespace

TEST_CASE("an input that was a finding once is accepted, or refused by a sentence", "[fuzz]") {
    for (const FuzzTarget& target : fuzz_targets()) {
        INFO(target.name);
        std::vector<fs::path> corpus;
        for (const auto& entry : fs::directory_iterator("tests/fuzz/corpus/" + target.name))
            corpus.push_back(entry.path());
        std::sort(corpus.begin(), corpus.end());
        REQUIRE_FALSE(corpus.empty());
        CHECK(read_corpus(target, corpus) == "");
    }
}

} // namespace memsim::test
