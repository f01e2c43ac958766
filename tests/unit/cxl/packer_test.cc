#include "cxl/flit/packer.hh"

#include "support.hh"

namespace memsim::packer_test {

using namespace memsim::cxl;

namespace {

constexpr std::uint32_t plenty = 1'000'000;

struct Ends {
    MessagesOut packing;
    MessagesIn unpacking;
    Packer packer {packing};
    Unpacker unpacker;
    Credits credits;
    std::uint32_t protocol_flits = 0, data_flits = 0;

    explicit Ends(bool from_device) : unpacker(unpacking, from_device) {
        credits.left = {plenty, plenty, plenty};
    }
    /// One flit crosses; its protocol header, or 0.
    std::uint32_t flit() {
        Flit f;
        Asides asides {};
        REQUIRE(packer.all_data() == unpacker.all_data());
        if (packer.all_data()) {
            packer.all_data_flit(f);
            unpacker.take_all_data(f);
            ++data_flits;
            return 0;
        }
        packer.protocol_flit(f, asides, credits);
        unpacker.take_protocol(f, asides);
        ++protocol_flits;
        return f.header();
    }
    std::uint32_t flits() const { return protocol_flits + data_flits; }
    std::vector<std::uint64_t> formats(std::uint32_t header) const {
        std::vector<std::uint64_t> f;
        for (const Field& field : FlitFields::format) f.push_back(field.get(header));
        return f;
    }
    using Formats = std::vector<std::uint64_t>;
};

} // namespace

TEST_CASE("one or two read requests share a flit; a third waits", "[cxl][packer]") {
    Ends e(false);
    for (std::uint16_t t = 0; t < 3; ++t) e.packing.push(message(Opcode::mem_rd, t));
    CHECK(e.formats(e.flit()) == Ends::Formats {5, 4, 0, 0});
    CHECK(e.packing.waiting() == 1);
    e.flit();
    for (std::uint16_t t = 0; t < 3; ++t)
        CHECK(same(e.unpacking.pop(), message(Opcode::mem_rd, t)));
    CHECK(e.unpacking.empty());
}

TEST_CASE("four writes take five flits: the rollover makes the fifth an all-data flit",
          "[cxl][packer]") {
    Ends e(false);
    for (std::uint16_t t = 0; t < 9; ++t) e.packing.push(message(Opcode::mem_wr, t));
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 4; ++i) CHECK(e.formats(e.flit()) == Ends::Formats {4, 0, 0, 0});
        CHECK(e.packer.all_data());
        e.flit();
    }
    CHECK(e.packing.waiting() == 1);
    for (std::uint16_t t = 0; t < 8; ++t)
        CHECK(same(e.unpacking.pop(), message(Opcode::mem_wr, t)));
}

TEST_CASE("one write per flit: the header of a second waits for the next flit", "[cxl][packer]") {
    Ends e(false);
    Message half = message(Opcode::mem_wr, 1);
    half.half = true;
    for (int i = 0; i < 2; ++i) e.packing.push(half);
    // Two chunks of data leave a slot, into which the second header must not go.
    CHECK(e.formats(e.flit()) == Ends::Formats {4, 0, 0, 0});
    CHECK(e.packing.waiting() == 1);
    CHECK_FALSE(FlitFields::whole.get(e.flit()));
}

TEST_CASE("the data of eight reads take nine flits, with two headers per slot", "[cxl][packer]") {
    Ends e(true);
    for (std::uint16_t t = 0; t < 24; ++t) e.packing.push(message(Opcode::mem_data, t));
    for (int i = 0; i < 18; ++i) e.flit();
    CHECK(e.packing.waiting() == 8);
    for (std::uint16_t t = 0; t < 16; ++t)
        CHECK(same(e.unpacking.pop(), message(Opcode::mem_data, t)));
    CHECK(e.protocol_flits == 8);
    CHECK(e.data_flits == 10);
}

