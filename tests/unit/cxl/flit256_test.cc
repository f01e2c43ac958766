#include "cxl/flit/flit256.hh"

#include "support.hh"

namespace memsim::flit256_test {

using namespace memsim::cxl;

namespace {

using FlitBytes = std::array<std::uint8_t, Flit256::bytes>;
constexpr Header256 header {Header256::Type::messages, Header256::Command::nak, 0x2a5};

} // namespace

TEST_CASE("a 256-byte flit is restored from its bytes", "[cxl][flit256]") {
    Rng random(1, "flits");
    for (const bool optimised : {false, true}) {
        const Layout256 layout(optimised);
        for (int i = 0; i < 200; ++i) {
            Flit256 flit;
            for (std::uint32_t s = 0; s < Flit256::slots; ++s) {
                const SlotBits bits = static_cast<SlotBits>(random.next()) << 64 | random.next();
                const std::uint32_t unused = 8 * (16 - layout.size(s));
                flit.set_slot(s, bits << unused >> unused);
            }
            flit.credits = static_cast<std::uint16_t>(random.next());
            FlitBytes bytes {};
            layout.write(header, flit, bytes.data());
            CHECK(layout.read(bytes.data()) == flit);
            CHECK(layout.header(bytes.data()) == header);
            CHECK(layout.passes(bytes.data()));
            CHECK(layout.passes(bytes.data(), 1));
        }
    }
}

TEST_CASE("slots, credits and check bytes lie at CXL's positions", "[cxl][flit256]") {
    const auto written = [](bool optimised, std::uint32_t slot, bool credits = false) {
        Flit256 flit;
        if (credits)
            flit.credits = 0xffff;
        else
            flit.set_slot(slot, ~SlotBits {0});
        FlitBytes bytes {};
        Layout256(optimised).write({}, flit, bytes.data());
        std::vector<std::size_t> at; // check bytes left out
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const bool check = optimised ? (i >= 122 && i < 128) || i >= 244 : i >= 242;
            if (bytes[i] == 0xff && !check) at.push_back(i);
        }
        return at;
    };
    const auto run = [](std::size_t from, std::size_t n) {
        std::vector<std::size_t> at;
        for (std::size_t i = 0; i < n; ++i) at.push_back(from + i);
        return at;
    };
    CHECK(written(false, 0) == run(2, 14));
    for (std::uint32_t s = 1; s < 15; ++s) CHECK(written(false, s) == run(16 * s, 16));
    CHECK(written(false, 0, true) == run(240, 2));
    CHECK(written(true, 0) == run(2, 14));
    for (std::uint32_t s = 1; s < 7; ++s) CHECK(written(true, s) == run(16 * s, 16));
    auto split = run(112, 10);
    for (std::size_t i = 128; i < 134; ++i) split.push_back(i);
    CHECK(written(true, 7) == split);
    CHECK(written(true, 8) == run(134, 12));
    for (std::uint32_t s = 9; s < 15; ++s) CHECK(written(true, s) == run(146 + 16 * (s - 9), 16));
    CHECK(written(true, 0, true) == run(242, 2));
    CHECK(header.bits() == (0b10 | 0b10 << 4 | 0x2a5 << 6));
}

TEST_CASE("credits return in CRD as 0, 1, 4, 8, 12 or 16 of each class", "[cxl][flit256]") {
    Credits from, to;
    from.owed = {16 + 12 + 3, 5, 0};
    std::vector<std::uint32_t> seen;
    for (int i = 0; i < 6; ++i) {
        CreditField::take_back(CreditField::give_back(from), to);
        seen.push_back(to.left[0]);
    }
    CHECK(seen == std::vector<std::uint32_t> {16, 28, 29, 30, 31, 31});
    CHECK(to.left == std::array<std::uint32_t, 3> {31, 5, 0});
    CHECK(from.most_owed() == 0);
}

TEST_CASE("a header of a 256-byte flit is restored from its bits", "[cxl][flit256]") {
    Rng random(2, "headers");
    for (std::uint16_t tag = 0; tag < 3000; ++tag) {
        const Message m = random_message(tag % 2, random, tag);
        const Message sent = Encoding256::as_sent(m);
        const SlotBits bits = Encoding256::encode(sent);
        const Channel c = m.channel();
        const std::uint32_t width = c == Channel::req   ? Encoding256::req_bits
                                    : c == Channel::rwd ? Encoding256::rwd_bits
                                                        : Encoding256::response_bits;
        REQUIRE(bits >> width == 0);
        if (c == Channel::req) REQUIRE(bits >> (96 - Encoding256::format_bits) == 0); // an HS slot
        Message r = Encoding256::decode(c, bits);
        r.data = m.data, r.enables = sent.enables, r.aside = m.aside;
        REQUIRE(Encoding256::chunks(r) == Encoding256::chunks(sent));
        Encoding256::restore(r);
        REQUIRE(same(r, m));
    }
}

TEST_CASE("a line is always transferred as a whole, and a write of a half is a partial write",
          "[cxl][flit256]") {
    Message half = message(Opcode::mem_wr);
    half.half = true;
    CHECK(Encoding256::chunks(Encoding256::as_sent(half)) == 5); // byte enables with them
    CHECK(Encoding256::as_sent(half).opcode == Opcode::mem_wr_ptl);
    CHECK(Encoding256::chunks(Encoding256::as_sent(message(Opcode::mem_wr))) == 4);
    half = message(Opcode::mem_data);
    half.half = true;
    CHECK(Encoding256::chunks(Encoding256::as_sent(half)) == 4);
    CHECK(Encoding256::chunks(message(Opcode::mem_rd)) == 0);
}

} // namespace memsim::flit256_test
