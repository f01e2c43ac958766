#include "core/base/error.hh"
#include "core/base/rng.hh"
#include "gpu_program/warp_stream.hh"

#include <catch2/catch.hpp>

namespace memsim::warp_stream_test {

using namespace memsim::gpu_program;

namespace {

using Addresses = WarpStreamWriter::Addresses;

Addresses strided(u32 mask, u64 base, u64 stride) {
    Addresses address {};
    for (u32 i = 0; i < warp_lanes; ++i)
        if ((mask >> i & 1) != 0) address[i] = base + stride * i;
    return address;
}

bool same_tile(const WarpOp& a, const WarpOp& b) {
    if (a.kind == WarpOpKind::await || a.kind == WarpOpKind::arrive)
        return a.tile.barrier == b.tile.barrier &&
               (a.kind == WarpOpKind::arrive || a.awaited == b.awaited);
    return a.kind != WarpOpKind::bulk_copy ||
           (a.tile.address == b.tile.address && a.tile.pitch == b.tile.pitch &&
            a.tile.row_bytes == b.tile.row_bytes && a.tile.rows == b.tile.rows &&
            a.tile.barrier == b.tile.barrier);
}

bool equal(const WarpOp& a, const WarpOp& b) {
    return a.kind == b.kind && a.width == b.width && a.has_values == b.has_values && a.pc == b.pc &&
           a.mask == b.mask && a.instructions == b.instructions && a.waits == b.waits &&
           a.passes == b.passes && a.products == b.products && a.has_result == b.has_result &&
           a.operands == b.operands && a.chained == b.chained &&
           (a.kind != WarpOpKind::arithmetic || a.unit == b.unit) && a.local == b.local &&
           a.copy == b.copy && same_tile(a, b) &&
           (!touches_memory(a.kind) || a.address == b.address) &&
           (!a.has_values || a.value == b.value);
}

WarpOp access(WarpOpKind kind, u32 pc, u32 mask, u8 width, const Addresses& address) {
    WarpOp op;
    op.kind = kind, op.pc = pc, op.mask = mask, op.width = width, op.instructions = 1;
    op.address = address;
    op.has_result = kind == WarpOpKind::load || kind == WarpOpKind::atomic;
    return op;
}

} // namespace

TEST_CASE("a strided access has nine bytes for any mask") {
    std::vector<u8> bytes;
    StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    writer.access(WarpOpKind::load, 16, ~0u, 4, strided(~0u, 0x12345678, 4));
    CHECK(bytes.size() == 9); // head, width, pc, 5 of address, stride
    writer.access(WarpOpKind::load, 16, 0xf0f0f0f0, 4, strided(0xf0f0f0f0, 0x12345678, 4));
    CHECK(bytes.size() == 9 + 9 + 4); // and a mask
    CHECK(counts.operations == 2);
    CHECK(counts.warp_instructions == 2);
    CHECK(counts.thread_instructions == 48);
    CHECK(counts.lane_accesses == 48);
}

TEST_CASE("numbers of every length use seven bits per byte and are restored, also at the end of a "
          "stream") {
    for (u32 bits = 0; bits < 64; ++bits)
        for (const u64 address : {u64 {1} << bits, (u64 {1} << bits) - 1, ~u64 {0} << bits}) {
            std::vector<u8> bytes;
            StreamCounts counts;
            WarpStreamWriter writer(bytes, counts);
            writer.access(WarpOpKind::load, 16, 1, 4, strided(1, address, 0));
            CHECK(bytes.size() == 1 + 4 + 1 + 1 + (std::bit_width(address | 1) + 6) / 7 + 1);
            for (const std::size_t after : {0, 20}) { // read with and without bytes behind it
                bytes.resize(bytes.size() + after);
                u64 position = 0;
                WarpOp op;
                WarpStreamReader(bytes, position).next(op);
                CHECK(op.address[0] == address);
                CHECK(position == bytes.size() - after);
            }
        }
}

TEST_CASE("a stream returns the written operations") {
    Rng random(1, "warp_stream");
    std::vector<u8> bytes;
    StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    std::vector<WarpOp> written;
    const u64 spans[] = {1, 256, 1 << 20, ~u64 {0}};
    for (int n = 0; n < 4000; ++n) {
        u32 mask = static_cast<u32>(random.next());
        const u64 shape = random.below(4);
        if (shape == 0) mask = ~0u;
        if (shape == 1) mask = 1u << random.below(32);
        if (mask == 0) mask = 1;
        const u64 waits = random.below(2) ? random.next() >> random.below(64) : 0;
        const u64 operands = random.below(3) ? 0 : random.next() >> random.below(64);
        writer.needs_arithmetic(operands);
        const u64 choice = random.below(13);
        if (choice == 0) {
            const u32 instructions = 1 + static_cast<u32>(random.below(300));
            writer.compute(mask, instructions, waits);
            WarpOp op;
            op.kind = WarpOpKind::compute, op.mask = mask, op.instructions = instructions;
            op.waits = waits, op.operands = operands;
            // Two in a row with one mask become one.
            if (!written.empty() && written.back().kind == WarpOpKind::compute &&
                written.back().mask == mask && (waits & ~written.back().waits) == 0 &&
                operands == 0)
                written.back().instructions += instructions;
            else
                written.push_back(op);
            continue;
        }
        if (choice == 1) {
            writer.barrier(mask, waits);
            WarpOp op;
            op.kind = WarpOpKind::barrier, op.mask = mask, op.instructions = 1;
            op.waits = waits, op.operands = operands;
            written.push_back(op);
            continue;
        }
        if (choice == 2) {
            WarpOp op;
            op.kind = WarpOpKind::shared, op.mask = mask, op.instructions = 1;
            op.pc = static_cast<u32>(random.next()), op.waits = waits, op.operands = operands;
            op.passes = 1 + static_cast<u32>(random.below(32));
            op.has_result = random.below(2) == 0;
            writer.shared(op.pc, mask, op.passes, op.has_result, waits);
            written.push_back(op);
            continue;
        }
        if (choice == 3) {
            WarpOp op;
            op.kind = WarpOpKind::matrix, op.mask = mask, op.instructions = 1;
            op.products = static_cast<u32>(random.next()), op.waits = waits, op.operands = operands;
            op.has_result = true;
            op.passes = random.below(2) == 0 ? static_cast<u32>(random.below(300)) : 0;
            writer.matrix(mask, op.products, waits, op.passes);
            written.push_back(op);
            continue;
        }
        if (choice == 4 || choice == 5) {
            WarpOp op;
            op.kind = choice == 4            ? WarpOpKind::bulk_copy
                      : random.below(2) == 0 ? WarpOpKind::arrive
                                             : WarpOpKind::await;
            op.mask = mask, op.instructions = 1, op.waits = waits, op.operands = operands;
            op.tile.barrier = static_cast<u32>(random.below(most_transaction_barriers));
            op.has_result = choice == 4;
            if (choice == 4) {
                op.pc = static_cast<u32>(random.next());
                op.tile.address = random.next() >> random.below(64);
                op.tile.pitch = random.next() >> random.below(64);
                op.tile.row_bytes = 1 + static_cast<u32>(random.below(1 << 20));
                op.tile.rows = 1 + static_cast<u32>(random.below(1 << 20));
                writer.bulk_copy(op.pc, mask, op.tile, waits);
            } else if (op.kind == WarpOpKind::arrive) {
                op.passes = 1;
                writer.arrive(mask, op.tile.barrier, waits);
            } else {
                op.awaited.bytes = random.next() >> random.below(64);
                if (random.below(2) == 0) op.awaited.arrivals = random.next() >> random.below(64);
                writer.await(mask, op.tile.barrier, op.awaited, waits);
            }
            written.push_back(op);
            continue;
        }
        if (choice == 6) {
            WarpOp op;
            op.kind = WarpOpKind::arithmetic, op.mask = mask;
            op.unit = static_cast<ArithmeticUnit>(random.below(arithmetic_units));
            op.instructions = random.below(2) ? 1 : 1 + static_cast<u32>(random.below(300));
            op.chained = random.below(2) == 0, op.waits = waits, op.operands = operands;
            writer.arithmetic(op.unit, mask, op.instructions, op.chained, waits);
            written.push_back(op);
            continue;
        }
        const WarpOpKind kinds[] = {WarpOpKind::load, WarpOpKind::store, WarpOpKind::atomic,
                                    WarpOpKind::reduce};
        const WarpOpKind kind = kinds[random.below(4)];
        const u64 base = random.next() >> random.below(64);
        Addresses address = strided(mask, base, random.next() >> random.below(64));
        if (random.below(2) == 0) {
            const u64 span = spans[random.below(4)];
            for (u32 i = 0; i < warp_lanes; ++i)
                if ((mask >> i & 1) != 0) address[i] = base + random.below(span);
        }
        WarpOp op = access(kind, static_cast<u32>(random.next()), mask, 8, address);
        op.has_values = kind != WarpOpKind::load && random.below(2) == 0;
        if (op.has_values)
            for (u32 i = 0; i < warp_lanes; ++i)
                if ((mask >> i & 1) != 0) op.value[i] = random.next();
        op.waits = waits, op.operands = operands;
        op.copy = kind == WarpOpKind::load && random.below(2) == 0;
        if (op.copy) {
            writer.copy(op.pc, mask, 8, address, waits);
            written.push_back(op);
            continue;
        }
        op.local = random.below(4) == 0;
        writer.access(kind, op.pc, mask, 8, address, op.has_values ? &op.value : nullptr, waits,
                      op.local);
        written.push_back(op);
    }
    writer.exit(~0u);

    u64 position = 0, thread_instructions = 0;
    WarpOp op;
    for (const WarpOp& expected : written) {
        const WarpOpHead head = peek(bytes, position);
        REQUIRE((head.kind == expected.kind && head.has_result == expected.has_result &&
                 head.waits == expected.waits && head.operands == expected.operands));
        if (head.kind == WarpOpKind::arithmetic)
            REQUIRE((head.unit == expected.unit && head.chained == expected.chained));
        // A new reader continues at a stored position: no state is carried between operations.
        REQUIRE(WarpStreamReader(bytes, position).next(op));
        REQUIRE(equal(op, expected));
        thread_instructions += op.thread_instructions();
    }
    REQUIRE(WarpStreamReader(bytes, position).next(op));
    CHECK(op.kind == WarpOpKind::exit);
    CHECK(thread_instructions + 32 == counts.thread_instructions);
    CHECK(position == bytes.size());
    CHECK_FALSE(WarpStreamReader(bytes, position).next(op));
}

TEST_CASE("a tile that no block can have is noticed") {
    const auto read = [](u32 barrier) {
        std::vector<u8> bytes;
        StreamCounts counts;
        WarpStreamWriter(bytes, counts).await(1, barrier, {.bytes = 128});
        u64 position = 0;
        WarpOp op;
        return WarpStreamReader(bytes, position).next(op);
    };
    CHECK(read(most_transaction_barriers - 1));
    CHECK_THROWS_AS(read(most_transaction_barriers), Panic);
    std::vector<u8> bytes;
    StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    CHECK_THROWS_AS(writer.bulk_copy(0, 1, {0, 0, 128, 0, 0}), Panic);
    CHECK_THROWS_AS(writer.bulk_copy(0, 1, {0, 0, 0, 1, 0}), Panic);
}

TEST_CASE("an arithmetic instruction takes two bytes, and one more where it needs a recent one") {
    std::vector<u8> bytes;
    StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    writer.arithmetic(ArithmeticUnit::special, ~0u);
    CHECK(bytes.size() == 2);
    writer.needs_arithmetic(1);
    writer.needs_arithmetic(1 << 6);
    writer.arithmetic(ArithmeticUnit::fp32, ~0u);
    CHECK(bytes.size() == 2 + 3);
    writer.arithmetic(ArithmeticUnit::fp32, ~0u, 100, true, 1); // needs no earlier arithmetic
    CHECK(bytes.size() == 2 + 3 + 4);
    CHECK(peek(bytes, 2).operands == (1 | 1 << 6));
    CHECK(peek(bytes, 5).operands == 0);
    CHECK(counts.operations == 3);
    CHECK(counts.warp_instructions == 102);
}

TEST_CASE("what a stretch needs is not what the operation behind it needs") {
    std::vector<u8> bytes;
    StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    writer.needs_arithmetic(2);
    writer.compute(~0u, 3);
    writer.compute(~0u, 4); // joins the stretch
    writer.needs_arithmetic(1);
    writer.compute(~0u, 5); // does not
    writer.needs_arithmetic(4);
    writer.barrier(~0u);
    WarpOp op;
    u64 position = 0;
    const std::pair<u64, u32> expected[] = {{2, 7}, {1, 5}, {4, 1}};
    for (const auto& [operands, instructions] : expected) {
        REQUIRE(WarpStreamReader(bytes, position).next(op));
        CHECK(op.operands == operands);
        CHECK(op.instructions == instructions);
    }
}

TEST_CASE("waits take a byte where a recent result is needed, and none where none is") {
    std::vector<u8> bytes;
    StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    writer.barrier(~0u);
    CHECK(bytes.size() == 1);
    writer.barrier(~0u, 1 << 6); // the seventh last result
    CHECK(bytes.size() == 1 + 2);
    writer.barrier(~0u, u64 {1} << 63);
    CHECK(bytes.size() == 1 + 2 + 11);
    writer.shared(16, ~0u, 32, true, 1);
    CHECK(bytes.size() == 1 + 2 + 11 + 4);
}

TEST_CASE("compute operations become one unless the later one waits for more") {
    std::vector<u8> bytes;
    StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    writer.compute(~0u, 5, 3);
    writer.compute(~0u, 6, 1); // its operands were present for the first
    writer.compute(~0u, 7, 4);
    writer.compute(~0u, 8);
    writer.flush();
    CHECK(counts.operations == 2);
    u64 position = 0;
    WarpOp op;
    WarpStreamReader reader(bytes, position);
    REQUIRE(reader.next(op));
    CHECK((op.instructions == 11 && op.waits == 3));
    REQUIRE(reader.next(op));
    CHECK((op.instructions == 15 && op.waits == 4));
    CHECK(peek(bytes, position).kind == WarpOpKind::exit); // there is no more
}

TEST_CASE("lanes outside the mask read as 0") {
    std::vector<u8> bytes;
    StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    Addresses noise;
    noise.fill(77);
    writer.access(WarpOpKind::store, 0, ~0u, 4, noise, &noise);
    writer.access(WarpOpKind::store, 0, 0x5, 4, noise, &noise); // strided
    noise[0] = 1, noise[1] = 9;
    writer.access(WarpOpKind::store, 0, 0x7, 4, noise, &noise); // not
    u64 position = 0;
    WarpOp op;
    WarpStreamReader reader(bytes, position);
    REQUIRE(reader.next(op));
    REQUIRE(reader.next(op));
    CHECK(op.address[1] == 0);
    CHECK(op.value[1] == 0);
    CHECK(op.address[2] == 77);
    REQUIRE(reader.next(op));
    CHECK(op.address[3] == 0);
    CHECK(op.address[1] == 9);
    CHECK(op.address[2] == 77);
}

TEST_CASE("a stream that ends inside an operation is noticed at every byte") {
    std::vector<u8> bytes;
    StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    Addresses address {};
    address[1] = 300, address[4] = 1 << 20;
    writer.access(WarpOpKind::store, 300, 0x13, 4, address, &address, 300);
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        const std::vector<u8> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
        u64 position = 0;
        WarpOp op;
        CHECK_THROWS_AS(WarpStreamReader(cut, position).next(op), Panic);
        CHECK(position == 0);
    }
}

} // namespace memsim::warp_stream_test
