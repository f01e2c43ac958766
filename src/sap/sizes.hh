#pragma once

#include "core/kernel/component.hh"
#include "protocol/observed.hh"

/// Memories of units without time, of several capacities at once: what their models share.
namespace memsim::sap {

using namespace memsim::literals;

struct SizeParams {
    using group = void;
    Param<Bytes> unit {
        4_KiB, {256_B, 512_KiB}, "Unit that comes and goes", stated("SAP III: 4 KB")};
    Param<Bytes> least {1_MiB,
                        {256_B, Bytes {std::int64_t {1} << 50}},
                        "Least capacity that is recorded",
                        multiple_of(unit)};
    Param<unsigned> capacities {
        12, {1, 24}, "Capacities, each twice the one before", stated("SAP IV: 1 MB to 1.5 GB")};

    std::uint64_t unit_of(std::uint64_t address) const {
        return address / static_cast<std::uint64_t>(unit->raw);
    }
    /// Units that a capacity holds.
    std::uint64_t units(std::uint32_t capacity) const {
        return static_cast<std::uint64_t>(least->raw / unit->raw) << capacity;
    }
};

/// Of a component whose Params have `SizeParams sizes`.
template <class Params>
struct SizeStats {
    using group = void;
    static unsigned capacities(const void* params) {
        return static_cast<const Params*>(params)->sizes.capacities();
    }
    Counter accesses {Unit::count, "Accesses"};
    Counter writes {Unit::count, "Writes and atomics among the accesses"};
    Each<Counter> hits {capacities, Unit::count, "Accesses that found their unit, by capacity"};
    Each<Counter> misses {capacities, Unit::count, "Accesses that brought their unit, by capacity"};
    Each<Counter> written_back {capacities, Unit::count,
                                "Written units that made room, by capacity"};

    void count(const protocol::Observed& access) {
        ++accesses;
        writes += access.write;
    }
};

} // namespace memsim::sap
