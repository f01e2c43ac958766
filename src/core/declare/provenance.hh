#pragma once

#include <array>

/// The origin of a parameter's default, declared with it:
///
///     #include "core/declare/param.hh"
///
///     using namespace memsim;
///     using namespace memsim::literals;
///
///     struct Params {
///         Param<unsigned> registers {8, {2, 64}, "Registers of a plane", stated("ZnG table I")};
///         Param<Time> search {0_ns, "Search of a log block", assumed("within tR").swept("10ns")};
///     };
///
/// The database stores the provenance of each parameter (docs/database.md, view `provenance`).
namespace memsim {

struct Provenance {
    const char* kind = "";   ///< stated, cited, inferred or assumed; "": not declared
    const char* source = ""; ///< the place in the source; for an assumption, the reason
    const char* name = ""; ///< an assumption's name in studies, if it differs from the parameter's
    std::array<const char*, 4> sweep {}; ///< other values for sensitivity studies

    /// Sets the other values for sensitivity studies, at most four.
    template <class... Value>
    constexpr Provenance swept(Value... values) const {
        Provenance p = *this;
        p.sweep = {values...};
        return p;
    }
    constexpr Provenance called(const char* other) const {
        Provenance p = *this;
        p.name = other;
        return p;
    }
};

/// A paper that memsim models states the value.
constexpr Provenance stated(const char* where) { return {"stated", where}; }
/// Another source states it: a standard, a data sheet, a paper, a public simulator.
constexpr Provenance cited(const char* where) { return {"cited", where}; }
/// It follows from figures of a paper.
constexpr Provenance inferred(const char* from) { return {"inferred", from}; }
/// No source states it.
constexpr Provenance assumed(const char* why = "no source gives it") { return {"assumed", why}; }
/// It follows from other values.
constexpr Provenance derived_from(const char* values) { return {"derived", values}; }

// Reasons that many defaults share.

/// Numbers of ports, indices and shares of addresses. The machine that connects the parts sets
/// them.
constexpr Provenance from_wiring() { return derived_from("the parts that it connects"); }
/// Places for messages, commands or requests.
constexpr Provenance queue_places() {
    return assumed("hardware has places, which no source counts");
}
/// 1 fs, which a link has at least.
constexpr Provenance least_latency() {
    return assumed("no time of its own: other latencies hold it");
}
/// A mechanism that is off unless a machine asks for it.
constexpr Provenance switched_off() { return assumed("off unless a machine asks for it"); }
/// A choice among policies, of which no source names one.
constexpr Provenance usual_policy() { return assumed("a usual policy: no source names one"); }
/// A part of a program that is simulated.
constexpr Provenance whole_program() {
    return assumed("the whole program, unless a run names a region");
}
/// A size, an address or a load that a machine or a script names.
constexpr Provenance example_value() {
    return assumed("an example: a machine or script names its own");
}
/// Figures of a timing table that a parameter could replace.
constexpr Provenance table_figures() { return assumed("the figures of the table"); }

} // namespace memsim
