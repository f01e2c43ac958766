#include "mem/victim_buffer.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"

namespace memsim::mem {

using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<VictimBuffer> victim_buffer {
    "A small buffer of clean victims between a cache and the next level."};

namespace {

/// Narrows a read to some of its sectors, given as a mask from its first sector.
MemRequest only(MemRequest r, std::uint32_t sectors) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(sectors));
    const auto end = static_cast<std::uint32_t>(std::bit_width(sectors));
    const std::uint64_t base = r.address / SectorBytes::size * SectorBytes::size;
    const std::uint64_t stop =
        std::min(r.address + r.bytes, base + std::uint64_t {end} * SectorBytes::size);
    r.address = std::max(r.address, base + std::uint64_t {first} * SectorBytes::size);
    r.bytes = static_cast<std::uint32_t>(stop - r.address);
    sectors >>= first;
    r.sectors = sectors & (sectors + 1) ? static_cast<std::uint16_t>(sectors) : std::uint16_t {0};
    return r;
}

} // namespace

void VictimBuffer::init() {
    state.waiting.resize(params.outstanding());
    for (std::uint32_t i = params.outstanding(); i-- > 0;) state.free.push_back(i);
    state.held.reserve(params.sectors());
}

void VictimBuffer::wake() {
    while (!port.mem_side.empty()) come_back(port.mem_side.pop());
    while (!port.cpu_side.empty() && serve(port.cpu_side.front())) port.cpu_side.pop();
}

/// Returns false if the request must wait for space in the next level.
bool VictimBuffer::serve(const MemRequest& r) {
    switch (r.command) {
    case Command::read:
        return read(r);
    case Command::write:
    case Command::atomic:
        if (!forward(r, r)) return false;
        drop(r);
        return true;
    case Command::victim:
        store_victim(r);
        return true;
    case Command::claim:
        drop(r);
        return true;
    case Command::invalidate:
        empty(r.application);
        return true;
    default:
        refuse("queue", "does not support flush and reserve: send them to a cache");
    }
}

bool VictimBuffer::read(const MemRequest& r) {
    const bool carries = sim().contents().enabled();
    std::uint32_t here = 0, missing = 0;
    for_each_sector(r, [&](std::uint64_t sector, std::uint32_t i) {
        (find(sector) == none ? missing : here) |= 1u << i;
    });
    MemRequest awaited = r;
    if (missing && !port.mem_side.can_send()) return false;
    if (here && carries) {
        awaited.contents = sim().contents().create();
        for_each_sector(r, [&](std::uint64_t sector, std::uint32_t i) {
            if (here >> i & 1)
                sim().contents()[awaited.contents].pieces.push_back(
                    {i, state.held[find(sector)].data});
        });
    }
    if (missing)
        forward(only(r, missing), awaited);
    else {
        MemResponse answer = protocol::answer(r);
        answer.contents = awaited.contents;
        sim().stamps().mark(r.stamps, static_cast<std::size_t>(params.stage()),
                            now() + params.latency->raw);
        port.cpu_side.send(answer);
    }
    for_each_sector(r, [&](std::uint64_t sector, std::uint32_t) {
        const std::uint32_t i = find(sector);
        if (i == none) return;
        stat.hit_distance.sample(std::uint64_t {state.held.size()} - i);
        state.held.erase(i);
    });
    ++stat.reads;
    stat.read_sectors += bits_set(here) + bits_set(missing);
    stat.hit_sectors += bits_set(here);
    if (here) ++(missing ? stat.part_hits : stat.hits);
    return true;
}

/// Forwards a message; its response answers `awaited`.
bool VictimBuffer::forward(MemRequest r, const MemRequest& awaited) {
    if (!port.mem_side.can_send()) return false;
    if (r.needs_response()) {
        r.tag = state.free.back(); // available: the port limits messages to `outstanding`
        state.free.pop_back();
        state.waiting[r.tag] = awaited;
    }
    r.source = 0;
    sim().stamps().mark(r.stamps, static_cast<std::size_t>(params.stage()),
                        now() + params.miss_latency->raw);
    port.mem_side.send(r);
    return true;
}

void VictimBuffer::come_back(const MemResponse& r) {
    const MemRequest& asked = device_parts::named(state.waiting, r.tag);
    MemResponse answer = protocol::answer(asked);
    answer.packed = r.packed;
    answer.stamps = r.stamps;
    answer.contents = r.contents;
    if (const Contents::Id here =
            asked.command == Command::read ? asked.contents : Contents::Id {}) {
        Contents& contents = sim().contents();
        auto& pieces = contents[here].pieces;
        const std::uint64_t first = asked.address / SectorBytes::size;
        for (const Contents::Piece& p : contents[r.contents].pieces)
            pieces.push_back(
                {static_cast<std::uint32_t>(r.address / SectorBytes::size + p.sector - first),
                 p.data});
        std::sort(pieces.begin(), pieces.end(),
                  [](const auto& a, const auto& b) { return a.sector < b.sector; });
        contents.release(r.contents);
        answer.contents = here;
    }
    state.waiting[r.tag] = {};
    state.free.push_back(r.tag);
    sim().stamps().mark(answer.stamps, static_cast<std::size_t>(params.stage()),
                        now() + params.latency->raw);
    port.cpu_side.send(answer);
}

// ---- stored sectors ---------------------------------------------------------------------------

std::uint32_t VictimBuffer::find(std::uint64_t sector) const {
    for (std::uint32_t i = 0; i < state.held.size(); ++i)
        if (state.held[i].sector == sector) return i;
    return none;
}

void VictimBuffer::store_victim(const MemRequest& r) {
    std::uint32_t piece = 0;
    for_each_sector(r, [&](std::uint64_t sector, std::uint32_t) {
        if (state.held.size() == params.sectors()) {
            state.held.drop();
            ++stat.pushed_out;
        }
        state.held.push({sector, r.application, {}});
        if (r.contents) state.held.back().data = sim().contents()[r.contents].pieces[piece++].data;
        ++stat.taken;
    });
    sim().contents().release(r.contents);
}

void VictimBuffer::drop(const MemRequest& r) {
    for_each_sector(r, [&](std::uint64_t sector, std::uint32_t) {
        const std::uint32_t i = find(sector);
        if (i == none) return;
        state.held.erase(i);
        ++stat.dropped;
    });
}

void VictimBuffer::empty(std::uint16_t application) {
    for (std::uint32_t i = state.held.size(); i-- > 0;)
        if (application == protocol::every_application ||
            state.held[i].application == application) {
            state.held.erase(i);
            ++stat.dropped;
        }
}

// ---- functional accesses and reports ----------------------------------------------------------

/// The buffer holds the same data as the next level, or older data if several caches write, so
/// functional reads bypass it.
void VictimBuffer::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint32_t i = find(access.address / SectorBytes::size);
    if (access.write && i != none) state.held[i].data.store(access.data);
    look_through(port.mem_side, access);
}

void VictimBuffer::probe(protocol::SectorProbe& probe) const {
    const std::uint32_t i = find(probe.address / SectorBytes::size);
    if (i == none) return;
    probe.valid = true;
    probe.data.fill(state.held[i].data);
}

void VictimBuffer::waits_on(WaitReport& report) const {
    if (const std::size_t n = state.waiting.size() - state.free.size())
        report.add(path() + " waits for " + std::to_string(n) + " responses from " +
                   port.mem_side.neighbour_path());
}

std::optional<std::string> VictimBuffer::imbalance() const {
    if (state.free.size() == state.waiting.size()) return {};
    return std::to_string(state.waiting.size() - state.free.size()) + " requests were not answered";
}

} // namespace memsim::mem
