#include "child.hh"
#include "gpu/sm/sm.hh"
#include "mem/dram/controller.hh"
#include "oracle.hh"
#include "protocol/upcoming.hh"

#include <catch2/catch.hpp>

#include <cstring>

/// Checkpoints with a valid checksum and a forged body: loading one and continuing ends with a
/// sentence or with a result, and never with a crash.
namespace memsim::test::forging_test {

namespace {

/// A number that lengths, indices and enumerations are not prepared for.
std::uint64_t odd_number(Rng& random) {
    static constexpr std::array<std::uint64_t, 8> odd {
        0, 1, 2, 0xff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff};
    const std::uint64_t pick = random.below(odd.size() + 2);
    if (pick < odd.size()) return odd[pick];
    return random.next() >> random.below(64);
}

void forge(std::string& bytes, Rng& random) {
    if (bytes.empty()) return;
    const std::uint64_t size = std::uint64_t {1} << random.below(4);
    const std::uint64_t at = random.below(bytes.size());
    const std::uint64_t number = odd_number(random);
    switch (random.below(8)) {
    case 0: // cut off
        bytes.resize(at);
        break;
    case 1: // something in between
        bytes.insert(at, size, static_cast<char>(number));
        break;
    case 2: // a bit
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.below(8));
        break;
    default: // a number, often where one stands
        std::memcpy(bytes.data() + at / size * size, &number,
                    std::min(size, bytes.size() - at / size * size));
    }
}

void forge(Snapshot& s, Rng& random) {
    std::vector<std::string*> bodies {&s.shared};
    for (auto& o : s.objects)
        for (std::string* body : {&o.state, &o.state, &o.stats, &o.ports}) bodies.push_back(body);
    for (auto& e : s.events) bodies.push_back(&e.payload);
    for (std::uint64_t n = 1 + random.below(3); n-- > 0;)
        if (s.events.empty() || random.below(8))
            forge(*bodies[random.below(bodies.size())], random);
        else {
            auto& event = s.events[random.below(s.events.size())];
            if (random.below(2))
                event.path = s.objects[random.below(s.objects.size())].path;
            else
                event.tick = static_cast<Tick>(odd_number(random));
        }
}

/// Loads the snapshot and continues for some time: "ran", "refused", "stopped", or a fault.
std::string continued(const Rig& rig, const Snapshot& s) {
    const auto m = built(rig);
    try {
        m->load(s);
    } catch (const ConfigError& e) {
        // The sentence names the component and the field, or the part of the shared state.
        const bool placed = std::strchr(e.what(), ':') || std::strchr(e.what(), ' ');
        return placed ? "refused" : "it is refused without a place";
    }
    try {
        m->run(s.now + 20'000'000'000);
    } catch (const ConfigError&) { // of a value that only an event reads
        return "stopped";
    }
    return "ran";
}

std::string fate_of(const Rig& rig, const Snapshot& s) {
    return in_child({.seconds = 3}, [&] { return continued(rig, s); });
}

std::vector<std::string> check_forged(const Rig& rig, std::uint64_t from, std::uint64_t to) {
    std::vector<std::string> faults;
    const auto m = built(rig);
    m->start();
    std::vector<Snapshot> good;
    for (const Tick until : {200'000'000, 1'000'000'000, 2'000'000'000}) {
        m->run(until);
        good.push_back(m->save());
        if (const std::string fate = fate_of(rig, good.back()); fate != "ran")
            return {rig.type + ": a correct checkpoint does not continue: " + fate};
    }
    for (std::uint64_t seed = from; seed < to; ++seed) {
        Rng random(seed, rig.type);
        Snapshot s = good[seed % good.size()];
        forge(s, random);
        const std::string fate = fate_of(rig, s);
        if (fate != "ran" && fate != "refused" && fate != "stopped")
            faults.push_back(rig.type + " of seed " + std::to_string(seed) + ": " + fate);
    }
    return faults;
}

} // namespace

namespace {

/// A running generator and its DRAM, and a copy of them with the DRAM's state as changed by
/// `forge`.
std::unique_ptr<Machine> copy_of_forged(const std::function<void(mem::DramController&)>& forge) {
    const auto rig = std::find_if(rigs().begin(), rigs().end(),
                                  [](const Rig& r) { return r.type == "mem.TrafficGen"; });
    const auto m = built(*rig);
    m->sim().stamps().enable(1);
    m->start();
    m->run(200'000'000);
    forge(m->get<mem::DramController>("dram"));
    auto copy = built(*rig);
    copy->load(m->save());
    return copy;
}

} // namespace

TEST_CASE("an index without an element is refused by component and field", "[forging]") {
    using Catch::Contains;
    CHECK_THROWS_WITH(copy_of_forged([](auto& dram) { dram.state.front = 1u << 20; }),
                      Contains("dram (mem.DramController): front is 1048576 and not below"));
    CHECK_THROWS_WITH(copy_of_forged([](auto& dram) { dram.state.scheduler.plan.bank = 4711; }),
                      Contains("dram (mem.DramController): plan is 4711 and not below"));
}

TEST_CASE("a tag or a stamp without an element ends a resumed run with a sentence", "[forging]") {
    using Catch::Contains;
    const auto goes_on = [](const std::function<void(mem::DramController&)>& forge) {
        copy_of_forged(forge)->run(1'000'000'000);
    };
    CHECK_NOTHROW(goes_on([](auto&) {}));
    CHECK_THROWS_WITH(goes_on([](auto& dram) {
                          for (auto& r : dram.state.requests) r.tag = 1u << 20;
                      }),
                      Contains("cannot continue from its checkpoint") &&
                          Contains("names an element that does not exist"));
    CHECK_THROWS_WITH(goes_on([](auto& dram) {
                          for (auto& s : dram.state.stages) s.stamps = Stamps::Id::of(0, 711);
                      }),
                      Contains("cannot continue from its checkpoint") && Contains("was freed"));
}

TEST_CASE("an SM with warps for a unit that it lacks is refused", "[forging]") {
    const auto rig = std::find_if(rigs().begin(), rigs().end(),
                                  [](const Rig& r) { return r.type == "sap.MemoryManager"; });
    const auto m = built(*rig);
    m->start();
    m->run(200'000'000);
    for (const auto& c : m->components())
        if (auto* sm = dynamic_cast<gpu::Sm*>(static_cast<Component*>(c)))
            sm->state.ready.sets.arithmetic.add(0);
    const auto copy = built(*rig);
    CHECK_THROWS_WITH(copy->load(m->save()),
                      Catch::Contains("has instructions for units that the SM lacks"));
}

TEST_CASE("a message that announces more lines than it has is a fault", "[forging]") {
    protocol::UpcomingAccesses a;
    a.count = protocol::UpcomingAccesses::most_lines;
    CHECK(a.announced().size() == protocol::UpcomingAccesses::most_lines);
    ++a.count;
    CHECK_THROWS_WITH(a.announced(), Catch::Contains("announces more lines than it has"));
}

TEST_CASE("a flit of another size ends a resumed run with a sentence", "[forging]") {
    const auto rig = std::find_if(rigs().begin(), rigs().end(),
                                  [](const Rig& r) { return r.type == "cxl.RootPort"; });
    const auto m = built(*rig);
    m->start();
    // A record of a flit in flight: its 68 bytes, and five handles of 8 behind them.
    constexpr std::uint64_t size = 68 + 5 * 8;
    const std::string length(reinterpret_cast<const char*>(&size), sizeof size);
    Snapshot s;
    do {
        m->run(m->sim().now() + 1'000'000);
        s = m->save();
    } while (s.shared.find(length) == s.shared.npos);
    const std::size_t at = s.shared.find(length);
    for (const std::uint64_t forged : {std::uint64_t {60}, size + 200}) {
        Snapshot other = s;
        other.shared.replace(at, sizeof forged, reinterpret_cast<const char*>(&forged),
                             sizeof forged);
        if (forged < size)
            other.shared.erase(at + 8, size - forged);
        else
            other.shared.insert(at + 8, forged - size, '\0');
        const auto copy = built(*rig);
        copy->load(other);
        CHECK_THROWS_WITH(copy->run(never),
                          Catch::Contains("does not consist of a flit and its headers"));
    }
}

TEST_CASE("a forged checkpoint is refused or continues, and never crashes", "[forging]") {
    for (const Rig& rig : rigs()) {
        DYNAMIC_SECTION(rig.type) { CHECK(check_forged(rig, 0, 3) == std::vector<std::string> {}); }
    }
}

TEST_CASE("forged checkpoints of every component, hundreds", "[long][forging]") {
    for (const Rig& rig : rigs()) {
        DYNAMIC_SECTION(rig.type) {
            CHECK(check_forged(rig, 3, 300) == std::vector<std::string> {});
        }
    }
}

} // namespace memsim::test::forging_test
