#include "child.hh"
#include "core/kernel/registry.hh"
#include "oracle.hh"

#include <catch2/catch.hpp>

#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <iterator>
#include <map>

/// Every numeric parameter of every component, on each of its rigs, at its least, its greatest, one
/// beyond either, and the next to 0, which often has a meaning of its own: the run ends, is
/// refused by a sentence, or is in progress when its time is up. A machine that stalls has a fault.
/// Parameters of policies are not tried.
namespace memsim::test::limits_test {

namespace {

struct Value {
    const Rig* rig;
    std::string param, text;
    bool beyond; ///< its range: it must be refused

    std::string name() const { return rig->type + "." + param + "=" + text; }
};

/// '65536' -> '65537', '1GiB' -> '2GiB'.
std::string one_more(std::string text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::size_t i = digits;
    while (i > 0 && text[i - 1] == '9') text[--i] = '0';
    if (i == 0) return "1" + text;
    ++text[i - 1];
    return text;
}
/// '1KiB' -> '0KiB', '0' -> '-1'.
std::string one_less(std::string text) {
    if (text.front() == '0') return "-1" + text.substr(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::size_t i = digits;
    while (text[i - 1] == '0') text[--i] = '9';
    --text[i - 1];
    return text;
}

std::vector<Value> values() {
    std::vector<Value> all;
    for (const Rig& rig : rigs()) {
        if (rig.type.starts_with("test")) continue;
        for (const ParamInfo& p : registry().at(rig.type).params) {
            if (p.min.find_first_of("0123456789") != 0) continue; // it is no number
            all.push_back({&rig, p.name, p.min, false});
            all.push_back({&rig, p.name, p.max, false});
            if (p.min.front() == '0') all.push_back({&rig, p.name, one_more(p.min), false});
            all.push_back({&rig, p.name, one_less(p.min), true});
            all.push_back({&rig, p.name, one_more(p.max), true});
        }
    }
    return all;
}

/// From now on the parameter of all components of a type has this value instead of the rig's.
/// For a process of its own: the registry stays as it is for all others.
void impose(const Value& v) {
    static const Value* imposed = nullptr;
    static void (*with_params)(const UseParams&) = nullptr;
    auto& schema = const_cast<Schema&>(registry().at(v.rig->type));
    imposed = &v, with_params = schema.with_params;
    schema.with_params = [](const UseParams& use) {
        with_params([&](std::vector<ParamRef> all, const void* params) {
            const auto p = std::ranges::find(all, imposed->param, &ParamRef::name);
            p->operations->parse(p->param, imposed->text);
            ParamOperations given = *p->operations;
            given.parse = [](void*, std::string_view) {};
            p->operations = &given;
            use(all, params);
        });
    };
}

std::atomic<bool>* attention = nullptr;

constexpr unsigned slices = 3; ///< of processor time, until a run is in progress
constexpr suseconds_t slice = 100'000;

/// Calls for attention after each slice.
void start_slices() {
    std::signal(SIGPROF, [](int) {
        if (attention) *attention = true;
    });
    const itimerval every {{0, slice}, {0, slice}};
    setitimer(ITIMER_PROF, &every, nullptr);
}

struct Reads final : StatSink {
    void stat(const std::string&, const std::string&, const Stat&, std::string_view) override {}
    void integer(std::string_view, Int128, Unit) override {}
    void derived(std::string_view, double, Unit) override {}
    void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
};

/// How a machine with this value ends, if it does not as it may.
std::string fault_of(const Value& v) {
    try {
        impose(v);
        Machine m(11);
        v.rig->make(m);
        m.build();
        m.start();
        if (v.beyond) return "it is accepted";
        attention = &m.sim().attention();
        std::vector<Tick> reached;
        Stop stop = m.run(never);
        for (; stop == Stop::attention && reached.size() < slices; stop = m.run(never)) {
            reached.push_back(m.sim().now());
            *attention = false;
        }
        Reads reads;
        m.dump("end", reads);
        if (stop == Stop::attention)
            return reached.front() == reached.back() ? "it makes no progress and does not end" : "";
        if (m.pending()) {
            const std::vector<std::string> waits = m.wait_report();
            if (waits.empty()) return "it stalls without a report";
            return "it stalls: " + waits.front();
        }
        for (const std::string& broken : m.imbalances()) return broken;
        return "";
    } catch (const ConfigError& e) {
        const std::string message = e.what();
        return message.empty() || message.find('\n') != std::string::npos
                   ? "it is refused by: " + message
                   : "";
    }
}

std::string fate_of(const Value& v) {
    return in_child({}, [&] {
        start_slices();
        return fault_of(v);
    });
}

/// One in so many of all values, always the same ones.
std::vector<std::string> faults(std::uint64_t one_in, std::size_t expected) {
    std::vector<std::string> found;
    std::size_t tried = 0;
    std::map<std::string, int> number; // of rigs with the same value
    for (const Value& v : values()) {
        const std::string name = v.name() + " on rig " + std::to_string(number[v.name()]++);
        if (Rng(1, name).below(one_in) != 0) continue;
        ++tried;
        if (const std::string fault = fate_of(v); !fault.empty())
            found.push_back(name + ": " + fault);
    }
    if (one_in == 1) WARN(tried << " values of parameters were tried");
    CHECK(tried >= expected);
    return found;
}

} // namespace

TEST_CASE("a value outside a parameter's range is its limit plus or minus one") {
    CHECK(one_more("65536") == "65537");
    CHECK(one_more("199") == "200");
    CHECK(one_more("99GHz") == "100GHz");
    CHECK(one_more("18446744073709551615") == "18446744073709551616");
    CHECK(one_less("0fs") == "-1fs");
    CHECK(one_less("1KiB") == "0KiB");
    CHECK(one_less("100") == "099");
}

TEST_CASE("a sample of the limits of parameters is run or refused") {
    CHECK(faults(4, 1000) == std::vector<std::string> {});
}

TEST_CASE("the limits of every parameter are run or refused", "[long]") {
    CHECK(faults(1, 5000) == std::vector<std::string> {});
}

} // namespace memsim::test::limits_test
