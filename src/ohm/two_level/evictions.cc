#include "ohm/two_level/evictions.hh"

namespace memsim::ohm {

void Evictions::evict(const Eviction& e, std::uint32_t module) {
    ++stats_.evictions;
    if (!params_.auto_rw()) state_.modules[module].evictions.push(e);
}

void Evictions::seen_passing(const Eviction& e, std::uint64_t requested, bool dirty) {
    protocol::DdrtCommand c;
    c.snarf = true;
    c.address = map_.module_address(requested);
    c.other = map_.module_address(e.local); // same set, so same module
    c.dirty = dirty;
    c.bytes = line_bytes();
    c.id = e.request;
    c.contents = e.contents;
    state_.modules[map_.module_of(requested)].snarfs.push(c);
}

bool Evictions::send_snarfs(std::uint32_t m) {
    auto& snarfs = state_.modules[m].snarfs;
    bool changed = false;
    while (!snarfs.empty() && modules_.can_send(m)) {
        const protocol::DdrtCommand c = snarfs.pop();
        modules_.send(m, c);
        changed = true;
        if (!c.evicts()) continue;
        ++stats_.snarfed;
        left_(c.id);
    }
    return changed;
}

bool Evictions::book(bool old_ones, Tick now) {
    bool changed = false;
    for (std::uint32_t m = 0; m < modules_.modules(); ++m) {
        auto& evictions = state_.modules[m].evictions;
        if (evictions.empty() || !modules_.quiet(m) || !modules_.can_send(m)) continue;
        const bool old = now >= evictions.front().decided + params_.patience->raw;
        if ((old_ones && !old) || channel_.free_at(wires_) > now + (old_ones ? channel_.lead() : 0))
            continue;
        const Eviction e = evictions.pop();
        protocol::DdrtCommand c;
        c.address = map_.module_address(e.local);
        c.bytes = line_bytes();
        c.id = e.request;
        c.contents = e.contents;
        c.write = c.migration = true;
        modules_.book(m, c.bytes, c, true, now, wires_);
        changed = true;
    }
    return changed;
}

void Evictions::check_loaded(Loader& l, std::size_t requests) const {
    for (const EvictionState::Queue& q : state_.modules) {
        for (std::uint32_t i = 0; i < q.evictions.size(); ++i)
            l.index("evictions", q.evictions[i].request, requests);
        for (std::uint32_t i = 0; i < q.snarfs.size(); ++i)
            l.index("snarfs", q.snarfs[i].id, requests);
    }
}

} // namespace memsim::ohm
