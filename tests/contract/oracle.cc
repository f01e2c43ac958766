#include "oracle.hh"

namespace memsim::test {

std::vector<Rig>& rigs() {
    static std::vector<Rig> all;
    return all;
}

namespace {

constexpr std::uint64_t seed = 11;

struct NoSink final : StatSink {
    void stat(const std::string&, const std::string&, const Stat&, std::string_view) override {}
    void integer(std::string_view, Int128, Unit) override {}
    void derived(std::string_view, double, Unit) override {}
    void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
};

std::unique_ptr<Machine> built(const Rig& rig, QueueKind kind = QueueKind::fast) {
    auto m = std::make_unique<Machine>(seed, kind);
    rig.make(*m);
    m->build();
    return m;
}
std::unique_ptr<Machine> started(const Rig& rig, QueueKind kind = QueueKind::fast) {
    auto m = built(rig, kind);
    m->start();
    return m;
}

/// The digest of all statistics, the end's tick and every State.
std::string finish(Machine& m) {
    if (m.run(never) == Stop::limit) return "did not end";
    if (m.pending()) return "ended with work left";
    for (const std::string& broken : m.imbalances()) return broken;
    const Tick end = m.sim().now();
    NoSink sink;
    m.dump("end", sink);
    return m.digest() + " at " + std::to_string(end);
}

} // namespace

std::vector<std::string> check_oracle(const Rig& rig) {
    std::vector<std::string> faults;
    const auto plain = started(rig);
    const std::string expected = finish(*plain);
    const Tick end = plain->sim().now();
    if (expected.find(" at ") == std::string::npos || end < 1'000'000) {
        faults.push_back(rig.type + ": its rig does not run to an end: " + expected);
        return faults;
    }
    auto compare = [&](const std::string& how, const std::string& got) {
        if (got != expected)
            faults.push_back(rig.type + " " + how + ": " + got + ", alone " + expected);
    };
    for (std::uint64_t s = 1; s <= 3; ++s)
        for (unsigned one_in : {1u, 7u}) {
            const auto m = started(rig);
            std::vector<Component*> all;
            for (const auto& c : m->components()) all.push_back(c.get());
            m->sim().perturb(s, one_in, all);
            compare("under spurious wakes", finish(*m));
        }
    compare("on the naive queue", finish(*started(rig, QueueKind::naive)));
    Rng random(3, rig.type);
    for (int i = 0; i < 12; ++i) {
        const Tick at = 1 + static_cast<Tick>(random.below(static_cast<std::uint64_t>(end)));
        const auto first = started(rig);
        first->run(at);
        const Snapshot snapshot = first->save();
        const auto second = built(rig, i % 2 ? QueueKind::naive : QueueKind::fast);
        second->load(snapshot);
        compare("restored at " + std::to_string(at), finish(*second));
        compare("saved at " + std::to_string(at) + " and run on", finish(*first));
    }
    const auto stamped = started(rig);
    stamped->sim().stamps().enable(1);
    compare("with every request stamped", finish(*stamped));
    const auto traced = started(rig);
    std::size_t lines = 0;
    traced->sim().set_debug(std::vector<std::uint8_t>(DebugFlag::all().size(), 1), 0, never,
                            [&](const std::string&) { ++lines; });
    compare("with every debug flag on", finish(*traced));

    // In turn with one of its kind and with one of another.
    const Rig& other = &rig == &rigs().front() ? rigs().back() : rigs().front();
    const auto a = started(rig), b = started(rig), c = started(other);
    for (Tick t = 0; t < end; t += end / 50 + 1) a->run(t), b->run(t), c->run(t);
    compare("beside another machine", finish(*a));
    compare("beside another machine", finish(*b));
    const std::string alone = finish(*started(other));
    if (finish(*c) != alone) faults.push_back(other.type + " beside " + rig.type);
    return faults;
}

} // namespace memsim::test
