#include "child.hh"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdio>
#include <stdexcept>

#include <unistd.h>

/// A child that does not end as its function returns is never taken for a good one.
namespace memsim::test::child_test {

TEST_CASE("a child returns its function's sentence, or how it ended instead") {
    const auto outcome = [](auto function) { return in_child({}, function); };
    const std::string large(1 << 20, 'x'); // more than a pipe holds
    CHECK(outcome([] { return ""; }) == "");
    CHECK(outcome([&] { return large; }) == large);
    CHECK(outcome([]() -> std::string { throw std::runtime_error("no such line"); }) ==
          "it throws an exception: no such line");
    // A sanitizer prints its report and then exits with code 1.
    CHECK(outcome([]() -> std::string {
              std::fputs("report; ", stderr);
              _exit(1);
          }) == "report; it ends with exit code 1");
    CHECK(outcome([]() -> std::string {
              std::raise(SIGSEGV);
              return "";
          }) == "it is ended by: Segmentation fault");
}

} // namespace memsim::test::child_test
