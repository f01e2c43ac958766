#include "zng/network/line_packet.hh"
#include "zng/network/packet_addresses.hh"

#include <catch2/catch.hpp>

/// What a flash controller's packets say, each part of them alone.
namespace memsim::zng::flash_packets_test {

namespace {

using protocol::MemRequest;
using zng::FlashPacket;
using zng::PacketKind;

MemRequest request(std::uint64_t address, std::uint32_t bytes) {
    MemRequest r;
    r.address = address, r.bytes = bytes;
    return r;
}
/// A write of a whole sector, which it fills with one byte.
MemRequest write(Contents& contents, std::uint64_t address, unsigned byte) {
    MemRequest r = request(address, 32);
    r.contents = contents.create();
    contents[r.contents].pieces.push_back({0, {}});
    SectorBytes& s = contents[r.contents].pieces.back().data;
    s.known = SectorBytes::all;
    s.bytes.fill(static_cast<std::uint8_t>(byte));
    return r;
}

} // namespace

TEST_CASE("A packet names the sectors of its line and the partly written ones", "[zng]") {
    Contents contents;
    FlashPacket asked;
    LinePacket(asked, contents).read(request(128 * 7 + 40, 60)); // bytes 40 to 99
    CHECK(asked.kind == PacketKind::read);
    CHECK(asked.sectors == 0b1110);
    CHECK(asked.bytes == 60);

    FlashPacket p;
    LinePacket line(p, contents);
    MemRequest r = request(128 * 7 + 32, 36); // sector 1, and 4 bytes of sector 2
    line.write(r);
    CHECK(p.kind == PacketKind::write);
    CHECK(p.sectors == 0b0110);
    CHECK(p.partial == 0b0100);
    CHECK(p.bytes == 36);
    r = request(128 * 7 + 64, 32); // now sector 2 is whole
    line.write(r);
    CHECK(p.sectors == 0b0110);
    CHECK(p.partial == 0);
    CHECK(p.bytes == 64); // 68 were written, to two sectors
}

TEST_CASE("A packet holds the data of the youngest write to each byte", "[zng]") {
    Contents contents;
    contents.enable();
    FlashPacket p;
    LinePacket line(p, contents);
    for (const unsigned byte : {1, 2}) {
        MemRequest r = write(contents, 128 * 3 + 64, byte);
        line.write(r);
        CHECK_FALSE(r.contents); // the packet's now
    }
    MemRequest other = write(contents, 128 * 3, 3);
    line.write(other);
    const auto& pieces = contents[p.contents].pieces;
    REQUIRE(pieces.size() == 2);
    for (const Contents::Piece& piece : pieces)
        CHECK(piece.data.bytes[0] == (piece.sector == 2 ? 2 : 3));

    // An answer counts sectors from its request's first.
    Contents::Id record = contents.create();
    contents[record].pieces.push_back({2, {}});
    record = LinePacket::answer(contents, request(128 * 3 + 64, 32), record);
    CHECK(contents[record].pieces[0].sector == 0);
}

TEST_CASE("A packet is sent to the port of the package that contains its line", "[zng]") {
    const Flash flash {2, 2, 2, 8, 4, 4096};
    const PacketAddresses addresses(flash, {10, 2});
    const std::uint32_t data = flash.number({1, 3, 0, 1}), log = flash.number({1, 6, 0, 1});
    FlashPacket p;
    addresses.line(p, flash.address(data, 2, 5 * 128 + 32), log);
    CHECK(p.at.die == 0);
    CHECK(p.at.plane == 1);
    CHECK(p.block == 3);
    CHECK(p.log_block == 6);
    CHECK(p.page == 2);
    CHECK(p.line == 5);
    CHECK(p.destination == 10 + 2 + 1); // package 1, its second port

    zng::CollectRequest move;
    move.data = data, move.log = log, move.page = 3;
    move.to = flash.number({1, 7, 1, 0}), move.to_log = flash.number({1, 5, 1, 0});
    FlashPacket m;
    addresses.collect(m, move);
    CHECK(m.kind == PacketKind::move);
    CHECK(m.to.die == 1);
    CHECK(m.to_block == 7);
    CHECK(m.to_log == 5);
    CHECK(m.page == 3);
    CHECK(m.destination == 10 + 2 + 1); // by its plane
    move.op = zng::CollectOp::erase;
    addresses.collect(m, move);
    CHECK(m.kind == PacketKind::erase);

    p.source = 13, p.page = 9;
    const zng::LogLow low = addresses.low(p);
    CHECK(low.log == log);
    CHECK(low.data == data);
    CHECK(low.left == 9);
}

} // namespace memsim::zng::flash_packets_test
