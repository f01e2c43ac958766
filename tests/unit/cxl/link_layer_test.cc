#include "cxl/link/link_layer.hh"

#include "cxl/flit/crc.hh"
#include "pair.hh"

namespace memsim::link_layer_test {

using namespace memsim::cxl;

namespace {

constexpr Tick flit_time = 2'125'000, one_way = 25'000'000;

LinkFigures figures(bool device, std::uint32_t retry_buffer = 128, std::uint32_t credits = 64) {
    LinkFigures f;
    f.device = device;
    f.retry_buffer = retry_buffer;
    f.credits = {device ? credits : 0, device ? 0 : credits, credits};
    f.flush = 500'000'000;
    f.timeout = 256 * flit_time;
    f.most_retries = 100;
    return f;
}

struct Links : Pair<LinkLayer> {
    explicit Links(std::uint64_t rate = 0, std::uint32_t retry_buffer = 128,
                   std::uint32_t credits = 64)
        : Pair(figures(false, retry_buffer, credits), figures(true, retry_buffer, credits),
               flit_time, one_way, rate) {}
};

} // namespace

TEST_CASE("initialisation transfers the credits of each class; then the link is idle",
          "[cxl][link]") {
    Links p;
    p.ends[0].layer.push(message(Opcode::mem_rd));
    p.ends[0].expected[0].push_back(message(Opcode::mem_rd));
    p.step();
    CHECK(p.ends[0].layer.waiting() == 1); // there are no credits yet
    p.run(2000);
    CHECK(p.received == 1);
    CHECK(p.ends[0].messages.credits.left == std::array<std::uint32_t, 3> {64, 0, 64});
    CHECK(p.ends[1].messages.credits.left == std::array<std::uint32_t, 3> {0, 64, 64});
    const auto flits = p.ends[0].flits + p.ends[1].flits;
    CHECK(flits < 12);
    p.run(2000);
    CHECK(p.ends[0].flits + p.ends[1].flits == flits); // acknowledgements are not answered
    for (auto& e : p.ends) {
        CHECK(e.layer.alarm(p.now) == never);
        CHECK(e.layer.idle());
    }
}

TEST_CASE("messages are limited by places, and places are returned", "[cxl][link]") {
    Links p(0, 128, 8);
    p.keeps_places = true;
    for (std::uint16_t t = 0; t < 40; ++t) p.push(0, message(Opcode::mem_rd, t));
    p.run(2000);
    CHECK(p.received == 8);
    CHECK(p.ends[0].layer.blocked());
    p.keeps_places = false;
    for (int i = 0; i < 8; ++i) p.ends[1].layer.give_place(CreditClass::req, p.now);
    p.run(2000);
    CHECK(p.received == 40);
}

TEST_CASE("acknowledgements are forced at 16, sent by a bit at 8, or after a time", "[cxl][link]") {
    Links p;
    p.run(400);
    auto& device = p.ends[1];
    REQUIRE(p.ends[0].state.sent.unacknowledged() <= 1);
    const auto acks = device.state.acks;
    const auto control = device.control;
    const auto send = [&](std::uint32_t n) { // flits of a message each
        for (; n > 0; --n) {
            p.push(0, message(Opcode::mem_rd));
            p.step();
        }
        p.run(14);
    };
    send(15 - acks);
    CHECK(device.state.acks == 15);
    CHECK(device.control == control);
    send(1);
    CHECK(device.control == control + 1); // at once
    CHECK(device.state.acks == 0);
    p.run(600); // the credits that one LLCRD could not name
    const auto pending = device.state.acks;
    REQUIRE(pending <= 1);
    send(9);
    p.push(1, message(Opcode::cmp));
    p.run(1);
    CHECK(device.state.acks == pending + 1); // 8 by a header
    send(1);
    CHECK(device.state.acks == pending + 2);
    const auto before = device.control;
    p.run(200); // less than the time of 500 ns, with what has passed
    CHECK(device.control == before);
    p.run(60);
    CHECK(device.control == before + 1);
    CHECK(device.state.acks <= 1); // the host's own LLCRD is not answered
}

TEST_CASE("nothing is lost, duplicated or reordered at any error rate that the link survives",
          "[cxl][link]") {
    // Of 10^15 bits; at the last rate one flit of seven has an error.
    for (const std::uint64_t rate :
         {std::uint64_t {0}, std::uint64_t {10'000'000'000}, std::uint64_t {100'000'000'000},
          std::uint64_t {300'000'000'000}})
        for (const std::uint32_t retry_buffer : {22u, 64u, 128u, 255u}) {
            INFO("errors " << rate << ", retry buffer " << retry_buffer);
            Links p(rate, retry_buffer, retry_buffer == 64 ? 5 : 64);
            CHECK(traffic(p, 1000, rate + retry_buffer));
            CHECK((p.ends[0].errors > 0) == (rate > 0));
        }
}

TEST_CASE("each single flit of a busy link may be lost to an error", "[cxl][link]") {
    for (std::uint64_t victim = 0; victim < 120; ++victim)
        for (const std::uint64_t burst : {1ul, 7ul}) {
            INFO("flit " << victim);
            Links p;
            p.harm = [&](std::uint64_t n, Links::OnWires& w) {
                if (n < victim || n >= victim + burst) return;
                w.bytes[30] ^= 0x10;
                w.flipped = true;
            };
            REQUIRE(traffic(p, 150, 5));
            REQUIRE(p.number > victim);
            REQUIRE(p.ends[0].errors + p.ends[1].errors >= 1);
        }
}

TEST_CASE("data that look like a retry request are data, even after an error", "[cxl][link]") {
    // Lines that make all-data flits of RETRY.Frame, then of RETRY.Req and RETRY.Ack.
    const auto forged = [](Control c, std::uint16_t tag) {
        Message m = message(Opcode::mem_data, tag);
        m.data = {};
        for (std::size_t chunk = 0; chunk < 4; ++chunk) // whichever begins a flit
            m.data[2 * chunk] = static_cast<std::uint64_t>(control_bits(c));
        return m;
    };
    for (std::uint64_t victim = 0; victim < 80; ++victim) {
        Links p;
        p.harm = [&](std::uint64_t n, Links::OnWires& w) {
            if (n == victim) w.bytes[9] ^= 1, w.flipped = true;
        };
        std::uint16_t tag = 0;
        for (int round = 0; round < 6; ++round) {
            for (int i = 0; i < 5; ++i) p.push(1, forged(Control::frame, tag++));
            p.push(1, forged(Control::request, tag++));
            p.push(1, forged(Control::ack, tag++));
        }
        p.run(6000);
        REQUIRE(p.all_received());
    }
}

TEST_CASE("an error at one end costs a round trip and repeats the flits behind it once",
          "[cxl][link]") {
    Links p;
    p.run(400);
    const std::uint64_t first = p.number;
    p.harm = [&](std::uint64_t n, Links::OnWires& w) {
        if (n == first) w.bytes[2] ^= 4, w.flipped = true;
    };
    const Tick began = p.now;
    p.push(0, message(Opcode::mem_rd));
    while (p.received == 0) p.step();
    // There: the flit. Back: five frames and the request. There: as many and the flit.
    const Tick least = 3 * (flit_time + one_way) + (5 + 6) * flit_time;
    CHECK(p.now - began >= least);
    CHECK(p.now - began <= least + 6 * flit_time);
    CHECK(p.ends[0].replayed == 1);
    CHECK(p.ends[1].errors == 1);
    CHECK(p.ends[1].control > 6);
}

TEST_CASE("a lost retry request is repeated after the timeout", "[cxl][link]") {
    Links p;
    p.run(400);
    const std::uint64_t first = p.number;
    p.harm = [&](std::uint64_t n, Links::OnWires& w) {
        if (n == first || n == first + 6) w.bytes[2] ^= 4, w.flipped = true; // its RETRY.Req, too
    };
    p.push(0, message(Opcode::mem_rd));
    p.run(250);
    CHECK(p.received == 0);
    p.run(100);
    CHECK(p.received == 1);
}

TEST_CASE("an acknowledgement of an older retry request does not count for the last one",
          "[cxl][link]") {
    Links p;
    p.run(400);
    const std::uint64_t first = p.number;
    bool late = false;
    p.harm = [&](std::uint64_t n, Links::OnWires& w) {
        if (n == first) w.bytes[2] ^= 4, w.flipped = true;
        const ReadFlit read = read_bytes(w.bytes.data());
        if (n > first && !late && is(read.flit, Control::ack))
            late = true, w.at += 300 * flit_time; // and what follows it: behind the timeout
    };
    for (std::uint16_t t = 0; t < 4; ++t) p.push(0, message(Opcode::mem_rd, t));
    p.run(1200);
    CHECK(late);
    CHECK(p.received == 4);
    CHECK(p.ends[0].replayed >= 4); // twice from the first one on
}

TEST_CASE("an error that the CRC does not find is treated as found", "[cxl][link]") {
    Links p;
    p.run(400);
    const std::uint64_t first = p.number;
    p.harm = [&](std::uint64_t n, Links::OnWires& w) {
        if (n != first) return;
        ReadFlit read = read_bytes(w.bytes.data());
        read.flit.words[1] ^= 1; // of the address
        write_bytes(read.flit, crc(read.flit.words), w.bytes.data());
        w.flipped = true;
    };
    p.push(0, message(Opcode::mem_rd, 3));
    p.run(400);
    CHECK(p.received == 1);
    CHECK(p.ends[1].undetected == 1);
}

TEST_CASE("a link whose flits are all lost has failed", "[cxl][link]") {
    Links p;
    p.harm = [](std::uint64_t, Links::OnWires& w) { w.bytes[2] ^= 1, w.flipped = true; };
    for (int i = 0; i < 110 && !p.failed; ++i) p.run(300);
    CHECK(p.failed);
}

TEST_CASE("a full retry buffer waits for acknowledgements", "[cxl][link]") {
    Links p(0, 22, 64);
    p.run(400);
    for (std::uint16_t t = 0; t < 60; ++t) p.push(0, message(Opcode::mem_wr, t));
    std::uint32_t least = 99;
    for (int i = 0; i < 3000; ++i) {
        p.step();
        least = std::min(least, p.ends[0].state.sent.free);
    }
    CHECK(p.received == 60);
    CHECK(least >= 2);
    CHECK(least < LinkLayer::reserve);
}

} // namespace memsim::link_layer_test
