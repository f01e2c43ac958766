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

} // namespace memsim
