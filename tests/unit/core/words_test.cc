#include "core/state/words.hh"

#include "cxl/flit/wire_flit.hh"
#include "protocol/ddrt.hh"
#include "protocol/flash.hh"
#include "protocol/mem.hh"
#include "protocol/upcoming.hh"

#include <catch2/catch.hpp>

namespace memsim::words_test {

TEST_CASE("a message in words has names of enumerators, addresses in hexadecimal, and 0 as one") {
    protocol::MemRequest r;
    CHECK(in_words(r) == "protocol.MemRequest: address 0x0, command read");
    r.address = 0x12c0, r.bytes = 64, r.command = protocol::Command::write, r.posted = true;
    CHECK(in_words(r) ==
          "protocol.MemRequest: address 0x12c0, bytes 64, command write, posted true");
}

TEST_CASE("a message in words leaves out handles of nothing and structs without a number") {
    protocol::MemRequest r;
    r.packed.set(32);
    r.stamps = Stamps::Id::of(5, 1);
    CHECK(in_words(r) ==
          "protocol.MemRequest: address 0x0, command read, packed words 8, stamps #5");
    CHECK(in_words(cxl::CxlFlit {}) == "cxl.CxlFlit");
    protocol::FlashRequest f;
    CHECK(in_words(f) == "protocol.FlashRequest: place block 0, page 0, package 0, die 0, plane 0, "
                         "op read, urgency normal");
}

TEST_CASE("a message in words has times with their unit, and a list of addresses") {
    CHECK(in_words(protocol::DdrtGrant {.id = 3, .slot_end = 1'234'567'890}) ==
          "protocol.DdrtGrant: id 3, slot_end 1234.567890ns");
    protocol::UpcomingAccesses a;
    a.lines = {0x80, 0, 0, 0, 0, 0};
    CHECK(in_words(a) == "protocol.UpcomingAccesses: lines [0x80, 0x0, 0x0, 0x0, 0x0, 0x0]");
}

TEST_CASE("a debug line names enumerators and addresses") {
    CHECK(join("a ", protocol::Command::atomic, " at ", hex(4096u)) == "a atomic at 0x1000");
}

} // namespace memsim::words_test
