#include "support.hh"

namespace memsim::dram_device_test {

using namespace memsim::mem;
using C = DramCommand;

TEST_CASE("each timing constraint is kept to the femtosecond") {
    DramTiming t = quiet();
    SECTION("tCK: the command bus") {
        t.tCK = 3_ns;
        Dut(t).issue(C::activate, first, 0_ns).ready_at(C::activate, other_rank, 3_ns);
    }
    SECTION("tRCDRD") {
        t.tRAS = 50_ns, t.tRC = 60_ns, t.tRCDRD = 40_ns;
        Dut(t).issue(C::activate, first, 0_ns).ready_at(C::read, first, 40_ns);
    }
    SECTION("tRCDWR") {
        t.tRAS = 50_ns, t.tRC = 60_ns, t.tRCDWR = 41_ns;
        Dut(t).issue(C::activate, first, 0_ns).ready_at(C::write, first, 41_ns);
    }
    SECTION("tRAS") {
        t.tRAS = 50_ns, t.tRC = 60_ns;
        Dut(t).issue(C::activate, first, 0_ns).ready_at(C::precharge, first, 50_ns);
    }
    SECTION("tRP") {
        t.tRP = 30_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns).issue(C::precharge, first, 5_ns);
        d.ready_at(C::activate, first, 35_ns);
    }
    SECTION("tRPW: of a row that was written, by whatever closes it") {
        t.tRPW = 40_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns).issue(C::write, first, 100_ns);
        d.issue(C::precharge, first, 200_ns).ready_at(C::activate, first, 240_ns);
        d.issue(C::activate, first, 240_ns).issue(C::read, first, 300_ns); // another row: clean
        d.issue(C::precharge, first, 400_ns).ready_at(C::activate, first, 405_ns);
        d.issue(C::activate, first, 405_ns).issue(C::write, first, 500_ns);
        d.issue(C::precharge_all, first, 600_ns).ready_at(C::activate, first, 640_ns);
    }
    SECTION("tRC") {
        t.tRC = 90_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns).issue(C::precharge, first, 5_ns);
        d.ready_at(C::activate, first, 90_ns);
    }
    SECTION("tRRD within a group and between groups") {
        t.tRRD_S = 6_ns, t.tRRD_L = 9_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns);
        d.ready_at(C::activate, same_group, 9_ns);
        d.ready_at(C::activate, same_rank, 6_ns);
        d.ready_at(C::activate, other_rank, 1_ns);
    }
    SECTION("tFAW") {
        t.tFAW = 70_ns, t.banks_per_group = 4;
        Dut d(t);
        for (std::uint32_t b = 0; b < 4; ++b) d.issue(C::activate, b, Time {3'000'000 * (b + 1)});
        d.ready_at(C::activate, 4, 73_ns);
        d.ready_at(C::activate, 8, 13_ns); // the other rank has a window of its own
        d.issue(C::activate, 4, 73_ns).ready_at(C::activate, 5, 76_ns);
    }
    SECTION("tCCD within a group and between groups") {
        t.tCCD_S = 4_ns, t.tCCD_L = 7_ns;
        for (const auto& [a, b] : {std::pair {C::read, C::read}, std::pair {C::write, C::write}}) {
            Dut d(t);
            d.issue(C::activate, first, 0_ns).issue(C::activate, same_group, 1_ns);
            d.issue(C::activate, same_rank, 2_ns).issue(C::activate, other_rank, 3_ns);
            d.issue(a, first, 50_ns);
            d.ready_at(b, first, 57_ns);
            d.ready_at(b, same_group, 57_ns);
            d.ready_at(b, same_rank, 54_ns);
            d.ready_at(b, other_rank, 51_ns);
        }
    }
    SECTION("tWTR, from the end of the data") {
        t.tWTR_S = 11_ns, t.tWTR_L = 17_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns).issue(C::activate, same_rank, 1_ns);
        d.issue(C::activate, other_rank, 2_ns).issue(C::write, first, 50_ns);
        d.ready_at(C::read, first, 76_ns); // 50 + tCWL 8 + burst 1 + 17
        d.ready_at(C::read, same_rank, 70_ns);
        d.ready_at(C::read, other_rank, 51_ns);
    }
    SECTION("tRTP") {
        t.tRTP = 13_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns).issue(C::read, first, 50_ns);
        d.ready_at(C::precharge, first, 63_ns);
    }
    SECTION("tWR, from the end of the data") {
        t.tWR = 15_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns).issue(C::write, first, 50_ns);
        d.ready_at(C::precharge, first, 74_ns);
    }
    SECTION("a column command that closes its row") {
        Dut d(t);
        d.issue(C::activate, first, 0_ns);
        d.device.issue(C::read, first, 7, Time {50_ns}.raw, true);
        CHECK(d.device.earliest(C::read, first) == never);
        d.ready_at(C::activate, first, 56_ns); // tRTP + tRP
    }
    SECTION("tRFC, and a refresh waits for closed and precharged banks") {
        t.tRFC = 300_ns, t.tRP = 30_ns, t.tRC = 35_ns, t.tRAS = 5_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns).issue(C::activate, same_rank, 3_ns);
        CHECK(d.device.earliest(C::refresh, first) == never);
        d.ready_at(C::precharge_all, first, 8_ns);
        d.issue(C::precharge_all, first, 8_ns).ready_at(C::refresh, first, 38_ns);
        d.issue(C::refresh, first, 38_ns).ready_at(C::activate, same_group, 338_ns);
        d.ready_at(C::activate, other_rank, 39_ns);
    }
}

