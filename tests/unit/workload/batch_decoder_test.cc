#include "workload/llm/serving/batch_decoder.hh"

#include "run.hh"

#include <catch2/catch.hpp>

#include <bit>
#include <map>
#include <set>

/// Batches of requests against their reference.
namespace memsim::batch_decoder_test {

using namespace memsim::workload;

namespace {

/// Three requests of different lengths that arrive one after the other.
BatchShape tiny() {
    BatchShape s;
    s.model = {.layers = 2,
               .hidden = 64,
               .heads = 4,
               .kv_heads = 2,
               .head_dim = 16,
               .ffn = 128,
               .vocabulary = 100,
               .context = 0,
               .tokens = 1,
               .rotary_base = 10000};
    s.requests = {.number = 3, .prompt = 21, .spread = 9, .tokens = 4, .gap = 1};
    return s;
}
BatchShape with_experts() {
    BatchShape s = tiny();
    s.experts = 5, s.used = 2;
    return s;
}
Options seeded(u64 seed) {
    Options o;
    o.seed = seed;
    return o;
}
std::string difference(const BatchShape& shape, u64 seed = 1) {
    BatchDecoder d(seeded(seed), shape);
    run_to_end(d);
    return d.difference();
}
/// Runs to the end and counts asynchronous copies.
u64 run_and_count_copies(BatchDecoder& d) {
    u64 copies = 0;
    BlockStreams out;
    for (gpu_program::Launch launch; d.next_launch(launch);)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            d.run_block(block, out);
            for (const auto& bytes : out.warps)
                for (const auto& op : read_all(bytes)) copies += op.copy;
        }
    return copies;
}
/// The tokens that the kernels generated for each request.
std::vector<std::vector<u32>> generated(const BatchMemory& m) {
    std::vector<std::vector<u32>> all;
    for (u32 r = 0; r < m.shape.requests.number; ++r) {
        const auto tokens = m.token.host().subspan(r * m.token_stride() + m.schedule.inputs[r]);
        all.emplace_back(tokens.begin(), tokens.begin() + m.shape.requests.tokens);
    }
    return all;
}

} // namespace

TEST_CASE("requests of a batch get the tokens of a request alone", "[llm]") {
    std::set<std::vector<std::vector<u32>>> different;
    // With other seeds two logits may differ by less than the rounding of the activations.
    for (u64 seed = 1; seed < 4; ++seed)
        for (BatchShape s : {tiny(), with_experts()})
            for (const u32 step_tokens : {2048u, 8u}) { // prompts whole, and in parts
                INFO(seed << " " << s.experts << " " << step_tokens);
                s.requests.step_tokens = step_tokens, s.requests.batch = 2;
                BatchDecoder d(seeded(seed), s);
                run_to_end(d);
                CHECK(d.difference() == "");
                CHECK(generated(d.arrays()) == tokens_of_single_requests(d.arrays()));
                different.insert(generated(d.arrays()));
                const std::vector<u32>& inputs = d.arrays().schedule.inputs;
                CHECK(std::set<u32>(inputs.begin(), inputs.end()).size() > 1);
            }
    CHECK(different.size() == 6);
}

namespace {

BatchShape predicting() {
    BatchShape s = with_experts();
    s.model.layers = 3;
    s.experts = 7;
    s.requests.tokens = 12;
    s.signals = {.channels = 40, .chunk = 256};
    return s;
}
/// The experts of a row in one layer, a bit each.
u64 routes(const BatchMemory& m, u32 row, u32 layer, const Array<u32>& numbers) {
    u64 mask = 0;
    for (u32 j = 0; j < m.shape.used; ++j)
        mask |= u64 {1} << numbers[(u64 {row} * m.shape.model.layers + layer) * m.shape.used + j];
    return mask;
}

} // namespace

