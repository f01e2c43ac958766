#include "ports.hh"

namespace memsim::throughput_test {

using namespace memsim::cxl;

namespace {

/// Requests of a mix in rounds of `reads` and `writes`, as fast as the link takes them: flits'
/// times for a round, over the middle of the run.
double flits_a_round(unsigned reads, unsigned writes, const std::string& flit, double flit_ns) {
    Linked b("skp_blocks=0 flit=" + flit, "queue=64", "outstanding=1024",
             "latency=1fs bandwidth=1000000GB/s queue=1024");
    constexpr unsigned rounds = 16'000; // answers come flit by flit
    for (unsigned i = 0; i < rounds; ++i) {
        for (unsigned n = 0; n < reads; ++n) b.driver().read((1_us).raw, 64 * i, 64);
        for (unsigned n = 0; n < writes; ++n) b.driver().write((1_us).raw, 64 * i, 64, false);
    }
    b.run();
    const auto& answers = b.driver().state.answers;
    const std::size_t quarter = answers.size() / 4;
    const Tick middle = answers[3 * quarter].at - answers[quarter].at;
    return static_cast<double>(middle) / (flit_ns * 1e6) / (rounds / 2.0);
}

struct Mix {
    unsigned reads, writes;
    double bound; ///< flits a round
    double within = 0.001;
};
void reaches(const std::vector<Mix>& mixes, const std::string& flit, double flit_ns) {
    for (const Mix& m : mixes) {
        const double measured = flits_a_round(m.reads, m.writes, flit, flit_ns);
        const double data = 64.0 * (m.reads + m.writes);
        INFO(flit << ", " << m.reads << " reads to " << m.writes << " writes: bound "
                  << data / m.bound / flit_ns << " GB/s, measured " << data / measured / flit_ns);
        CHECK(measured >= m.bound * (1 - m.within));
        CHECK(measured <= m.bound * (1 + m.within));
    }
}

} // namespace

/// The bounds of slot packing, in flits, 64 bytes a request. A flit has a slot for headers and
/// three for headers or data; one of all data has four for data. Reads: the device's direction. Two
/// headers with data share slot 0, so 8 reads are 4 such flits (12 chunks) and 5 of all data (20):
/// 9/8 flits a read. Writes: the host's direction. One header a flit in slot 0: 4 writes are 4 such
/// flits and one of all data: 5/4 flits a write. Mixed, host's direction: 1 slot a read, 5 a write,
/// 4 a flit. Mixed, device's direction, for two reads a write: half of the flits with headers have
/// two completions in slot 0 and three data headers in slot 1 (2 chunks), a quarter two data
/// headers in slot 0 (3 chunks); 8 chunks a round: 3/4 + 25/16 = 37/16 flits a round of three,
/// above the host's 7/4. One to one: the host's 3/2 flits a round of two, above the device's.
TEST_CASE("saturated mixes of reads and writes reach the bound of slot packing", "[cxl][port]") {
    reaches({{1, 0, 9 / 8.0}, {2, 1, 37 / 16.0}, {1, 1, 3 / 2.0}, {0, 1, 5 / 4.0}}, "68B", 2.125);
}

/// In 256-byte flits, x of them a round. Standard: 14 G slots a flit have data or headers, an H
/// slot has headers. Reads: two headers in the H slot, three in a G slot: 14 x = 4 + (1 - 2 x) / 3.
/// Two to one, device's direction: three headers a round, 14 x = 8 + (3 - 2 x) / 3. One to one and
/// writes, host's direction: 1 slot a read, 5 a write, 15 a flit. Latency-optimised: the HS slot,
/// too, has two headers of responses, and none of a write. Reads: all headers are in H and HS
/// slots, 13 x = 4. Two to one: 13 x = 8 + (3 - 4 x) / 3, which is not quite reached: a half has
/// three DRS at most, so that some slots are not full. Writes: 5 slots a write, 14 a flit.
TEST_CASE("saturated mixes in 256-byte flits reach the bound of slot packing",
          "[cxl][port][flit256]") {
    reaches({{1, 0, 13 / 44.0}, {2, 1, 27 / 44.0}, {1, 1, 6 / 15.0}, {0, 1, 5 / 15.0}}, "256B", 8);
    reaches({{1, 0, 4 / 13.0}, {2, 1, 27 / 43.0, 0.006}, {0, 1, 5 / 14.0}}, "256B-lopt", 8);
}

} // namespace memsim::throughput_test
