#include "core/base/rng.hh"
#include "flash/channel/die_use.hh"
#include "support.hh"

#include <map>
#include <set>

namespace memsim::die_use_test {

using namespace memsim::flash;
using protocol::FlashOp;
using protocol::FlashPlace;

namespace {

constexpr std::uint32_t packages = 2, dies = 3, planes = 4;

/// DieUse, and the operations in progress, from which the same answers are counted.
struct Dut {
    struct Operation {
        FlashPlace place;
        FlashOp op;
    };
    explicit Dut(const DieUse::Config& c) : config(c) {}

    DieUse::Config config;
    DieUseState state;
    DieUse use {config, state};
    std::vector<Operation> operations;
    std::array<std::uint64_t, packages> full {};

    std::uint32_t unit(const FlashPlace& p) const {
        return config.independent_planes ? p.die * planes + p.plane : p.die;
    }
    /// The planes that may start an operation, counted plane by plane.
    DieUse::Able counted(std::uint32_t package) const {
        std::map<std::uint32_t, std::uint32_t> held; // by unit
        std::map<std::uint32_t, bool> erases;
        std::set<std::uint32_t> working;
        for (const Operation& o : operations) {
            if (o.place.package != package) continue;
            ++held[unit(o.place)];
            erases[unit(o.place)] |= config.suspends_erases && o.op == FlashOp::erase;
            working.insert(o.place.die);
        }
        const bool another = working.size() < (config.at_once ? config.at_once : dies);
        DieUse::Able able;
        for (std::uint32_t plane = 0; plane < dies * planes; ++plane) {
            const FlashPlace p {.die = static_cast<std::uint8_t>(plane / planes),
                                .plane = static_cast<std::uint8_t>(plane % planes)};
            const std::uint32_t n = held[unit(p)];
            const bool idle = n == 0 && (another || working.contains(p.die));
            const bool room = !(full[package] >> plane & 1) && (idle || n > 0);
            const bool program = room && n < config.registers;
            const bool past_erase = room && erases[unit(p)] && n <= config.registers;
            if (idle) able.erase |= 1ull << plane;
            if (program) able.program |= 1ull << plane;
            if (program || past_erase) able.read |= 1ull << plane;
        }
        return able;
    }
};

/// Begins and ends random operations that may start. Returns how many began although the package
/// could not start one in every plane.
unsigned run(const DieUse::Config& config) {
    Dut d(config);
    Rng rng(7, "die_use");
    unsigned limited = 0;
    for (int step = 0; step < 2000; ++step) {
        const FlashPlace p {.package = static_cast<std::uint16_t>(rng.below(packages)),
                            .die = static_cast<std::uint8_t>(rng.below(dies)),
                            .plane = static_cast<std::uint8_t>(rng.below(planes))};
        const std::uint64_t bit = 1ull << (p.die * planes + p.plane);
        const auto op = static_cast<FlashOp>(rng.below(3));
        const DieUse::Able able = d.use.able(p.package);
        const bool begins = (op == FlashOp::erase     ? able.erase
                             : op == FlashOp::program ? able.program
                                                      : able.read) &
                            bit;
        if (begins) {
            d.use.begin(p, op);
            d.operations.push_back({p, op});
            limited += able.erase != (1ull << dies * planes) - 1;
        } else if (!d.operations.empty()) {
            const auto at =
                d.operations.begin() + static_cast<std::ptrdiff_t>(rng.below(d.operations.size()));
            d.use.end(at->place, at->op);
            d.operations.erase(at);
        }
        if (rng.below(8) == 0) {
            d.full[p.package] ^= bit;
            d.use.chip(p.package).full = d.full[p.package];
        }
        for (std::uint32_t package = 0; package < packages; ++package) {
            const DieUse::Able now = d.use.able(package), should = d.counted(package);
            CHECK(now.erase == should.erase);
            CHECK(now.program == should.program);
            CHECK(now.read == should.read);
        }
    }
    return limited;
}

} // namespace

TEST_CASE("What a package may start equals a count of its operations", "[flash]") {
    for (const bool independent : {false, true})
        for (const std::uint32_t registers : {1, 2})
            for (const std::uint32_t at_once : {0, 1, 2}) {
                CAPTURE(independent, registers, at_once);
                CHECK(run({.packages = packages,
                           .dies = dies,
                           .planes = planes,
                           .registers = registers,
                           .at_once = at_once,
                           .independent_planes = independent,
                           .suspends_erases = true}) > 20);
            }
}

} // namespace memsim::die_use_test