TEST_CASE("the router of the next layer predicts experts as a reference does", "[llm]") {
    for (const u32 bits : {16u, 8u}) {
        BatchShape s = predicting();
        s.model.hidden = 128, s.model.weight_bits = bits;
        BatchDecoder d(seeded(1), s);
        run_to_end(d);
        CHECK(d.difference() == "");
        BatchShape plain = s;
        plain.signals = {};
        BatchDecoder without(seeded(1), plain);
        run_to_end(without);
        CHECK(generated(d.arrays()) == generated(without.arrays()));
        const BatchMemory& m = d.arrays();
        PredictedExperts sum;
        u32 used = 0, pairs = 0;
        for (const Step& step : m.schedule.steps) {
            for (u32 layer = 1; layer < 3; ++layer) {
                u64 chosen = 0, predicted = 0;
                for (u32 r = step.first_row; r < step.first_row + step.rows(); ++r) {
                    chosen |= routes(m, r, layer, m.routing.chosen);
                    predicted |= routes(m, r, layer, m.routing.predicted);
                }
                sum.used += static_cast<u32>(std::popcount(chosen & predicted));
                sum.unused += static_cast<u32>(std::popcount(predicted & ~chosen));
                sum.missed += static_cast<u32>(std::popcount(chosen & ~predicted));
            }
            const PredictedExperts of = predicted_experts(m, step);
            used += of.used, pairs += of.used + of.unused;
        }
        CHECK(used == sum.used);
        CHECK(pairs == sum.used + sum.unused);
        CHECK(used > 2 * sum.missed); // the hidden state changes slowly from layer to layer
        CHECK(sum.missed > 0);
    }
}

TEST_CASE("each predicted expert is signalled once to every channel", "[llm]") {
    BatchDecoder d(seeded(2), predicting());
    const BatchMemory& m = d.arrays();
    const u64 base = m.routing.signals.base, end = base + m.routing.signals.size * 4;
    std::map<u32, std::set<u64>> read; // addresses, by step
    BlockStreams out;
    u32 launches = 0, signals = 0;
    for (gpu_program::Launch launch; d.next_launch(launch); ++launches)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            d.run_block(block, out);
            for (const auto& bytes : out.warps)
                for (const auto& op : read_all(bytes))
                    for (u32 lane = 0; lane < 32 && op.kind == WarpOpKind::load; ++lane) {
                        const u64 address = op.address[lane];
                        if (!(op.mask >> lane & 1) || address < base || address >= end) continue;
                        CHECK(d.plan()[launches].kernel == BatchKernel::signal);
                        CHECK(read[d.plan()[launches].step].insert(address).second);
                        ++signals;
                    }
        }
    CHECK(signals > 0);
    std::set<u64> all;
    for (const auto& [number, addresses] : read) {
        std::set<u64> expected;
        const Step& step = m.schedule.steps[number];
        for (u32 layer = 1; layer < 3; ++layer)
            for (u32 e = 0; e < m.shape.experts; ++e) {
                bool predicted = false;
                for (u32 r = step.first_row; r < step.first_row + step.rows(); ++r)
                    predicted |= routes(m, r, layer, m.routing.predicted) >> e & 1;
                for (u32 c = 0; predicted && c < 40; ++c) {
                    const u64 at = base + u64 {m.signal(number, layer, e)} * 4 + c * 256;
                    CHECK(at / 256 % 40 == c); // the channel, of addresses distributed in turn
                    CHECK(all.insert(at / 32).second); // no cache has the sector
                    expected.insert(at);
                }
            }
        CHECK(addresses == expected);
    }
}

TEST_CASE("a shared prefix is computed once and changes no token", "[llm]") {
    BatchShape s = with_experts();
    s.requests = {.number = 3, .prompt = 45, .spread = 4, .shared = 40, .tokens = 3, .gap = 2};
    BatchDecoder d(seeded(1), s);
    run_to_end(d);
    const Schedule& schedule = d.arrays().schedule;
    u32 inputs = 0;
    for (const u32 n : schedule.inputs) inputs += n + 2;
    CHECK(schedule.rows() == inputs - 2 * 32);
    CHECK(d.difference() == "");
    CHECK(generated(d.arrays()) == tokens_of_single_requests(d.arrays()));
}

TEST_CASE("evicted requests get the tokens of a request alone", "[llm]") {
    u32 compared = 0, evicted = 0;
    for (u64 seed = 1; seed < 6; ++seed)
        for (const u32 shared : {0u, 17u})
            for (BatchShape s : {tiny(), with_experts()}) {
                s.requests = {.number = 4, .prompt = 28, .spread = 3, .shared = shared};
                s.requests.tokens = 8;
                BatchDecoder calm(seeded(seed), s);
                run_to_end(calm);
                for (const Evict evict : {Evict::recompute, Evict::swap}) {
                    INFO(static_cast<u32>(evict) << " " << seed << " " << shared);
                    s.requests.evict = evict, s.requests.blocks = 0;
                    s.requests.blocks = s.requests.least_pool() + 2;
                    BatchDecoder d(seeded(seed), s);
                    run_to_end(d);
                    for (const Step& step : d.arrays().schedule.steps) evicted += step.evicted;
                    CHECK(d.difference() == "");
                    // Two logits may differ by less than the rounding of the activations.
                    const auto alone = tokens_of_single_requests(d.arrays());
                    if (generated(calm.arrays()) != alone) continue;
                    CHECK(generated(d.arrays()) == alone);
                    ++compared;
                }
            }
    CHECK((compared >= 20 && evicted >= 20));
}

