#include "workload/llm/serving/schedule.hh"

#include <catch2/catch.hpp>

#include <set>

/// The steps in which requests are processed.
namespace memsim::serving_schedule_test {

using namespace memsim::workload;

namespace {

/// The rows of each request in each step.
std::vector<std::vector<std::pair<u32, u32>>> rows_of(const Schedule& schedule) {
    std::vector<std::vector<std::pair<u32, u32>>> all;
    for (const Step& step : schedule.steps) {
        all.emplace_back();
        for (const Span& span : step.spans) all.back().emplace_back(span.request, span.rows);
    }
    return all;
}

} // namespace

TEST_CASE("a step has tokens of running requests, then prompts as far as they fit", "[llm]") {
    const Requests requests {.number = 2, .prompt = 10, .tokens = 3, .step_tokens = 12};
    const Schedule s = make_schedule(requests, 1);
    using Rows = std::vector<std::vector<std::pair<u32, u32>>>;
    CHECK(rows_of(s) == Rows {{{0, 10}, {1, 2}}, {{0, 1}, {1, 8}}, {{0, 1}, {1, 1}}, {{1, 1}}});
    CHECK(s.steps[0].spans[0].ends);
    CHECK_FALSE(s.steps[0].spans[1].ends); // 8 tokens of its prompt are left
    CHECK(s.steps[1].spans[1].ends);
    CHECK(s.steps[1].spans[1].position == 2);
    CHECK_FALSE(s.steps[1].spans[1].begins);
    CHECK(s.steps[2].first_row == 21);
    CHECK(s.steps[2].first_end == 3);
    CHECK(s.most_rows() == 12);
    CHECK(s.most_ends() == 2);
}

TEST_CASE("requests wait for a place in the batch and for blocks of the cache", "[llm]") {
    Requests requests {.number = 3, .prompt = 16, .tokens = 2, .batch = 2};
    CHECK(make_schedule(requests, 1).steps[0].spans.size() == 2);
    CHECK(make_schedule(requests, 1).steps.size() == 4);
    requests.batch = 3;
    CHECK(make_schedule(requests, 1).steps.size() == 2);
    requests.blocks = 5; // two blocks each
    const Schedule s = make_schedule(requests, 1);
    CHECK(s.steps[0].spans.size() == 2);
    CHECK(s.steps[2].spans[0].begins);
    // Blocks of running requests differ; those of the third are free again.
    std::set<u32> blocks(s.tables[0].begin(), s.tables[0].end());
    blocks.insert(s.tables[1].begin(), s.tables[1].end());
    CHECK(blocks.size() == 4);
    blocks.insert(s.tables[2].begin(), s.tables[2].end());
    CHECK(blocks.size() <= 5);
}

TEST_CASE("requests arrive at random with a mean gap", "[llm]") {
    const Requests requests {.number = 400, .tokens = 1, .gap = 3, .batch = 400};
    const Schedule s = make_schedule(requests, 1);
    u32 steps = 0;
    for (const Step& step : s.steps) steps += step.rows() > 0;
    CHECK(steps == s.steps.size()); // idle steps are left out
    CHECK(std::is_sorted(s.arrivals.begin(), s.arrivals.end()));
    CHECK(s.steps.size() > 250);
    CHECK(s.steps.size() < 400);
    CHECK(make_schedule({.number = 400, .batch = 400}, 1).steps.size() == 1);
}

TEST_CASE("lengths of prompts are spread evenly", "[llm]") {
    const Schedule s = make_schedule({.number = 500, .prompt = 20, .spread = 4}, 1);
    CHECK(std::set<u32>(s.inputs.begin(), s.inputs.end()) == std::set<u32> {16, 17, 18, 19, 20});
}

TEST_CASE("whole blocks of a common prefix are computed once", "[llm]") {
    const Requests requests {
        .number = 3, .prompt = 50, .shared = 40, .tokens = 2, .gap = 5, .batch = 1};
    const Schedule s = make_schedule(requests, 1);
    CHECK(s.steps[0].rows() == 50);
    CHECK(s.steps[2].rows() == 18); // 32 tokens are in the cache
    CHECK(s.steps[2].spans[0].position == 32);
    CHECK(s.tables[0][0] == s.tables[1][0]);
    CHECK(s.tables[0][1] == s.tables[2][1]);
    // The last token is always processed.
    CHECK(make_schedule({.number = 2, .prompt = 32, .shared = 32, .batch = 1}, 1).steps[1].rows() ==
          16);
}

} // namespace memsim::serving_schedule_test
