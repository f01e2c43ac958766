#include "workload/llm/decoder.hh"
#include "workload/llm/quantised.hh"

#include "run.hh"

#include <catch2/catch.hpp>

#include <numeric>
#include <set>

/// A decoder against its reference, and where its attention reads.
namespace memsim::decoder_test {

using namespace memsim::workload;

namespace {

DecoderShape tiny() {
    return {.layers = 2,
            .hidden = 64,
            .heads = 4,
            .kv_heads = 2,
            .head_dim = 16,
            .ffn = 128,
            .vocabulary = 100,
            .context = 20,
            .tokens = 4,
            .rotary_base = 10000};
}
/// Several parts of the context, the second of which begins while tokens are decoded; sizes that
/// are no multiples of a warp's.
DecoderShape uneven() {
    DecoderShape s = tiny();
    s.hidden = 136, s.ffn = 300, s.heads = 6, s.kv_heads = 2, s.head_dim = 128;
    s.context = 126, s.tokens = 4, s.vocabulary = 77;
    return s;
}
Options seeded(u64 seed) {
    Options o;
    o.seed = seed;
    return o;
}
std::vector<u32> tokens_of(const Decoder& d) {
    const auto all = d.arrays().token.host();
    return {all.begin(), all.end()};
}

/// Elements of an array that `attend` reads in layer 0 for a head of keys and values, when the
/// first token is decoded.
template <class T>
std::set<u64> attention_reads(Decoder& decoder, u32 kv_head, const Array<T>& array) {
    std::set<u64> found;
    BlockStreams out;
    for (gpu_program::Launch launch; found.empty() && decoder.next_launch(launch);)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            decoder.run_block(block, out);
            if (launch.kernel != "attend" || block % launch.grid[0] != kv_head) continue;
            for (const auto& warp : out.warps)
                for (const auto& op : read_all(warp))
                    for (u32 lane = 0; lane < 32 && op.kind == WarpOpKind::load; ++lane)
                        if ((op.mask >> lane & 1) != 0 &&
                            op.address[lane] - array.base < array.size * sizeof(T))
                            found.insert((op.address[lane] - array.base) / sizeof(T));
        }
    return found;
}
std::set<u64> cache_reads(Decoder& decoder, u32 kv_head) {
    return attention_reads(decoder, kv_head, decoder.arrays().layers[0].cache);
}
/// Keys and values of one head for all tokens, in the blocks that the table names.
std::set<u64> cache_of(const DecoderMemory& m, u32 kv_head) {
    const DecoderShape& s = m.shape;
    const u64 row = s.head_dim * 2; // bytes
    std::set<u64> all;
    for (u32 token = 0; token <= s.context; ++token)
        for (u64 which = 0; which < 2; ++which)
            for (u64 byte = 0; byte < row; byte += 8) {
                const u64 slot = (m.block_table[token / 16] * 2 + which) * 16 + token % 16;
                all.insert(((slot * s.kv_heads + kv_head) * row + byte) / 8);
            }
    return all;
}

} // namespace

TEST_CASE("bf16 is rounded to nearest, ties to even", "[llm]") {
    CHECK(to_bf16(1.0f) == 0x3f80);
    CHECK(to_bf16(1.00390625f) == 0x3f80); // halfway to the next
    CHECK(to_bf16(1.01171875f) == 0x3f82);
    CHECK(to_bf16(1.00390637f) == 0x3f81);
    CHECK(to_bf16(-2.5f) == 0xc020);
    CHECK(packed_bf16(0xc02000003f800000, 1) == 1.0f);
    CHECK(packed_bf16(0xc02000003f800000, 3) == -2.5f);
}

TEST_CASE("a tiny model decodes the tokens of its reference", "[llm]") {
    std::set<std::vector<u32>> different;
    for (u64 seed = 1; seed < 4; ++seed) {
        Decoder d(seeded(seed), tiny());
        run_to_end(d);
        CHECK(d.difference() == "");
        different.insert(tokens_of(d));
    }
    CHECK(different.size() == 3);
    CHECK(std::set<u32>(different.begin()->begin(), different.begin()->end()).size() > 2);
}

