#pragma once

#include "core/kernel/component.hh"
#include "protocol/observed.hh"
#include "sap/recency.hh"

/// Untimed models of memories of units at several capacities: shared declarations.
namespace memsim::sap {

using namespace memsim::literals;

struct SizeParams {
    using group = void;
    Param<Bytes> unit {4_KiB,
                       {256_B, 512_KiB},
                       "Bytes of a unit, which is brought and replaced as a whole",
                       stated("SAP III: 4 KB")};
    Param<Bytes> least {1_MiB,
                        {256_B, Bytes {std::int64_t {1} << 50}},
                        "Smallest capacity",
                        multiple_of(unit),
                        stated("SAP IV: 1 MB to 1.5 GB")};
    Param<unsigned> capacities {12,
                                {1, 24},
                                "Number of capacities, each twice the previous one",
                                stated("SAP IV: 1 MB to 1.5 GB")};

    std::uint64_t unit_of(std::uint64_t address) const {
        return address / static_cast<std::uint64_t>(unit->raw);
    }
    /// Why `capacities` is refused; empty if it is not. Units are numbered by Recency.
    std::string fault() const {
        const std::uint64_t most = Recency::never / 4;
        if (units(0) <= most >> (capacities - 1)) return {};
        return capacities.text() + " from " + least.text() + ": the largest has more than " +
               std::to_string(most) + " units: take fewer or smaller ones, or larger units";
    }
    /// Units that fit a capacity.
    std::uint64_t units(std::uint32_t capacity) const {
        return static_cast<std::uint64_t>(least->raw / unit->raw) << capacity;
    }
};

/// Requires that `Params` contains SizeParams as `sizes`.
template <class Params>
struct SizeStats {
    using group = void;
    static unsigned capacities(const void* params) {
        return static_cast<const Params*>(params)->sizes.capacities();
    }
    Counter accesses {Unit::count, "Accesses"};
    Counter writes {Unit::count, "Writes and atomics among the accesses"};
    Each<Counter> hits {capacities, Unit::count, "Accesses whose unit was held, by capacity"};
    Each<Counter> misses {capacities, Unit::count, "Accesses that brought their unit, by capacity"};
    Each<Counter> written_back {capacities, Unit::count, "Written units replaced, by capacity"};

    void count(const protocol::Observed& access) {
        ++accesses;
        writes += access.write;
    }
};

} // namespace memsim::sap