TEST_CASE("data headers share a slot only if each moves a whole line", "[cxl][packer]") {
    Ends e(true);
    Message half = message(Opcode::mem_data, 7);
    half.half = true;
    e.packing.push(half);
    e.packing.push(message(Opcode::mem_data, 8));
    e.packing.push(message(Opcode::mem_data, 9));
    CHECK(e.formats(e.flit()) == Ends::Formats {3, 0, 0, 0}); // the half one alone,
    CHECK(e.packing.waiting() == 2);
    CHECK(e.formats(e.flit()) == Ends::Formats {5, 0, 0, 0}); // the others in one slot
    CHECK(same(e.unpacking.pop(), half));
}

TEST_CASE("data headers share a slot only as far as there are credits", "[cxl][packer]") {
    Ends e(true);
    e.credits.left = {0, plenty, 1};
    for (std::uint16_t t = 0; t < 3; ++t) e.packing.push(message(Opcode::mem_data, t));
    CHECK(e.formats(e.flit()) == Ends::Formats {3, 0, 0, 0});
    CHECK(e.packing.waiting() == 2);
    CHECK(e.credits.left[2] == 0);
}

TEST_CASE("two completions fill slot 0, and three data headers one behind it", "[cxl][packer]") {
    Ends e(true);
    for (std::uint16_t t = 0; t < 3; ++t) {
        e.packing.push(message(Opcode::mem_data, t));
        e.packing.push(message(Opcode::cmp, static_cast<std::uint16_t>(10 + t)));
    }
    CHECK(e.formats(e.flit()) == Ends::Formats {4, 6, 0, 0});
    CHECK(e.packing.waiting() == 1); // the third completion: two a flit
    while (e.packer.all_data()) e.flit();
    CHECK(e.data_flits == 2);
    e.flit(); // two chunks, and the completion in slot 0
    CHECK(e.packing.waiting() == 0);
    std::uint32_t seen = 0;
    for (; !e.unpacking.empty(); ++seen) e.unpacking.pop();
    CHECK(seen == 6);
}

TEST_CASE("byte enables follow the data of a partial write", "[cxl][packer]") {
    Ends e(false);
    Message m = message(Opcode::mem_wr_ptl, 5);
    m.enables = 0x00ff'00ff'1234'5678;
    e.packing.push(m);
    CHECK(FlitFields::enables.get(e.flit()) == 1);
    CHECK(e.unpacking.empty());
    e.flit();
    CHECK(same(e.unpacking.pop(), m));
}

TEST_CASE("no message is packed without a credit of its class", "[cxl][packer]") {
    Ends e(false);
    e.credits.left = {1, 0, 1};
    e.packing.push(message(Opcode::mem_rd, 0));
    e.packing.push(message(Opcode::mem_wr, 1));
    e.packing.push(message(Opcode::mem_rd, 2));
    e.flit();
    e.flit();
    CHECK(e.packing.waiting() == 1);
    CHECK_FALSE(e.packing.wants_header(e.credits));
    CHECK(e.credits.left == std::array<std::uint32_t, 3> {0, 0, 0});
    e.credits.left[0] = 1;
    CHECK(e.packing.wants_header(e.credits));
}

TEST_CASE("credits return as 0, 1, 2, 4 to 64 a flit", "[cxl][packer]") {
    Credits from, to;
    from.owed = {64 + 32 + 1, 3, 0};
    std::vector<std::uint32_t> seen;
    for (int i = 0; i < 4; ++i) {
        to.take_back(from.give_back());
        seen.push_back(to.left[0]);
    }
    CHECK(seen == std::vector<std::uint32_t> {64, 96, 97, 97});
    CHECK(to.left == std::array<std::uint32_t, 3> {97, 3, 0});
    CHECK(from.most_owed() == 0);
    from.owed[2] = 200; // more than a header can say
    to.take_back(from.give_back());
    CHECK(to.left[2] == 64);
    CHECK(from.owed[2] == 136);
}

TEST_CASE("packed messages are restored in the order of their class", "[cxl][packer]") {
    for (const bool device : {false, true}) {
        Ends e(device);
        comes_out_as_packed(e, device);
    }
}

} // namespace memsim::packer_test
