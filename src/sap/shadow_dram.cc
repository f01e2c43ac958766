#include "sap/shadow_dram.hh"

#include "core/registry.hh"

namespace memsim::sap {

using parts::AskedBy;
using parts::Residency;

static const Registration<ShadowDram> registered {
    "Which accesses would hit in a DRAM before a drive, at several capacities at once."};

void ShadowDram::init() {
    unit_ = static_cast<std::uint64_t>(params.unit->raw);
    if (params.least->raw % params.unit->raw)
        refuse("least",
               params.least.text() + " are no whole number of units of " + params.unit.text());
    state.drams.resize(params.capacities);
    for (std::uint32_t i = 0; i < params.capacities; ++i) {
        Dram& dram = state.drams[i];
        const std::string place = path() + ".drams[" + std::to_string(i) + "]";
        dram.replacement.make(params.replacement->text(), place + ".replacement", sim().seed());
        dram.prefetch.make(params.prefetch->text(), place + ".prefetch", sim().seed());
        dram.prefetch->resize(unit_,
                              std::max<std::uint64_t>(
                                  1, static_cast<std::uint64_t>(params.prefetch_end->raw) / unit_));
        dram.resident.resize(units(i), *dram.replacement);
    }
}

void ShadowDram::wake() {
    for (unsigned m = 0; m < params.managers; ++m)
        while (!port.recorded[m].empty()) {
            const protocol::UpcomingAccesses a = port.recorded[m].pop();
            for (std::uint8_t i = 0; i < a.count; ++i)
                for (Dram& dram : state.drams) dram.record.note(a.lines[i] / unit_, params.record);
        }
    while (!port.accesses.empty()) {
        const protocol::Observed a = port.accesses.pop();
        ++stat.accesses;
        stat.writes += a.write;
        for (std::uint32_t i = 0; i < state.drams.size(); ++i)
            access(i, a.address / unit_, a.write);
    }
}

void ShadowDram::access(std::uint32_t at, std::uint64_t unit, bool write) {
    parts::Residency& resident = state.drams[at].resident;
    std::uint32_t frame = resident.find(unit);
    if (frame == Residency::none) {
        ++stat.misses[at];
        bring(at, unit, AskedBy::demand);
        frame = resident.find(unit);
        resident.use(frame, write);
        resident.pin(frame);
        bring_with(at, unit);
        resident.unpin(frame);
        return;
    }
    ++stat.hits[at];
    const parts::ResidentPage& page = resident[frame];
    stat.useful_prefetches[at] += page.asked == AskedBy::prefetch && !page.used;
    resident.use(frame, write);
}

/// What comes beside a missed unit, as far as there is room for it.
void ShadowDram::bring_with(std::uint32_t at, std::uint64_t missed) {
    Dram& dram = state.drams[at];
    std::uint64_t room = units(at) - 1;
    const auto bring_other = [&](std::uint64_t other) {
        if (!room || dram.resident.find(other) != Residency::none) return;
        bring(at, other, AskedBy::prefetch);
        ++stat.prefetches[at];
        --room;
    };
    dram.record.take_all(bring_other);
    missed_.assign(1, {missed});
    with_it_.clear();
    dram.prefetch->bring(missed_, with_it_);
    for (const parts::PageName& other : with_it_) bring_other(other.page);
}

void ShadowDram::bring(std::uint32_t at, std::uint64_t unit, AskedBy asked) {
    const Residency::Claim claim = state.drams[at].resident.claim(unit, asked);
    if (claim.evicts) state.drams[at].prefetch->evicted({claim.victim.key});
    state.drams[at].prefetch->claimed({unit});
    stat.evictions[at] += claim.evicts;
    stat.written_back[at] += claim.evicts && claim.victim.dirty;
    state.drams[at].resident.arrive(claim.frame);
}

void ShadowDram::check_loaded(Loader& l) const {
    for (const Dram& dram : state.drams)
        l.check(dram.record.sound(), "has a record whose row and index differ");
}

} // namespace memsim::sap