TEST_CASE("blocks of a cache of 8 bits, and contexts, are swapped", "[llm]") {
    BatchShape s = tiny();
    s.requests = {.number = 3, .context = 20, .prompt = 9, .tokens = 16, .evict = Evict::swap};
    s.requests.blocks = s.requests.least_pool() + 1;
    for (const u32 kv_bits : {16u, 8u}) {
        s.model.kv_bits = kv_bits;
        BatchDecoder d(seeded(1), s);
        run_to_end(d);
        CHECK(d.arrays().schedule.slots > 0);
        CHECK(d.difference() == "");
    }
}

TEST_CASE("prompts of several tiles are those of the reference", "[llm]") {
    BatchShape s = tiny();
    s.model.hidden = 144, s.model.ffn = 304, s.model.heads = 6, s.model.head_dim = 128;
    s.model.layers = 1, s.model.vocabulary = 77;
    s.requests = {.number = 2, .context = 17, .prompt = 150, .tokens = 2};
    CHECK(difference(s) == "");
    s.requests.step_tokens = 70;
    CHECK(difference(s) == "");
    s.experts = 3, s.used = 1;
    CHECK(difference(s) == "");
}

TEST_CASE("products with few tiles are computed in slices, of different lengths", "[llm]") {
    for (const u32 weight_bits : {16u, 8u, 4u})
        for (u64 seed = 1; seed < 4; ++seed) {
            BatchShape s = tiny();
            s.model.vocabulary = 0, s.model.hidden = 1088, s.model.ffn = 1040; // 17, 16 1/4 steps
            s.requests = {.number = 1, .prompt = 21, .tokens = 1};
            s.model.weight_bits = weight_bits;
            INFO(weight_bits << " " << seed);
            CHECK(difference(s, seed) == "");
        }
    CHECK(tile_for(21, 128, 1088) == Tile::sliced);
    CHECK(tile_for(64, 4096, 14336) == Tile::sliced);
    CHECK(tile_for(64, 2 * 14336, 4096) == Tile::small); // 448 tiles occupy a GPU
    CHECK(tile_for(100, 6144, 4096) == Tile::small);
    CHECK(tile_for(512, 4096, 14336) == Tile::large);
    CHECK(tile_for(512, 4096, 512) == Tile::large); // too few steps for slices
    CHECK(tile_for(1, 4096, 14336) == Tile::sliced);
}

TEST_CASE("products whose operands are copied to buffers have the same results", "[llm][copies]") {
    for (const u32 hidden : {320u, 1088u, 200u}) { // of several tiles, sliced, loaded to registers
        std::vector<u64> results;
        for (u32 buffers = 1; buffers <= 4; ++buffers) {
            BatchShape s = tiny();
            s.model.layers = 1, s.model.vocabulary = 77, s.model.hidden = hidden;
            s.model.ffn = hidden == 320 ? 304 : 1024;
            s.requests = {.number = 1, .prompt = hidden == 320 ? 150u : 21u, .tokens = 1};
            s.buffers = buffers;
            BatchDecoder d(seeded(1), s);
            const u64 copies = run_and_count_copies(d);
            CHECK(d.difference() == "");
            CHECK((copies != 0) == (buffers > 1));
            results.push_back(d.result_digest());
        }
        CHECK(results == std::vector<u64>(4, results[0]));
    }
}

TEST_CASE("batches with fewer bits are those of the reference", "[llm]") {
    for (const auto& [weight_bits, kv_bits] : {std::pair {8u, 16u}, {4u, 16u}, {16u, 8u}, {4u, 8u}})
        for (const u32 prompt : {9u, 40u})
            for (BatchShape s : {tiny(), with_experts()}) {
                INFO(weight_bits << " " << kv_bits << " " << prompt);
                s.model.weight_bits = weight_bits, s.model.kv_bits = kv_bits;
                s.model.hidden = 320, s.requests.prompt = prompt, s.requests.spread = 0;
                CHECK(difference(s) == "");
            }
}

TEST_CASE("a model without a vocabulary and unusual heads are those of the reference", "[llm]") {
    BatchShape s = with_experts();
    s.model.vocabulary = 0;
    CHECK(difference(s) == "");
    s = tiny();
    s.model.head_dim = 8, s.model.heads = s.model.kv_heads = 2, s.model.hidden = 8;
    s.requests.tokens = 18;
    CHECK(difference(s) == "");
    s.experts = 40, s.used = 3; // more experts than lanes
    CHECK(difference(s) == "");
    s.model.heads = 12, s.model.kv_heads = 1; // 12 rows of queries for each token
    CHECK(difference(s) == "");
}

