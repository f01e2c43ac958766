#include "cxl/flit/packer256.hh"

#include "support.hh"

namespace memsim::packer256_test {

using namespace memsim::cxl;

namespace {

constexpr std::uint32_t plenty = 1'000'000;

struct Ends {
    Layout256 layout;
    MessagesOut packing;
    MessagesIn unpacking;
    Credits credits;
    bool overdue = false;
    Packer256 packer {packing, overdue, layout};
    Unpacker256 unpacker {unpacking, layout};

    explicit Ends(bool optimised = false) : layout(optimised) {
        credits.left = {plenty, plenty, plenty};
    }
    /// One flit crosses as bytes. Of each slot its format, or 'd': data.
    std::string flit() {
        Flit256 f;
        Asides256 asides;
        packer.fill(f, asides, credits);
        std::array<std::uint8_t, Flit256::bytes> bytes {};
        layout.write({}, f, bytes.data());
        const Flit256 read = layout.read(bytes.data());
        std::string formats;
        const auto take = [&](std::uint32_t from, std::uint32_t to, std::span<const Aside> of) {
            std::size_t used = 0;
            for (std::uint32_t s = from; s < to; ++s) {
                const bool data = unpacking.missing && !layout.header_only(s);
                const auto parts = unpacking.parts.size();
                unpacker.take(read, s, s + 1, of.subspan(used));
                used += unpacking.parts.size() - parts;
                static constexpr std::string_view names = ".   R W     DN  ";
                formats += data ? 'd' : names[read.words[2 * s] & 15];
            }
            REQUIRE(used == of.size());
        };
        take(0, layout.first_slots(), asides.of_first());
        take(layout.first_slots(), Flit256::slots, asides.of_rest());
        return formats;
    }
    void push(Opcode op, std::uint16_t n) {
        for (std::uint16_t t = 0; t < n; ++t) packing.push(message(op, t));
    }
};

} // namespace

TEST_CASE("three writes fill a standard flit; the optimised one wastes its HS slot on them",
          "[cxl][flit256]") {
    Ends e;
    e.push(Opcode::mem_wr, 6);
    for (int i = 0; i < 2; ++i) CHECK(e.flit() == "WddddWddddWdddd");
    CHECK(e.packing.waiting() == 0);
    Ends lopt(true);
    lopt.push(Opcode::mem_wr, 5);
    CHECK(lopt.flit() == "WddddWdd.ddWddd");
    CHECK(lopt.flit() == "WdddddWd.ddd...");
    for (std::uint16_t t = 0; t < 5; ++t)
        CHECK(same(lopt.unpacking.pop(), message(Opcode::mem_wr, t)));
}

TEST_CASE("a half of 128 bytes has four Req at most, and messages to the device stay in order",
          "[cxl][flit256]") {
    Ends e;
    e.push(Opcode::mem_rd, 9);
    CHECK(e.flit() == "RRRR....RRRR...");
    CHECK(e.flit() == "R..............");
    Ends lopt(true);
    lopt.push(Opcode::mem_rd, 9);
    CHECK(lopt.flit() == "RRRR....RRRR...");
    Ends w; // what waits for a credit is not passed
    w.credits.left[2] = 1;
    w.push(Opcode::mem_wr, 2);
    w.push(Opcode::mem_rd, 1);
    CHECK(w.flit() == "Wdddd..........");
    CHECK(w.packing.waiting() == 2);
    CHECK(w.credits.left[2] == 0);
}

TEST_CASE("the data of 44 reads take 13 flits, with two or three headers per slot",
          "[cxl][flit256]") {
    Ends e;
    e.push(Opcode::mem_data, 200);
    CHECK(e.flit() == "DddddddddDddddd");
    CHECK(e.flit() == "Ddddddddddddddd");
    CHECK(e.flit() == "DdddddddddDdddd");
    for (int i = 3; i < 13; ++i) e.flit();
    CHECK(e.packing.waiting() == 200 - 44);
    CHECK(e.packing.chunks.empty());
}

TEST_CASE("no header with data is added behind an outstanding flit of data", "[cxl][flit256]") {
    Ends e(true); // its two header slots could have 16 chunks a flit, 13 leave
    e.push(Opcode::mem_data, 200);
    std::uint32_t most = 0;
    for (int i = 0; i < 40; ++i) {
        e.flit();
        most = std::max(most, e.packing.chunks.size());
    }
    CHECK(4 * (200 - e.packing.waiting()) == 40 * 13 + e.packing.chunks.size());
    CHECK(most < Packer256::most_pending + 12);
}

TEST_CASE("NDR are sent in pairs before DRS; a single one waits at most one flit",
          "[cxl][flit256]") {
    Ends e;
    e.push(Opcode::mem_data, 50);
    e.push(Opcode::cmp, 3);
    CHECK(e.flit() == "NDddddddddddddD");
    CHECK_FALSE(e.overdue);
    CHECK(e.flit() == "Ddddddddddddddd");
    CHECK(e.packing.responses.size() == 1);
    CHECK(e.overdue);
    CHECK(e.flit()[0] == 'N');
    CHECK_FALSE(e.overdue);
    Ends many;
    many.push(Opcode::cmp, 20);
    CHECK(many.flit() == "NNN.....NN....."); // six a half
    CHECK(many.packing.waiting() == 8);
}

TEST_CASE("no message is packed into 256-byte flits without a credit of its class",
          "[cxl][flit256]") {
    Ends e;
    e.credits.left = {1, 1, 2};
    e.push(Opcode::mem_data, 5);
    e.push(Opcode::cmp, 5);
    e.flit();
    CHECK(e.packing.waiting() == 7);
    CHECK(e.credits.left == std::array<std::uint32_t, 3> {1, 0, 0});
    CHECK_FALSE(e.packing.wants_header(e.credits));
}

TEST_CASE("messages packed into 256-byte flits are restored in the order of their class",
          "[cxl][flit256]") {
    for (const bool optimised : {false, true})
        for (const bool device : {false, true}) {
            Ends e(optimised);
            comes_out_as_packed(e, device);
        }
}

} // namespace memsim::packer256_test
