#include "cmd/controller/jobs.hh"

#include <catch2/catch.hpp>

namespace memsim::jobs_test {

using namespace memsim::cmd;

TEST_CASE("a write waits for all older reads of its block", "[cmd]") {
    constexpr Jobs::Most most {300, 1, 1};
    JobsState state;
    Jobs::resize(most, state);
    Jobs jobs(most, state);
    for (int i = 0; i < 300; ++i) CHECK(jobs[jobs.add(JobKind::read, 7)].before == 0);
    const std::uint32_t write = jobs.add(JobKind::write, 7);
    CHECK(jobs[write].before == 300);
    int begun = 0;
    for (std::uint32_t id = 0; id < 300; ++id) {
        CHECK(begun == 0);
        jobs.finish(id, [&](std::uint32_t other) {
            CHECK(other == write);
            ++begun;
        });
    }
    CHECK(begun == 1);
}

} // namespace memsim::jobs_test
