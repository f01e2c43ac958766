#include "ports.hh"

using namespace memsim;
using namespace memsim::cxl;

namespace {

constexpr double flit_ns = 2.125; ///< 68 bytes at 32 GB/s

/// Requests of a mix in rounds of `reads` and `writes`, as fast as the link takes them: flits'
/// times for a round, over the middle of the run.
double flits_a_round(unsigned reads, unsigned writes, const std::string& link = "skp_blocks=0") {
    Linked b(link, "queue=64", "outstanding=1024", "latency=1fs bandwidth=1000000GB/s queue=1024");
    constexpr unsigned rounds = 2000;
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
    struct Mix {
        unsigned reads, writes;
        double bound;
    };
    for (const Mix& m :
         {Mix {1, 0, 9 / 8.0}, Mix {2, 1, 37 / 16.0}, Mix {1, 1, 3 / 2.0}, Mix {0, 1, 5 / 4.0}}) {
        const double measured = flits_a_round(m.reads, m.writes);
        const double data = 64.0 * (m.reads + m.writes);
        INFO(m.reads << " reads to " << m.writes << " writes: bound " << data / m.bound / flit_ns
                     << " GB/s, measured " << data / measured / flit_ns);
        CHECK(measured >= m.bound * 0.999);
        CHECK(measured <= m.bound * 1.001);
    }
}
