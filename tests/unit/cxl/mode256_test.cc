#include "cxl/link/mode256.hh"

#include "pair.hh"

namespace memsim::mode256_test {

using namespace memsim::cxl;

namespace {

constexpr Tick flit_time = 8'000'000, one_way = 25'000'000, flush = 500'000'000;
constexpr std::uint32_t timeout = 256; ///< flits' times

LinkFigures figures(bool device, std::uint32_t retry_buffer, std::uint32_t credits) {
    LinkFigures f;
    f.device = device;
    f.retry_buffer = retry_buffer;
    f.credits = {device ? credits : 0, device ? 0 : credits, credits};
    f.flush = flush;
    f.timeout = timeout * flit_time;
    f.most_retries = 100;
    return f;
}

struct Links : Pair<Mode256> {
    explicit Links(bool optimised = false, std::uint64_t rate = 0, std::uint32_t retry_buffer = 128,
                   std::uint32_t credits = 64)
        : Pair(figures(false, retry_buffer, credits), figures(true, retry_buffer, credits),
               optimised ? flit_time / 2 : flit_time, one_way, rate, optimised) {}
    End& host() { return ends[0]; }
    End& device() { return ends[1]; }
    /// Both ends have their credits, and are at rest.
    void run_until_idle() {
        run(600);
        REQUIRE(at_rest());
    }
    bool at_rest() const {
        for (const End& e : ends)
            if (e.layer.alarm(now) != never || !e.layer.idle() || !e.wires.empty()) return false;
        return true;
    }
    /// More than the FEC corrects in this and the next `more` pieces.
    void lose(std::uint64_t piece, std::uint64_t more = 0) {
        harm = [=](std::uint64_t n, OnWires& w) {
            if (n >= piece && n <= piece + more) spoil(w);
        };
    }
    static void spoil(OnWires& w) {
        w.bytes[30] ^= 0x10, w.bytes[33] ^= 0x20;
        w.flipped = true;
    }
};

const auto one_read = message(Opcode::mem_rd);

} // namespace

TEST_CASE("credits are transferred in CRD; then the link is idle", "[cxl][flit256]") {
    for (const bool optimised : {false, true}) {
        Links p(optimised);
        p.push(0, one_read);
        p.step();
        CHECK(p.host().layer.waiting() == 1); // there are no credits yet
        p.run_until_idle();
        CHECK(p.received == 1);
        CHECK(p.host().messages.credits.left == std::array<std::uint32_t, 3> {64, 0, 64});
        CHECK(p.device().messages.credits.left == std::array<std::uint32_t, 3> {0, 64, 64});
        const auto pieces = p.number;
        p.run(2000);
        CHECK(p.number == pieces); // acknowledgements are not acknowledged
    }
}

TEST_CASE("messages in 256-byte flits are limited by places", "[cxl][flit256]") {
    Links p(false, 0, 128, 8);
    p.keeps_places = true;
    for (std::uint16_t t = 0; t < 40; ++t) p.push(0, message(Opcode::mem_rd, t));
    p.run(1000);
    CHECK(p.received == 8);
    CHECK(p.host().layer.blocked());
    p.keeps_places = false;
    for (int i = 0; i < 8; ++i) p.device().layer.give_place(CreditClass::req, p.now);
    p.run(1000);
    CHECK(p.received == 40);
}

TEST_CASE("a flit with messages acknowledges at once, a NOP after a time or after 16 flits",
          "[cxl][flit256]") {
    Links p;
    p.run_until_idle();
    const auto control = p.device().control;
    p.push(0, one_read);
    const Tick sent = p.now;
    const auto comes = flit_time + one_way;
    p.run(6);
    CHECK(p.received == 1);
    CHECK(p.device().layer.alarm(p.now) == p.now - flit_time + flush);
    while (p.device().control == control) p.step();
    // Credit and acknowledgement go together, in a flit that the host acknowledges by a NOP.
    CHECK(p.now - sent >= comes + flush);
    CHECK(p.now - sent <= comes + flush + 3 * flit_time);
    p.run_until_idle();
    CHECK(p.device().control == control + 1);

    p.keeps_places = true;
    const auto nops = p.device().control;
    for (int i = 0; i < 15; ++i) p.push(0, one_read), p.step();
    p.run(5);
    CHECK(p.device().control == nops);
    p.push(0, one_read);
    p.run(6);
    CHECK(p.device().control == nops + 1);
    CHECK(p.device().state.replay.acks == 0);
    p.push(0, one_read);
    p.run(6);
    CHECK(p.device().state.replay.acks == 1);
    p.push(1, message(Opcode::cmp));
    p.step();
    CHECK(p.device().state.replay.acks == 0);
}

TEST_CASE("256-byte flits: nothing is lost, duplicated or reordered at any error rate that the "
          "link survives",
          "[cxl][flit256]") {
    // Of 10^15 bits: 10^-6 to 3*10^-4; at the last one flit of twenty is lost.
    for (const bool optimised : {false, true})
        for (const std::uint64_t rate :
             {std::uint64_t {0}, std::uint64_t {1'000'000'000}, std::uint64_t {10'000'000'000},
              std::uint64_t {100'000'000'000}, std::uint64_t {300'000'000'000}})
            for (const std::uint32_t retry_buffer : {22u, 64u, 255u}) {
                INFO("errors " << rate << ", places " << retry_buffer << ", halves " << optimised);
                Links p(optimised, rate, retry_buffer, retry_buffer == 64 ? 5 : 64);
                CHECK(traffic(p, 1500, rate + retry_buffer));
                const auto errors = p.host().errors + p.device().errors;
                CHECK((errors > 0) == (rate >= 100'000'000'000));
                if (rate >= 10'000'000'000) CHECK(p.host().corrected > 0);
            }
}

TEST_CASE("each single piece of a busy link in 256-byte flits may be lost", "[cxl][flit256]") {
    for (const bool optimised : {false, true})
        for (std::uint64_t victim = 0; victim < 100; ++victim)
            for (const std::uint64_t more : {0ul, 6ul}) {
                INFO("piece " << victim << ", halves " << optimised);
                Links p(optimised);
                p.lose(victim, more);
                REQUIRE(traffic(p, 200, 5));
                REQUIRE(p.number > victim);
                REQUIRE(p.host().errors + p.device().errors >= 1);
            }
}

TEST_CASE("a lost flit costs a round trip and is requested once", "[cxl][flit256]") {
    for (const bool optimised : {false, true}) {
        Links p(optimised);
        p.run_until_idle();
        const auto control = p.device().control;
        p.lose(p.number);
        const Tick began = p.now;
        for (std::uint16_t t = 0; t < 8; ++t) p.push(0, message(Opcode::mem_wr, t));
        while (p.received == 0) p.step();
        // There the flit, back a Nak in a NOP, there the flit again.
        const Tick piece = p.piece_time, last = optimised ? piece : 0;
        CHECK(p.now - began >= 3 * (piece + one_way) + last);
        CHECK(p.now - began <= 3 * (piece + one_way) + 6 * piece);
        p.run(20);
        CHECK(p.received == 8);
        CHECK(p.device().control == control + 1);
        CHECK(p.host().replayed == 3); // all three flits
        CHECK(p.device().dropped == 2);
        CHECK(p.device().errors == 1);
    }
}

TEST_CASE("errors that the FEC corrects cost nothing", "[cxl][flit256]") {
    for (const bool optimised : {false, true}) {
        Links p(optimised);
        p.run_until_idle();
        const std::uint64_t first = p.number;
        p.harm = [&](std::uint64_t n, Links::OnWires& w) {
            if (n != first) return;
            for (std::size_t i = 60; i < 63; ++i) w.bytes[i] ^= 0xa5;
            w.flipped = true;
        };
        p.push(0, one_read);
        p.run(optimised ? 11 : 6);
        CHECK(p.received == 1);
        CHECK(p.device().corrected == 1);
        CHECK(p.host().replayed == 0);
    }
}

TEST_CASE("after a lost Nak, all flits are repeated when the timer expires, not before",
          "[cxl][flit256]") {
    Links p;
    p.run_until_idle();
    const std::uint64_t first = p.number;
    p.harm = [&](std::uint64_t n, Links::OnWires& w) {
        if (n == first || n == first + 1) Links::spoil(w); // the flit and the Nak
    };
    const Tick sent = p.now;
    p.push(0, one_read);
    p.step();
    CHECK(p.host().layer.alarm(p.now) == sent + timeout * flit_time);
    while (p.host().replayed == 0) p.step();
    CHECK(p.now == sent + timeout * flit_time + flit_time);
    p.run(10);
    CHECK(p.received == 1);
    p.run_until_idle();
}

TEST_CASE("the replay timer expires at its tick", "[cxl][flit256]") {
    ReplayState state;
    PhysicalReplay replay(4, 1000, 2, state);
    replay.init();
    CHECK(replay.alarm() == never);
    replay.add(50);
    replay.add(60); // the timer is the oldest one's
    CHECK(replay.alarm() == 1050);
    CHECK_FALSE(replay.run_timeout(1049));
    CHECK_FALSE(replay.replays());
    CHECK_FALSE(replay.run_timeout(1050));
    CHECK(state.to_replay == 2);
    replay.replay();
    CHECK(replay.header(Header256::Type::messages) ==
          Header256 {Header256::Type::messages, Header256::Command::own, 1});
    CHECK(replay.alarm() == 2050);
    // An acknowledgement of the first one begins the time anew.
    replay.judge({Header256::Type::nop, Header256::Command::ack, 1}, 1200);
    CHECK(replay.alarm() == 2200);
    CHECK(state.to_replay == 1);
    replay.judge({Header256::Type::nop, Header256::Command::ack, 2}, 1300);
    CHECK(replay.alarm() == never);
    CHECK_FALSE(replay.replays());
    CHECK(replay.idle());
    // Two replays without an acknowledgement are allowed.
    replay.add(2000);
    CHECK_FALSE(replay.run_timeout(3000));
    CHECK_FALSE(replay.run_timeout(3999));
    CHECK_FALSE(replay.run_timeout(4000));
    CHECK(replay.run_timeout(5000));
}

TEST_CASE("after a lost acknowledgement, repeated flits are not accepted twice", "[cxl][flit256]") {
    Links p;
    p.run_until_idle();
    const std::uint64_t first = p.number;
    p.keeps_places = true;
    p.lose(first + 1); // the NOP
    p.push(0, one_read);
    p.run(600);
    CHECK(p.received == 1);
    CHECK(p.host().errors == 1);
    CHECK(p.at_rest());
    CHECK(p.host().replayed == 0); // a Nak of the NOP causes another acknowledgement
    Links q;                       // and with it both Naks of what was lost
    q.run_until_idle();
    q.keeps_places = true;
    q.lose(q.number + 1, 2);
    q.push(0, one_read);
    q.run(900);
    CHECK(q.received == 1);
    CHECK(q.host().replayed == 1);
    CHECK(q.device().dropped == 1);
    CHECK(q.at_rest());
}

TEST_CASE("the first half of a flit is used at once, and once", "[cxl][flit256]") {
    Links p(true);
    p.run_until_idle();
    const Tick began = p.now;
    p.push(0, message(Opcode::mem_wr, 1)); // slots 0 to 4
    p.push(0, message(Opcode::mem_wr, 2)); // over both halves
    while (p.received == 0) p.step();
    CHECK(p.now - began == p.piece_time + one_way + 2 * p.piece_time - one_way % p.piece_time);
    CHECK(p.host().flits > 0);
    p.step();
    CHECK(p.received == 2);
    p.run_until_idle();

    p.lose(p.number + 1); // a second half
    p.push(0, message(Opcode::mem_wr, 3));
    p.push(0, message(Opcode::mem_wr, 4));
    p.run(9);
    CHECK(p.received == 3);
    p.run(200);
    CHECK(p.received == 4);
    CHECK(p.host().replayed == 1);

    p.run_until_idle();
    p.lose(p.number); // a first half: it waits for the second, and is lost with it
    p.push(0, message(Opcode::mem_wr, 5));
    p.run(200);
    CHECK(p.received == 5);
    CHECK(p.device().errors == 2);
}

TEST_CASE("a lost NOP is requested and answered by a NOP", "[cxl][flit256]") {
    Links p;
    p.run_until_idle();
    p.keeps_places = true;
    p.push(0, one_read);
    p.step();
    p.lose(p.number); // the acknowledgement
    while (p.host().errors == 0) p.step();
    CHECK(p.host().state.replay.nak_scheduled);
    p.run(12);
    CHECK_FALSE(p.host().state.replay.nak_scheduled);
    p.push(1, message(Opcode::cmp));
    p.run(8);
    CHECK(p.received == 2);
    CHECK(p.device().replayed == 0);
}

TEST_CASE("flit numbers wrap around", "[cxl][flit256]") {
    Links p(false, 20'000'000'000);
    CHECK(traffic(p, 9000, 7));
    CHECK(p.host().flits > 2 * FlitNumber::count);
    CHECK(FlitNumber::after(1023, 1) == 1);
    CHECK(FlitNumber::after(1, 1022) == 1023);
    CHECK(FlitNumber::distance(1023, 1) == 1);
    CHECK(FlitNumber::distance(2, 1) == 1022);
}

TEST_CASE("a link whose 256-byte flits are all lost has failed", "[cxl][flit256]") {
    Links p;
    p.lose(0, ~std::uint64_t {0});
    for (int i = 0; i < 110 && !p.failed; ++i) p.run(300);
    CHECK(p.failed);
}

TEST_CASE("a full replay buffer waits for acknowledgements", "[cxl][flit256]") {
    Links p(false, 0, 22, 64);
    p.run_until_idle();
    for (std::uint16_t t = 0; t < 64; ++t) p.push(0, message(Opcode::mem_wr, t));
    std::uint32_t most = 0;
    for (int i = 0; i < 3000; ++i) {
        p.step();
        most = std::max(most, p.host().state.replay.unacknowledged);
    }
    CHECK(p.received == 64);
    CHECK(most <= 22);
    p.keeps_places = true;
    Links small(false, 0, 3, 64);
    small.run_until_idle();
    for (std::uint16_t t = 0; t < 64; ++t) small.push(0, message(Opcode::mem_wr, t));
    small.run(6);
    CHECK(small.host().state.replay.unacknowledged == 3);
    CHECK(small.host().layer.blocked());
    small.run(6000);
    CHECK(small.received == 64);
}

TEST_CASE("an acknowledgement during a replay: the flit after the gap carries its number",
          "[cxl][flit256]") {
    using Type = Header256::Type;
    using Command = Header256::Command;
    const unsigned acknowledged =
        GENERATE(3, 4); // of four flits, of which the first was sent again
    ReplayState state;
    PhysicalReplay replay(16, 1000, 100, state);
    replay.init();
    for (unsigned i = 0; i < 4; ++i) {
        replay.add(0);
        replay.header(Type::messages);
    }
    const std::uint16_t before = FlitNumber::after(state.newest, FlitNumber::count - 4);
    replay.judge({Type::nop, Command::nak, before}, 1);
    replay.replay();
    const std::uint16_t first = FlitNumber::after(before, 1);
    CHECK(replay.header(Type::messages) == Header256 {Type::messages, Command::own, first});
    // A flit arrives, so an acknowledgement is due; the flit acknowledges some of the flits to be
    // sent.
    const auto verdict =
        replay.judge({Type::messages, Command::ack, FlitNumber::after(before, acknowledged)}, 2);
    replay.complete(verdict);
    CHECK(replay.replays() == (acknowledged == 3));
    acknowledged == 3 ? replay.replay() : replay.add(3);
    const std::uint16_t next = FlitNumber::after(before, acknowledged + 1);
    CHECK(replay.header(Type::messages) == Header256 {Type::messages, Command::own, next});
}

} // namespace memsim::mode256_test