TEST_CASE("tokens are drawn by their probabilities", "[llm]") {
    BatchShape s = tiny();
    s.temperature = 1;
    BatchDecoder drawn(seeded(1), s);
    run_to_end(drawn);
    CHECK(drawn.difference() == "");
    BatchDecoder largest(seeded(1), tiny());
    run_to_end(largest);
    CHECK(generated(drawn.arrays()) != generated(largest.arrays()));
    s.model.vocabulary = 1500; // several rounds of a warp
    CHECK(difference(s) == "");
}

TEST_CASE("the reference finds a wrong token, expert, state or cache", "[llm]") {
    BatchDecoder d(seeded(1), with_experts());
    run_to_end(d);
    const BatchMemory& m = d.arrays();
    const auto found_in = [&](auto& value, auto other) {
        const auto before = std::exchange(value, other);
        const std::string sentence = d.difference();
        value = before;
        return sentence;
    };
    u32& token = m.token[m.schedule.inputs[0] + 1];
    CHECK(found_in(token, (token + 1) % 100).starts_with("token "));
    u32& expert = m.routing.chosen[0];
    CHECK(found_in(expert, m.routing.chosen[1]).find(" uses expert ") != std::string::npos);
    u64& state = m.hidden[3];
    CHECK(found_in(state, state ^ 0x0100).starts_with("hidden[0][12] is "));
    u64& key = m.layers[1].cache[m.block_table[0] * 2 * 16 * m.shape.model.kv_size() / 4];
    CHECK(found_in(key, key ^ 0x4000).starts_with("the cache of layer 1 has "));
    CHECK(d.difference() == "");
}

TEST_CASE("a batch continues after it was saved", "[llm]") {
    BatchDecoder whole(seeded(2), with_experts()), first(seeded(2), with_experts()),
        second(seeded(2), with_experts());
    CHECK(continues(whole, first, second, 50));
    CHECK(second.difference() == "");
}

TEST_CASE("streams and values of a batch are the same with every compiler", "[llm]") {
    const auto digest = [](const BatchShape& shape) {
        BatchDecoder d(seeded(1), shape);
        return run_digest(d);
    };
    CHECK(digest(tiny()) == 0xde2c7eb5d2c654de);
    CHECK(digest(with_experts()) == 0x78f4406daba839f4);
    BatchShape large = with_experts();
    large.requests = {.number = 3, .prompt = 90, .tokens = 2};
    large.model.weight_bits = 4, large.model.kv_bits = 8, large.temperature = 1;
    CHECK(digest(large) == 0xd96e7abf1ed1c282);
}

TEST_CASE("experts, cache and activations of a batch are named regions", "[llm]") {
    BatchDecoder d(seeded(1), with_experts());
    std::set<std::string> names;
    for (const Allocation& a : d.allocations()) names.insert(a.name);
    for (const char* name : {"weights.0.qkv", "weights.1.router", "weights.1.experts.4.down",
                             "weights.embedding", "weights.head", "kv.0", "kv.1", "kv.block_table",
                             "activations.hidden", "activations.routing.chosen", "inputs.position"})
        CHECK(names.count(name) == 1);
}

TEST_CASE("only experts with tokens are read", "[llm]") {
    BatchShape s = with_experts();
    s.model.layers = 1;
    s.requests = {.number = 1, .prompt = 1, .tokens = 1}; // one token, two of five experts
    BatchDecoder d(seeded(1), s);
    std::set<std::string> read;
    BlockStreams out;
    for (gpu_program::Launch launch; d.next_launch(launch);)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            d.run_block(block, out);
            for (const auto& warp : out.warps)
                for (const auto& op : read_all(warp))
                    for (u32 lane = 0; lane < 32 && op.kind == WarpOpKind::load; ++lane)
                        for (const Allocation& a : d.allocations())
                            if ((op.mask >> lane & 1) != 0 && op.address[lane] - a.base < a.bytes)
                                read.insert(a.name);
        }
    const u32 one = d.arrays().routing.chosen[0], other = d.arrays().routing.chosen[1];
    for (u32 e = 0; e < 5; ++e)
        for (const char* matrix : {"gate", "up", "down"}) {
            const std::string name = "weights.0.experts." + std::to_string(e) + "." + matrix;
            CHECK(read.contains(name) == (e == one || e == other));
        }
}

} // namespace memsim::batch_decoder_test
