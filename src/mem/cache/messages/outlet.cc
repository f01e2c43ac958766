#include "mem/cache/messages/outlet.hh"

#include "device_parts/named.hh"

namespace memsim::mem::cache {

Forwarded Outlet::answered(std::uint32_t tag) {
    const std::uint32_t place = tag - limits_.fetches;
    const Forwarded origin = device_parts::named(state_.forwarded, place);
    state_.free.push_back(place);
    state_.forwarded[place] = {};
    return origin;
}

std::uint32_t Outlet::await_evicted() {
    std::uint32_t n = 0;
    for (Forwarded& f : state_.forwarded)
        if (f.evicted) {
            f = {0, 0, true, false};
            ++n;
        }
    return n;
}

void Outlet::functional(FunctionalAccess& access) const {
    const std::uint64_t sector = access.address / SectorBytes::size;
    for (std::uint32_t i = state_.queue.size(); i-- > 0 && !access.write;) {
        const protocol::MemRequest& r = state_.queue[i];
        if (!r.contents) continue;
        for (const Contents::Piece& p : sim_.contents()[r.contents].pieces)
            if (r.address / SectorBytes::size + p.sector == sector) access.data.fill(p.data);
    }
}

} // namespace memsim::mem::cache
