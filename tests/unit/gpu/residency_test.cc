#include "core/kernel/registry.hh"
#include "host/paging_host.hh"
#include "mmu_support.hh"

#include <map>

/// More pages than frames: the requests that the TLBs forward, compared with those that a reference
/// allows.
namespace memsim::test_mmu {

/// Random reads and writes of random pages. Each carries the number of its page in `pc`.
class Wanderer final : public Model<Wanderer> {
  public:
    struct Params {
        Param<unsigned> count {400, "Requests"};
        Param<unsigned> pages {12, "Of each of two applications"};
        Param<unsigned> writes {20, "Of a hundred"};
        Param<Time> gap {400_ns, "Longest pause"};
    };
    struct Ports {
        Requester<Mem> mem {{.depth = [](const void*) { return 32u; }}, "To the TLB"};
    };
    struct Stats {};
    struct State {
        std::uint32_t sent = 0, answered = 0;
        Tick ready_at = 0;
        Rng random;
        Timer next;
    };
    explicit Wanderer(const Params& p) : params(p) {}
    void start() override { arm(state.next, Tick {0}); }
    void wake() override {
        while (!port.mem.empty()) port.mem.pop(), ++state.answered;
        while (state.sent < params.count && state.ready_at <= now() && port.mem.can_send()) {
            MemRequest r;
            r.pc = static_cast<std::uint32_t>(state.random.below(params.pages));
            r.application = static_cast<std::uint16_t>(state.random.below(2));
            r.address = r.pc * 1024ull + state.random.below(32) * 32;
            r.bytes = 32;
            r.command = state.random.below(100) < params.writes ? Command::write : Command::read;
            r.posted = r.command == Command::write && state.random.below(2);
            port.mem.send(r);
            ++state.sent;
            state.ready_at =
                now() +
                static_cast<Tick>(state.random.below(static_cast<std::uint64_t>(params.gap->raw)));
        }
        if (state.sent < params.count && state.ready_at > now()) arm(state.next, state.ready_at);
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Wanderer> wanderer {"Wanders over pages (a test's)."};

} // namespace memsim::test_mmu

using namespace memsim;
using namespace memsim::test_mmu;

namespace {

constexpr std::uint64_t page_bytes = 1024, chunks = page_bytes / 128;

/// Two wanderers over 24 pages and a memory of `frames`.
std::unique_ptr<Machine> machine(std::uint64_t seed, unsigned frames, const std::string& eviction,
                                 const std::string& host = "",
                                 const std::string& tlb = "acknowledged_stores=true") {
    auto m = std::make_unique<Machine>(seed);
    m->add("mmu", "gpu.Mmu",
           Bench::with("tlbs=2 page=1KiB address_space=12KiB applications=2 placement=faults "
                       "memory_base=1MiB entries=8 ways=2 memory=" +
                           std::to_string(frames) + "KiB eviction=" + eviction,
                       {}));
    m->add("tables", "test_mmu.Recorder", {});
    m->add("memory", "test_mmu.Recorder", {{"inputs", "3"}, {"latency", "700ns"}});
    m->add("host", "host.PagingHost",
           arguments("page=1KiB fault_latency=2us page_cost=50ns " + host));
    m->bind("mmu", "walk_side", "tables", "cpu_side[0]");
    m->bind("mmu", "fault_side", "host", "faults");
    m->bind("host", "pages", "mmu", "mover_side[0]");
    m->bind("host", "device_side", "memory", "cpu_side[2]");
    for (unsigned i = 0; i < 2; ++i) {
        m->add(Bench::at("sm", i), "test_mmu.Wanderer", {});
        m->add(Bench::at("tlb", i), "gpu.Tlb",
               Bench::with("page=1KiB entries=4 ways=4 empties_l1=false latency=2us " + tlb, {}));
        m->bind(Bench::at("sm", i), "mem", Bench::at("tlb", i), "cpu_side");
        m->bind(Bench::at("tlb", i), "mem_side", "memory", Bench::at("cpu_side", i));
        m->bind(Bench::at("tlb", i), "mmu_side", "mmu", Bench::at("tlb_side", i));
        m->bind("mmu", Bench::at("shootdowns", i), Bench::at("tlb", i), "shootdowns");
    }
    m->build();
    return m;
}

/// What a frame holds, as the memory sees it.
struct Frame {
    std::uint64_t written_in = 0, read_out = 0; ///< chunks of the copies
    bool owned = false, dirty = false;
    std::uint64_t owner = 0;
};

/// Checks all requests to the memory. Between two copies into a frame it belongs to one page of one
/// application. It is not accessed before the copy in is complete or after a copy out has begun. A
/// written page, and no other, is copied out before its frame is reused.
void check(const Recorder& memory, unsigned frames) {
    std::map<std::uint64_t, Frame> held;
    for (const auto& s : memory.state.seen) {
        const std::uint64_t number = s.request.address / page_bytes;
        REQUIRE(number >= 1024);
        REQUIRE(number < 1024 + frames);
        Frame& f = held[number];
        if (s.input < 2) {
            const std::uint64_t owner = s.request.application * 1000ull + s.request.pc;
            REQUIRE(f.written_in == chunks);
            REQUIRE(f.read_out == 0);
            if (!f.owned) f.owner = owner;
            REQUIRE(f.owner == owner);
            f.owned = true;
            f.dirty = f.dirty || s.request.command == Command::write;
        } else if (s.request.command == Command::read) {
            REQUIRE(f.dirty);
            ++f.read_out;
        } else {
            if (f.written_in == chunks) {
                REQUIRE(f.read_out == (f.dirty ? chunks : 0));
                f = {};
            }
            ++f.written_in;
        }
    }
}

} // namespace

TEST_CASE("Under random traffic with evictions each page has its frame to itself, and no write is "
          "lost",
          "[mmu]") {
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (const unsigned frames : {1u, 2u, 5u, 13u, 24u})
            for (const char* eviction : {"lru", "fifo"}) {
                INFO("seed " << seed << ", frames " << frames << ", " << eviction);
                const auto m = machine(seed, frames, eviction);
                m->start();
                m->run(never);
                REQUIRE_FALSE(m->pending());
                CHECK(m->imbalances() == std::vector<std::string> {});
                check(m->get<Recorder>("memory"), frames);
                auto& mmu = m->get<gpu::Mmu>("mmu");
                CHECK((value(mmu.stat.eviction.evictions) == 0) == (frames == 24));
                CHECK(value(mmu.stat.faults) == value(mmu.stat.eviction.evictions) + frames);
                CHECK(value(mmu.stat.eviction.dirty_evictions) ==
                      value(m->get<host::PagingHost>("host").stat.pages_out));
            }
}

TEST_CASE("The same with prefetched pages and other page policies", "[mmu][prefetch]") {
    std::uint64_t prefetches = 0, late = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (const unsigned frames : {1u, 2u, 5u, 13u, 24u})
            for (const char* eviction : {"lru", "clock"}) {
                INFO("seed " << seed << ", frames " << frames << ", " << eviction);
                const auto m = machine(seed, frames, eviction,
                                       "prefetch=density(block=2KiB,region=8KiB) "
                                       "prefetch_cost=20ns");
                m->start();
                m->run(never);
                REQUIRE_FALSE(m->pending());
                CHECK(m->imbalances() == std::vector<std::string> {});
                check(m->get<Recorder>("memory"), frames);
                auto& mmu = m->get<gpu::Mmu>("mmu");
                auto& host = m->get<host::PagingHost>("host");
                CHECK(value(host.stat.faults) + value(host.stat.prefetches) -
                          value(host.stat.late_faults) ==
                      value(mmu.stat.eviction.evictions) + frames);
                prefetches += value(host.stat.prefetches);
                late += value(host.stat.late_faults);
            }
    CHECK(prefetches > 500);
    CHECK(late > 0);
}

TEST_CASE("LRU evicts the page used longest ago, FIFO the page that arrived first", "[mmu]") {
    // Pages 0 to 3 come in order, 0 is used again (through another TLB, so the MMU sees it), then 4
    // needs room.
    for (const bool lru : {true, false}) {
        const auto m = machine(1, 4, lru ? "lru" : "fifo");
        for (unsigned i = 0; i < 2; ++i) m->get<Wanderer>(Bench::at("sm", i)).state.sent = 400;
        auto& out = m->get<Wanderer>("sm[0]").port.mem;
        auto& other = m->get<Wanderer>("sm[1]").port.mem;
        constexpr Tick long_enough = (100_us).raw;
        auto read = [&](auto& from, std::uint32_t page) {
            MemRequest r;
            r.pc = page;
            r.address = page * page_bytes;
            r.bytes = 32;
            from.send(r);
            m->run(m->sim().now() + long_enough);
        };
        m->run(1);
        for (std::uint32_t page = 0; page < 4; ++page) read(out, page);
        read(other, 0);
        read(out, 4);
        const auto& mmu = m->get<gpu::Mmu>("mmu");
        CHECK(mmu.frame_of(0, 4).has_value());
        CHECK(mmu.frame_of(0, lru ? 0 : 1).has_value());
        CHECK_FALSE(mmu.frame_of(0, lru ? 1 : 0).has_value());
    }
}

TEST_CASE("A machine with outstanding page faults continues from its checkpoint", "[mmu]") {
    const auto whole = machine(3, 3, "lru");
    whole->start();
    whole->run(never);
    const Tick end = whole->sim().now();
    const std::string expected = test_mem::digest(*whole);
    for (int i = 1; i < 8; ++i) {
        const auto first = machine(3, 3, "lru");
        first->start();
        first->run(end / 8 * i);
        const auto second = machine(3, 3, "lru");
        second->load(first->save());
        second->run(never);
        CHECK(second->sim().now() == end);
        CHECK(test_mem::digest(*second) == expected);
        check(second->get<Recorder>("memory"), 3);
    }
}