TEST_CASE("shapes that do not fill warps or blocks decode the reference's tokens", "[llm]") {
    for (const u32 vocabulary : {77u, 0u}) {
        DecoderShape s = uneven();
        s.vocabulary = vocabulary;
        Decoder d(seeded(1), s);
        run_to_end(d);
        CHECK(d.difference() == "");
    }
    DecoderShape s = tiny();
    s.head_dim = 8, s.heads = s.kv_heads = 2, s.context = 0, s.tokens = 18, s.hidden = 8;
    Decoder d(seeded(1), s);
    run_to_end(d);
    CHECK(d.difference() == "");
}

TEST_CASE("the reference finds a wrong token, state or cache", "[llm]") {
    Decoder d(seeded(1), tiny());
    run_to_end(d);
    const DecoderMemory& m = d.arrays();
    const u32 token = m.token[2];
    m.token[2] = (token + 1) % 100;
    CHECK(d.difference().starts_with("token 2 is "));
    m.token[2] = token;
    const float state = m.hidden[5];
    m.hidden[5] = state + 0.001f;
    CHECK(d.difference().starts_with("hidden[5] is "));
    m.hidden[5] = state;
    // The key of the first token decoded.
    const u64 slot = m.block_table[1] * 2 * 16 + 4;
    u64& key = m.layers[1].cache[slot * m.shape.kv_size() / 4];
    key ^= 0x0004;
    CHECK(d.difference().starts_with("the cache of layer 1 has "));
    key ^= 0x0004;
    CHECK(d.difference() == "");
}

TEST_CASE("attention reads the blocks that the block table names", "[llm]") {
    DecoderShape s = uneven();
    Decoder d(seeded(1), s);
    const auto table = d.arrays().block_table.host();
    CHECK(!std::is_sorted(table.begin(), table.end()));
    CHECK(cache_reads(d, 0) == cache_of(d.arrays(), 0));

    // Another order of the blocks is another context: with the reference's table in order, the
    // result differs.
    Decoder whole(seeded(1), s);
    run_to_end(whole);
    DecoderMemory ignored = whole.arrays();
    std::vector<u32> in_order(table.size());
    std::iota(in_order.begin(), in_order.end(), 0u);
    ignored.block_table.data = in_order.data();
    CHECK(decoder_difference(ignored) != "");
}

TEST_CASE("heads of a group share the keys and values of one head", "[llm]") {
    for (u32 kv_head = 0; kv_head < 2; ++kv_head) {
        Decoder cache(seeded(1), tiny());
        CHECK(cache_reads(cache, kv_head) == cache_of(cache.arrays(), kv_head));
        Decoder queries(seeded(1), tiny());
        std::set<u64> group; // heads 0 and 1, or 2 and 3
        for (u64 i = 0; i < 32; ++i) group.insert(kv_head * 32 + i);
        CHECK(attention_reads(queries, kv_head, queries.arrays().qkv) == group);
    }
    // The result depends on the group: with as many heads of keys and values laid out otherwise,
    // the reference has another one.
    Decoder d(seeded(1), tiny());
    run_to_end(d);
    DecoderMemory swapped = d.arrays();
    std::vector<u64> cache(swapped.layers[0].cache.host().begin(),
                           swapped.layers[0].cache.host().end());
    for (u64 row = 0; row < cache.size() / 8; ++row)
        if (row / 16 % 32 != 0 || row % 16 != 4) // all but the token's own
            std::swap_ranges(cache.begin() + static_cast<std::ptrdiff_t>(row * 8),
                             cache.begin() + static_cast<std::ptrdiff_t>(row * 8 + 4),
                             cache.begin() + static_cast<std::ptrdiff_t>(row * 8 + 4));
    swapped.layers[0].cache.data = cache.data();
    CHECK(decoder_difference(swapped) != "");
}

TEST_CASE("a decoder continues after it was saved", "[llm]") {
    Decoder whole(seeded(2), tiny()), first(seeded(2), tiny()), second(seeded(2), tiny());
    CHECK(continues(whole, first, second, 30)); // in the second token
    CHECK(second.difference() == "");
}

