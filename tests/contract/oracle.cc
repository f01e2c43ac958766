#include "oracle.hh"

#include "../fuzz/target.hh"

#include "core/kernel/registry.hh"

#include <algorithm>

namespace memsim::test {

std::vector<Rig>& rigs() {
    static std::vector<Rig> all;
    return all;
}

std::unique_ptr<Machine> built(const Rig& rig, QueueKind kind) {
    auto m = std::make_unique<Machine>(11, kind);
    rig.make(*m);
    m->build();
    return m;
}

namespace {

/// A dump as text.
struct Record final : StatSink {
    std::string text, name;
    void stat(const std::string& path, const std::string& of, const Stat&,
              std::string_view) override {
        name = path + "." + of;
    }
    void integer(std::string_view part, Int128 value, Unit) override {
        text += name + " " + std::string(part) + "=" + to_text(value) + "\n";
    }
    void derived(std::string_view part, double value, Unit) override {
        text += name + " " + std::string(part) + "~" + std::to_string(value) + "\n";
    }
    void bucket(std::uint64_t low, std::uint64_t, std::uint64_t count) override {
        text += name + " " + std::to_string(low) + ":" + std::to_string(count) + "\n";
    }
};

std::unique_ptr<Machine> started(const Rig& rig, QueueKind kind = QueueKind::fast) {
    auto m = built(rig, kind);
    m->start();
    return m;
}
std::vector<Component*> all_of(Machine& m) {
    std::vector<Component*> all;
    for (const auto& c : m.components()) all.push_back(c);
    return all;
}
void touch(void* component, const void*) {
    auto& c = *static_cast<Component*>(component);
    c.sim().touch(c);
}

/// The results of a run; `fault` if it did not end cleanly.
struct Outcome {
    Tick end = 0;
    std::string fault, stats, digest;
    std::vector<std::string> state; ///< of each component, as JSON
};

Outcome finish(Machine& m) {
    Outcome o;
    if (m.run(never) == Stop::limit) o.fault = "it did not end";
    if (m.pending()) o.fault = "it ended with work left";
    for (const std::string& broken : m.imbalances()) o.fault = broken;
    o.end = m.sim().now();
    Record record;
    m.dump("end", record);
    o.stats = std::move(record.text);
    o.digest = m.digest();
    for (const auto& object : m.save().objects)
        o.state.push_back(object.path + " " + registry().at(object.type).show_state(object.state));
    return o;
}

/// The first thing in which they differ.
std::string difference(const Outcome& got, const Outcome& expected) {
    if (got.fault != expected.fault) return got.fault;
    if (got.end != expected.end)
        return "ends at " + std::to_string(got.end) + ", not " + std::to_string(expected.end);
    if (got.stats != expected.stats) {
        const auto at = std::mismatch(got.stats.begin(), got.stats.end(), expected.stats.begin(),
                                      expected.stats.end());
        const auto from = static_cast<std::size_t>(at.first - got.stats.begin());
        const std::size_t line = from == 0 ? 0 : got.stats.rfind('\n', from - 1) + 1;
        const auto shown = [&](const std::string& all) {
            return all.substr(line, all.find('\n', line) - line);
        };
        return "statistics differ: " + shown(got.stats) + ", alone " + shown(expected.stats);
    }
    if (got.digest != expected.digest) return "the digest differs";
    for (std::size_t i = 0; i < got.state.size(); ++i)
        if (got.state[i] != expected.state[i])
            return "State differs: " + got.state[i] + ", alone " + expected.state[i];
    return "";
}

} // namespace

std::string written(const std::string& name, const std::string& text) {
    return file_of(text, name);
}

std::vector<std::string> check_oracle(const Rig& rig, unsigned rounds) {
    std::vector<std::string> faults;
    const Outcome expected = finish(*started(rig));
    const Tick end = expected.end;
    if (!expected.fault.empty() || end < 1'000'000)
        return {rig.type + ": its rig does not run to an end: " + expected.fault};
    auto compare = [&](const std::string& how, const Outcome& got) {
        const std::string what = difference(got, expected);
        if (!what.empty()) faults.push_back(rig.type + " " + how + ": " + what);
    };
    Rng random(rounds, rig.type);
    auto some_tick = [&] {
        return 1 + static_cast<Tick>(random.below(static_cast<std::uint64_t>(end)));
    };
    for (unsigned s = 1; s <= 3 * rounds; ++s) {
        for (unsigned one_in : {1u, 7u}) {
            const auto m = started(rig);
            m->sim().perturb(s, one_in, all_of(*m));
            compare("under spurious wakes", finish(*m));
        }
        const auto m = started(rig); // woken when nothing else happens
        const auto all = all_of(*m);
        for (int i = 0; i < 1000; ++i)
            m->sim().queue().schedule(some_tick(), touch, all[random.below(all.size())]);
        compare("woken at any tick", finish(*m));
    }
    compare("on the naive queue", finish(*started(rig, QueueKind::naive)));
    for (unsigned i = 0; i < 12 * rounds; ++i) {
        const Tick at = some_tick();
        const auto first = started(rig);
        first->run(at);
        const Snapshot snapshot = first->save();
        const auto second = built(rig, i % 2 ? QueueKind::naive : QueueKind::fast);
        second->load(snapshot);
        compare("restored at " + std::to_string(at), finish(*second));
        compare("saved at " + std::to_string(at) + " and run on", finish(*first));
    }

    for (unsigned s = 1; s <= 6 * rounds; ++s) {
        const Tick at = some_tick();
        const auto m = started(rig), n = started(rig), second = built(rig);
        const std::string how = "in partitions " + std::to_string(s);
        m->threads().set({1 + s % 2, s});
        if (s % 3 == 0) m->sim().perturb(s, 3, all_of(*m));
        compare(how, finish(*m));
        n->threads().set({1 + s % 2, s});
        n->run(at);
        second->load(n->save());
        compare(how + ", restored serially at " + std::to_string(at), finish(*second));
    }

    // A watcher changes no state but its own.
    const auto stamped = started(rig);
    stamped->sim().stamps().enable(1);
    Outcome watched = finish(*stamped);
    watched.state = expected.state; // has handles of stamps
    compare("with every request stamped", watched);
    const auto traced = started(rig);
    traced->sim().set_debug(std::vector<std::uint8_t>(DebugFlag::all().size(), 1), 0, never,
                            [](const std::string&) {});
    compare("with every debug flag on", finish(*traced));
    const auto sampled = started(rig);
    sampled->sample_every(Time {end / 100 + 1}, {"*"});
    watched = finish(*sampled);
    watched.digest = expected.digest; // covers the series
    compare("with a series of every statistic", watched);

    // In turn with one of its kind and with one of another.
    const Rig& other = &rig == &rigs().front() ? rigs().back() : rigs().front();
    const auto a = started(rig), b = started(rig), c = started(other);
    for (Tick t = 0; t < end; t += end / 50 + 1) a->run(t), b->run(t), c->run(t);
    compare("beside another machine", finish(*a));
    compare("beside another machine", finish(*b));
    const std::string what = difference(finish(*c), finish(*started(other)));
    if (!what.empty()) faults.push_back(other.type + " beside " + rig.type + ": " + what);
    return faults;
}

} // namespace memsim::test
