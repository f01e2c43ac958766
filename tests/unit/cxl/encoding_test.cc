#include "cxl/flit/encoding.hh"

#include "core/base/rng.hh"
#include "cxl/flit/flit.hh"

#include <catch2/catch.hpp>

namespace memsim::encoding_test {

using namespace memsim::cxl;

namespace {

Message random_message(Opcode op, Rng& random) {
    Message m;
    m.opcode = op;
    m.tag = static_cast<std::uint16_t>(random.next());
    const Channel c = m.channel();
    if (c == Channel::ndr || c == Channel::drs)
        m.load = static_cast<DevLoad>(random.below(4));
    else
        m.address = random.below(std::uint64_t {1} << 46) * 64;
    if (op == Opcode::mem_spec_rd) {
        m.units = static_cast<std::uint8_t>(random.below(5));
        if (m.units) m.address = m.address / 256 * 256;
    } else if (c != Channel::ndr && random.below(2)) {
        m.half = true;
        if (c != Channel::drs) m.address += 32 * random.below(2);
    }
    return m;
}

std::uint32_t bits_of(Channel c) {
    return c == Channel::req   ? ReqFields::bits
           : c == Channel::rwd ? RwdFields::bits
           : c == Channel::ndr ? NdrFields::bits
                               : DrsFields::bits;
}

} // namespace

TEST_CASE("a header is restored from its bits and does not exceed its size", "[cxl][encoding]") {
    Rng random(2, "headers");
    for (const Opcode op : {Opcode::mem_rd, Opcode::mem_spec_rd, Opcode::mem_wr, Opcode::mem_wr_ptl,
                            Opcode::atomic, Opcode::cmp, Opcode::mem_data})
        for (int i = 0; i < 300; ++i) {
            const Message m = random_message(op, random);
            const SlotBits bits = encode(m);
            CHECK(bits >> bits_of(m.channel()) == 0);
            const Message r = decode(m.channel(), bits, m.half, m.has_enables());
            CHECK(r.opcode == m.opcode);
            CHECK(r.tag == m.tag);
            CHECK(r.address == m.address);
            CHECK(r.load == m.load);
            CHECK(r.half == m.half);
            CHECK(r.units == m.units);
        }
}

TEST_CASE("fields of headers lie at CXL's positions", "[cxl][encoding]") {
    Message m;
    m.tag = 0xabcd;
    m.address = 0x1234'5678'9ac0;
    const auto bits = [](SlotBits b, std::uint32_t at, std::uint32_t n) {
        return static_cast<std::uint64_t>(b >> at) & ((std::uint64_t {1} << n) - 1);
    };
    m.opcode = Opcode::mem_rd; // CXL 3.1, tables 3-35 and 3-36
    CHECK(bits(encode(m), 0, 5) == 0b00011);
    CHECK(bits(encode(m), 12, 16) == 0xabcd);
    CHECK(bits(encode(m), 28, 47) == m.address >> 5);
    m.opcode = Opcode::mem_spec_rd;
    m.units = 3;
    m.address = 0x1234'5678'9a00;
    CHECK(bits(encode(m), 0, 5) == 0b10001);
    CHECK(bits(encode(m), 28, 2) == 2);               // the paper: two bits of length,
    CHECK(bits(encode(m), 30, 45) == m.address >> 8); // and an offset of 256 bytes
    m.opcode = Opcode::mem_wr_ptl;
    CHECK(bits(encode(m), 0, 5) == 0b00101);
    CHECK(bits(encode(m), 28, 46) == m.address >> 6);
    m.opcode = Opcode::cmp;
    m.load = DevLoad::moderate;
    CHECK(bits(encode(m), 0, 4) == 1);
    CHECK(bits(encode(m), 8, 16) == 0xabcd);
    CHECK(bits(encode(m), 28, 2) == 2);
    m.opcode = Opcode::mem_data;
    CHECK(bits(encode(m), 8, 16) == 0xabcd);
    CHECK(bits(encode(m), 29, 2) == 2);
}

TEST_CASE("a flit is 68 bytes: protocol ID, slots, CRC", "[cxl][encoding]") {
    Flit f;
    for (std::size_t i = 0; i < f.words.size(); ++i) f.words[i] = 0x0101010101010101u * (i + 1);
    std::array<std::uint8_t, flit_bytes> bytes;
    write_bytes(f, 0xbeef, bytes.data());
    CHECK(bytes[0] == 0x55);
    CHECK(bytes[2] == 1);
    CHECK(bytes[65] == 8);
    CHECK(bytes[66] == 0xef);
    CHECK(bytes[67] == 0xbe);
    const ReadFlit r = read_bytes(bytes.data());
    CHECK(r.flit == f);
    CHECK(r.crc == 0xbeef);
    CHECK(r.id == protocol_id);
}

} // namespace memsim::encoding_test