TEST_CASE("streams and values of a decoder are the same with every compiler", "[llm]") {
    Decoder d(seeded(1), tiny());
    CHECK(run_digest(d) == 0xa2fe3b554e074e70);
    DecoderShape shape = tiny();
    shape.weight_bits = 4, shape.kv_bits = 8, shape.context = 200;
    Decoder small(seeded(1), shape);
    CHECK(run_digest(small) == 0x438e176948804978);
}

TEST_CASE("weights, cache and activations are named regions", "[llm]") {
    Decoder d(seeded(1), tiny());
    std::set<std::string> names;
    for (const Allocation& a : d.allocations()) names.insert(a.name);
    for (const char* name : {"weights.0.qkv", "weights.1.down", "weights.embedding", "weights.head",
                             "kv.0", "kv.1", "kv.block_table", "activations.hidden"})
        CHECK(names.count(name) == 1);
}

TEST_CASE("integers are unpacked with their sign", "[llm]") {
    CHECK(packed_integer(0x7f80ff01, 0, 8) == 1.0f);
    CHECK(packed_integer(0x7f80ff01, 1, 8) == -1.0f);
    CHECK(packed_integer(0x7f80ff01, 2, 8) == -128.0f);
    CHECK(packed_integer(0x7f80ff01, 3, 8) == 127.0f);
    CHECK(packed_integer(0xf000000000000087, 0, 4) == 7.0f);
    CHECK(packed_integer(0xf000000000000087, 1, 4) == -8.0f);
    CHECK(packed_integer(0xf000000000000087, 15, 4) == -1.0f);
}

TEST_CASE("floats of 8 bits are rounded to nearest, ties to even", "[llm]") {
    for (u32 code = 0; code < 256; ++code)
        if ((code & 0x7f) != 0x7f && code != 0x80)
            CHECK(to_e4m3(from_e4m3(static_cast<std::uint8_t>(code))) == code);
    CHECK(from_e4m3(0x7e) == 448.0f);
    CHECK(from_e4m3(0x38) == 1.0f);
    CHECK(from_e4m3(0x01) == 0x1p-9f);
    CHECK(to_e4m3(1.0625f) == 0x38); // halfway between 1 and 1.125
    CHECK(to_e4m3(1.1875f) == 0x3a);
    CHECK(to_e4m3(-1.07f) == 0xb9);
    CHECK(to_e4m3(0x1p-10f) == 0x00);
    CHECK(to_e4m3(0x3p-10f) == 0x02);
    CHECK(to_e4m3(1000.0f) == 0x7e);
    CHECK(to_e4m3(-460.0f) == 0xfe);
}

TEST_CASE("decoders of fewer bits have the reference's tokens", "[llm]") {
    for (const auto& [weight_bits, kv_bits] : {std::pair {8u, 16u}, {4u, 16u}, {16u, 8u}, {4u, 8u}})
        for (DecoderShape shape : {tiny(), uneven()}) {
            INFO(weight_bits << " " << kv_bits);
            shape.weight_bits = weight_bits, shape.kv_bits = kv_bits;
            shape.ffn = shape.ffn / 16 * 16, shape.hidden = shape.hidden / 16 * 16;
            Decoder d(seeded(3), shape);
            run_to_end(d);
            CHECK(d.difference() == "");
            const Matrix& gate = d.arrays().layers[0].gate;
            CHECK(gate.words.size == u64 {shape.ffn} * shape.hidden * weight_bits / 64);
            CHECK((gate.scales.size != 0) == (weight_bits < 16));
        }
}

TEST_CASE("a wrong scale and a wrong value of the cache are found", "[llm]") {
    DecoderShape shape = tiny();
    shape.weight_bits = 8, shape.kv_bits = 8;
    Decoder scaled(seeded(1), shape);
    run_to_end(scaled);
    scaled.arrays().layers[1].down.scales[3] ^= 0x40;
    CHECK(scaled.difference() != "");
    Decoder cached(seeded(1), shape);
    run_to_end(cached);
    for (u32& word : cached.arrays().layers[0].small_cache.host()) word ^= 0x20;
    CHECK(cached.difference() != "");
}

} // namespace memsim::decoder_test