TEST_CASE("a command takes its time on its bus, and its constraints count from its end") {
    DramTiming t = quiet();
    t.tRCDRD = 20_ns, t.tRAS = 40_ns, t.tRC = 60_ns, t.tRP = 20_ns, t.tRTP = 10_ns;
    SECTION("an activate of two clocks") {
        t.tCA_ACT = 2_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns);
        d.ready_at(C::activate, other_rank, 2_ns);
        d.ready_at(C::read, first, 21_ns);
        d.ready_at(C::precharge, first, 41_ns);
        d.issue(C::precharge, first, 41_ns).ready_at(C::activate, first, 60_ns);
    }
    SECTION("a read of two clocks, and its data") {
        t.tCA_COL = 2_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns).ready_at(C::read, first, 19_ns);
        d.issue(C::read, first, 50_ns).ready_at(C::activate, same_rank, 52_ns);
        d.ready_at(C::precharge, first, 61_ns);
        CHECK(d.device.latency(false) == (t.tCL + 1_ns).raw);
        CHECK(d.device.latency(true) == (t.tCWL + 1_ns).raw);
    }
    SECTION("a precharge of half a clock, and a refresh after it") {
        t.tCA_ROW = 0.5_ns;
        Dut d(t);
        d.issue(C::activate, first, 0_ns).issue(C::activate, other_rank, 1_ns);
        d.ready_at(C::precharge, first, 40.5_ns);
        d.issue(C::precharge, first, 40.5_ns).ready_at(C::precharge, other_rank, 41.5_ns);
        d.ready_at(C::refresh, first, 60.5_ns); // the same kind: tRP
        d.ready_at(C::activate, same_rank, 41_ns);
    }
}

TEST_CASE("with a second command bus a column command and a row command are issued in one cycle") {
    DramTiming t = quiet();
    t.tCK = 3_ns;
    t.command_buses = GENERATE(1u, 2u);
    Dut d(t);
    d.issue(C::activate, first, 0_ns).issue(C::activate, same_rank, 3_ns);
    d.issue(C::read, first, 50_ns);
    d.ready_at(C::read, same_rank, 53_ns);
    d.ready_at(C::activate, other_rank, t.command_buses == 1 ? 53_ns : 6_ns); // after the others
}

TEST_CASE("an activate that is two commands") {
    DramTiming t = quiet();
    t.tAAD = 4_ns;
    Dut d(t);
    d.issue(C::activate, first, 10_ns);
    CHECK(d.device.half_activated());
    CHECK(d.device.earliest(C::activate, other_rank) == never); // none between its halves
    CHECK(d.device.earliest(C::activate_2, same_rank) == never);
    d.ready_at(C::activate_2, first, 11_ns);
    CHECK(d.device.second_by() == Time {14_ns}.raw);
    SECTION("the second half may come at the last moment") {
        d.issue(C::activate_2, first, 14_ns).ready_at(C::activate, other_rank, 15_ns);
        CHECK_FALSE(d.device.half_activated());
        d.ready_at(C::read, first, 15_ns);
    }
    SECTION("but not later") {
        CHECK_THROWS(d.device.issue(C::activate_2, first, 7, Time {14_ns}.raw + 1));
    }
}

TEST_CASE("commands that do not suit a bank's state are never ready") {
    Dut d(quiet());
    CHECK(d.device.earliest(C::read, first) == never);
    CHECK(d.device.earliest(C::write, first) == never);
    CHECK(d.device.earliest(C::precharge, first) == never);
    d.issue(C::activate, first, 0_ns);
    CHECK(d.device.earliest(C::activate, first) == never);
}

TEST_CASE("every preset is consistent and cites its source") {
    for (const std::string& name : DramTable::names()) {
        const DramTiming& t = DramTable::find(name);
        CHECK_NOTHROW(check(t));
        CHECK(std::string(t.source).size() > 10);
    }
}

TEST_CASE("figures that contradict each other are refused") {
    const auto sentence = [](const std::string& changes) {
        return error_of([&] { check(with_changes(DramTable::find("ddr4_2400"), changes)); });
    };
    CHECK(sentence("") == "");
    CHECK(sentence("tRC=40ns") ==
          "tRC is 40ns, less than tRAS + tRP = 46160ps: the values contradict each other");
    CHECK(sentence("tRAS=10ns").find("tRAS is 10ns, less than tRCDRD") == 0);
    CHECK(sentence("tRRD_L=1ns").find("tRRD_L is 1ns, less than tRRD_S") == 0);
    CHECK(sentence("tCCD_L=1ns").find("tCCD_L") == 0);
    CHECK(sentence("tWTR_L=1ns").find("tWTR_L") == 0);
    CHECK(sentence("tFAW=1ns").find("tFAW") == 0);
    CHECK(sentence("tRPW=1ns") ==
          "tRPW is 1ns, less than tRP = 14160ps: the values contradict each other");
    CHECK(sentence("tRPW=100ns").find("tRPW is 100ns and tREFI") == 0);
    CHECK(sentence("tREFI=100ns").find("tREFI is 100ns, less than tRFC + tRP") == 0);
    CHECK(sentence("burst=48").find("row is 8KiB, not a multiple of a burst") == 0);
    CHECK(sentence("ranks=0").find("ranks is 0") == 0);
    CHECK(sentence("command_buses=3").find("command_buses is 3: it must be 1, or 2") == 0);
    CHECK(sentence("tAAD=14ns").find("tRCDRD is 14160ps, less than tAAD + tCK") == 0);
    CHECK(sentence("ranks=100").find("ranks x groups") == 0);
    CHECK(sentence("tCL=0ns").find("tCL is 0fs") == 0);
    CHECK(sentence("tXX=1ns").find("there is no 'tXX': the names are tCK, ") == 0);
    CHECK(sentence("tCL").find("'tCL' changes nothing") == 0);
    CHECK(sentence("tCL=11").find("11") != std::string::npos);
}

} // namespace memsim::dram_device_test
