#include "target.hh"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/// The corpus of each fuzz target, which holds every input that was a finding once. A file whose
/// name begins with 'good' must be taken (a target that refuses everything has rotted), one whose
/// name begins with 'bad' refused.
namespace memsim::test {

namespace {

namespace fs = std::filesystem;

/// What is wrong with how the target takes the file; nothing if it is right.
std::string fault(const FuzzTarget& target, const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes {std::istreambuf_iterator(file), {}};
    const std::string name = path.filename().string();
    const std::string message = refusal(target, bytes);
    if (name.starts_with("bad")) return message.empty() ? "is taken" : "";
    return name.starts_with("good") ? message : "";
}

/// Some MiB more than the present use.
void limit_memory(std::uint64_t mebibytes) {
#if !defined(__SANITIZE_ADDRESS__)
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const auto most = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + (mebibytes << 20);
    const rlimit limit {most, most};
    setrlimit(RLIMIT_AS, &limit);
#else
    (void)mebibytes; // AddressSanitizer reserves terabytes
#endif
}

/// Reads all of a target's corpus in a separate process: what it or a library prints, and how it
/// ends if not well. Nothing in the corpus justifies much memory, but for vertices without edges,
/// of which a graph may announce 2^24.
std::string read_corpus(const FuzzTarget& target, const std::vector<fs::path>& corpus) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]), close(ends[1]);
        limit_memory(target.name == "graph" ? 256 : 64);
        const rlimit seconds {60, 60};
        setrlimit(RLIMIT_CPU, &seconds);
        for (const fs::path& path : corpus) {
            std::string wrong;
            try {
                wrong = fault(target, path);
            } catch (const std::exception& e) {
                wrong = e.what();
            }
            if (!wrong.empty()) std::fprintf(stderr, "%s: %s\n", path.c_str(), wrong.c_str());
        }
        _exit(0);
    }
    close(ends[1]);
    std::string message;
    char piece[4096];
    for (ssize_t n; (n = read(ends[0], piece, sizeof piece)) > 0;)
        message.append(piece, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) message += std::string("ended by ") + strsignal(WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status)) message += "ended with an error";
    return message;
}

} // namespace

TEST_CASE("what fuzzing has found once is refused by a sentence, or taken", "[fuzz]") {
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
