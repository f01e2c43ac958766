#include "core/base/error.hh"
#include "core/observe/timeline_file.hh"

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

namespace memsim::timeline_file_test {

namespace {

std::string contents(const std::string& path) {
    std::ifstream in(path);
    return (std::ostringstream() << in.rdbuf()).str();
}

struct Rig {
    std::string path =
        (std::filesystem::temp_directory_path() / ("memsim-timeline-" + std::to_string(getpid())))
            .string();
    ~Rig() { std::filesystem::remove(path); }
};

} // namespace

TEST_CASE("a timeline's file is a whole array after each flush") {
    Rig rig;
    TimelineFile file(rig.path);
    file.append("1");
    CHECK(contents(rig.path).empty());
    file.flush();
    CHECK(contents(rig.path) == "[\n1\n]\n");
    file.flush();
    file.append("2");
    file.append("3");
    CHECK(contents(rig.path) == "[\n1\n]\n");
    file.flush();
    CHECK(contents(rig.path) == "[\n1,\n2,\n3\n]\n");
}

TEST_CASE("provisional elements of a timeline's file are replaced by later ones") {
    Rig rig;
    TimelineFile file(rig.path);
    file.append("1");
    file.flush({"2", "3333333333333333"});
    CHECK(contents(rig.path) == "[\n1,\n2,\n3333333333333333\n]\n");
    file.flush({"4"});
    CHECK(contents(rig.path) == "[\n1,\n4\n]\n" + std::string(18, ' '));
    file.append("5");
    CHECK(file.size() == std::string_view("[\n1,\n5\n]\n").size());
    file.flush();
    CHECK(contents(rig.path) == "[\n1,\n5\n]\n" + std::string(18, ' '));
    CHECK(TimelineFile::bytes_of({"5", "66"}) == 7);
}

TEST_CASE("a timeline's batch is flushed when it is full") {
    Rig rig;
    TimelineFile file(rig.path);
    file.append(std::string(1 << 16, '1'));
    CHECK(contents(rig.path).ends_with("1\n]\n"));
}

TEST_CASE("a timeline's batch that cannot be written leaves the array whole") {
    Rig rig;
    TimelineFile file(rig.path);
    file.append("1");
    file.flush();
    const rlimit most {10'000, RLIM_INFINITY}; // bytes of a file, for a full disk
    rlimit before {};
    getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &most);
    file.append(std::string(20'000, '2'));
    CHECK_THROWS_AS(file.flush(), ConfigError);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(contents(rig.path) == "[\n1\n]\n");
    file.append("3");
    file.flush();
    CHECK(contents(rig.path) == "[\n1,\n3\n]\n");
}

} // namespace memsim::timeline_file_test
