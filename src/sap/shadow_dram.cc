#include "sap/shadow_dram.hh"

#include "core/kernel/registry.hh"

namespace memsim::sap {

using device_parts::AskedBy;
using device_parts::Residency;

static const Registration<ShadowDram> shadow_dram {
    "Counts accesses that would hit in a DRAM in front of a drive, at several capacities."};

void ShadowDram::init() {
    if (const std::string fault = params.sizes.fault(); !fault.empty()) refuse("capacities", fault);
    state.drams.resize(params.sizes.capacities);
    for (std::uint32_t i = 0; i < state.drams.size(); ++i) {
        Dram& dram = state.drams[i];
        dram.replacement.make(params.replacement, *this,
                              "drams[" + std::to_string(i) + "].replacement");
        dram.ahead.init(*this, params.ahead, static_cast<std::uint64_t>(params.sizes.unit->raw));
        dram.resident.resize(params.sizes.units(i), *dram.replacement);
    }
}

void ShadowDram::wake() {
    while (port.recorded && !port.recorded->empty()) {
        const protocol::UpcomingAccesses a = port.recorded->pop();
        for (const std::uint64_t line : a.announced())
            for (Dram& dram : state.drams)
                dram.record.add(params.sizes.unit_of(line), params.record);
    }
    while (!port.accesses.empty()) {
        const protocol::Observed a = port.accesses.pop();
        stat.sizes.count(a);
        for (std::uint32_t i = 0; i < state.drams.size(); ++i)
            access(i, params.sizes.unit_of(a.address), a.write);
    }
}

void ShadowDram::access(std::uint32_t at, std::uint64_t unit, bool write) {
    device_parts::Residency& resident = state.drams[at].resident;
    std::uint32_t frame = resident.find(unit);
    if (frame == Residency::none) {
        ++stat.sizes.misses[at];
        bring(at, unit, AskedBy::demand);
        frame = resident.find(unit);
        resident.use(frame, write);
        resident.pin(frame);
        bring_with(at, unit);
        resident.unpin(frame);
        return;
    }
    ++stat.sizes.hits[at];
    const device_parts::ResidentPage& page = resident[frame];
    stat.useful_prefetches[at] += page.asked == AskedBy::prefetch && !page.used;
    resident.use(frame, write);
}

/// Brings further units with a missed one, while there is room.
void ShadowDram::bring_with(std::uint32_t at, std::uint64_t missed) {
    Dram& dram = state.drams[at];
    std::uint64_t room = params.sizes.units(at) - 1;
    const auto bring_other = [&](std::uint64_t other) {
        if (!room || dram.resident.find(other) != Residency::none) return;
        bring(at, other, AskedBy::prefetch);
        ++stat.prefetches[at];
        --room;
    };
    dram.record.take_all(bring_other);
    dram.ahead.each_with(missed, bring_other);
}

void ShadowDram::bring(std::uint32_t at, std::uint64_t unit, AskedBy asked) {
    const Residency::Claim claim = state.drams[at].resident.claim(unit, asked);
    if (claim.evicts) state.drams[at].ahead.evicted(claim.victim.key);
    state.drams[at].ahead.claimed(unit);
    stat.evictions[at] += claim.evicts;
    stat.sizes.written_back[at] += claim.evicts && claim.victim.dirty;
    state.drams[at].resident.arrive(claim.frame);
}

void ShadowDram::check_loaded(Loader& l) const {
    for (const Dram& dram : state.drams)
        l.check(dram.record.sound(), "has a record whose order and index differ");
}

} // namespace memsim::sap
