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

namespace {

/// Two requests of 16 + 20 tokens, each of three blocks, in a cache of four.
Requests crowded(Evict evict) {
    return {.number = 2, .prompt = 16, .tokens = 20, .blocks = 4, .evict = evict};
}
u32 evictions(const Schedule& s) {
    u32 all = 0;
    for (const Step& step : s.steps) all += step.evicted;
    return all;
}
/// Each step writes blocks of its own requests only, and all tokens are processed.
void check_blocks(const Requests& requests, const Schedule& s) {
    std::vector<u32> done(requests.number), chosen(requests.number);
    for (const Step& step : s.steps) {
        std::set<u32> written;
        for (const Swap& in : step.ins) CHECK(written.insert(in.block).second);
        written.clear();
        for (const Span& span : step.spans) {
            const std::vector<u32>& table = s.tables[span.table];
            std::set<u32> own;
            for (u32 i = span.position / 16; i <= (span.position + span.rows - 1) / 16; ++i)
                own.insert(table.at(i));
            for (const u32 block : own) CHECK(written.insert(block).second);
            done[span.request] = span.position + span.rows;
            chosen[span.request] += span.ends;
        }
        CHECK(step.rows() <= requests.step_tokens);
    }
    for (u32 r = 0; r < requests.number; ++r) {
        CHECK(done[r] == s.inputs[r] + requests.tokens - 1);
        CHECK(chosen[r] == requests.tokens);
    }
}

} // namespace

TEST_CASE("without eviction a request waits for all of its blocks", "[llm]") {
    const Schedule s = make_schedule(crowded(Evict::none), 1);
    CHECK(s.steps.size() == 40);
    CHECK(evictions(s) == 0);
    CHECK(s.tables.size() == 2);
}

TEST_CASE("the request admitted last is evicted when another one needs its block", "[llm]") {
    const Schedule s = make_schedule(crowded(Evict::swap), 1);
    // Both have two blocks up to token 32; the first one then needs a third.
    CHECK(s.steps[16].spans.size() == 2);
    CHECK(s.steps[16].evicted == 0);
    CHECK(s.steps[17].evicted == 1);
    CHECK(s.steps[17].spans.size() == 1);
    CHECK(s.steps[17].spans[0].request == 0);
    CHECK(s.steps[17].outs.size() == 2);
    CHECK(s.slots == 2);
    // The first request ends after step 19; the other one continues where it was.
    CHECK(s.steps[20].ins.size() == 2);
    CHECK(s.steps[20].spans[0].position == 32);
    CHECK_FALSE(s.steps[20].spans[0].begins);
    CHECK(s.steps.size() == 23);
    CHECK(s.tables.size() == 3);
    CHECK(s.tables[2].size() == 3);
    check_blocks(crowded(Evict::swap), s);
}

TEST_CASE("with recompute all tokens of an evicted request are its input", "[llm]") {
    const Schedule s = make_schedule(crowded(Evict::recompute), 1);
    CHECK(s.slots == 0);
    CHECK(s.steps[20].spans[0].position == 0);
    CHECK(s.steps[20].spans[0].rows == 33); // 32 that were in the cache, and the last token
    CHECK(s.steps[20].spans[0].ends);
    CHECK(s.steps.size() == 23);
    check_blocks(crowded(Evict::recompute), s);
}

TEST_CASE("loads with evictions process every token once, or again", "[llm]") {
    u32 all = 0;
    for (const Evict evict : {Evict::recompute, Evict::swap})
        for (u64 seed = 1; seed < 6; ++seed)
            for (const u32 shared : {0u, 35u})
                for (const u32 step_tokens : {16u, 2048u}) {
                    Requests requests {.number = 9, .prompt = 60, .spread = 20, .shared = shared};
                    requests.tokens = 30, requests.gap = 2, requests.batch = 5;
                    requests.step_tokens = step_tokens, requests.evict = evict;
                    requests.blocks = requests.least_pool() + 4;
                    const Schedule s = make_schedule(requests, seed);
                    check_blocks(requests, s);
                    all += evictions(s);
                }
    CHECK(all > 40);
}

} // namespace memsim::serving_schedule_test
