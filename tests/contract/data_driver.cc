#include "data_driver.hh"

#include "device_parts/named.hh"

#include <algorithm>

namespace memsim::test {

using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<DataDriver> data_driver {
    "Test: writes bytes that tell where and when they were written, and reads them."};

/// With `values` = N a store writes one of N patterns. Even patterns repeat every 4 bytes, odd ones
/// every 128.
std::uint8_t DataDriver::value(std::uint64_t address, std::uint32_t store) const {
    const auto mix = [](std::uint64_t a, std::uint64_t b) {
        return (a * 0x9e3779b97f4a7c15 + b) * 0xbf58476d1ce4e5b9 >> 40;
    };
    if (params.values() == 0) return static_cast<std::uint8_t>(mix(address, store));
    const std::uint64_t which = mix(store, 0) % params.values();
    if (params.twist()) {
        const std::uint64_t twist = which % 2 ? params.twist() : 0;
        return static_cast<std::uint8_t>(mix(address % 128, which / 2) ^
                                         twist >> 8 * (address % 8));
    }
    return static_cast<std::uint8_t>(mix(address % (which % 2 ? 128 : 4), which));
}

void DataDriver::init() {
    state.latest.assign(params.lines() * 128, 0);
    state.reads.resize(params.count());
}

void DataDriver::start() {
    for (std::uint64_t at = 0; at < state.latest.size(); at += SectorBytes::size) {
        FunctionalAccess a = access(at, true);
        a.data.known = SectorBytes::all;
        for (std::uint32_t i = 0; i < SectorBytes::size; ++i)
            a.data.bytes[i] = value(a.address + i, 0);
        look_through(port.mem, a);
    }
    arm(state.next, 1);
}

void DataDriver::wake() {
    while (!port.mem.empty()) check(port.mem.pop());
    while (state.sent < params.count() && state.due <= now() && port.mem.can_send()) {
        if (!state.copies)
            send();
        else if (!waits_for_reads()) // as between two launches: only writes may be on their way
            copy();
        else
            return;
    }
    if (state.sent < params.count() && state.due > now()) arm(state.next, state.due);
}

void DataDriver::send() {
    Rng& random = state.random;
    MemRequest r;
    const std::uint64_t line = random.below(params.lines());
    r.address = address(line * 128);
    r.application = static_cast<std::uint16_t>(params.application());
    const bool whole = params.values() && random.below(8) < params.whole();
    r.sectors = whole ? std::uint16_t {15} : static_cast<std::uint16_t>(1 + random.below(15));
    while ((r.sectors & 1) == 0) r.sectors >>= 1, r.address += 32;
    r.bytes = 32 * static_cast<std::uint32_t>(std::bit_width(r.sectors));
    if ((r.sectors & (r.sectors + 1)) == 0) r.sectors = 0;
    r.tag = state.sent;
    const std::uint64_t kind = random.below(8);
    if (kind < params.writes())
        r.command = Command::write;
    else if (kind < params.writes() + params.atomics())
        r.command = Command::atomic;
    if (r.command == Command::read) {
        Read& read = state.reads[r.tag];
        const auto from = state.latest.begin() + static_cast<std::ptrdiff_t>(line * 128);
        read = {true, {from, from + 128}};
    } else {
        r.posted = random.below(2);
        r.contents = sim().contents().create();
        const std::uint32_t store = ++state.stores;
        for_each_sector(r, [&](std::uint64_t sector, std::uint32_t offset) {
            SectorBytes s;
            s.known = !whole && (r.command == Command::atomic || random.below(3) == 0)
                          ? 0xffu << 8 * random.below(4)
                          : SectorBytes::all;
            if (s.known != SectorBytes::all && r.command == Command::write)
                r.partial = static_cast<std::uint16_t>(r.partial | 1u << offset);
            for (std::uint32_t i = 0; i < SectorBytes::size; ++i) {
                if (!(s.known >> i & 1)) continue;
                const std::uint64_t at = sector * SectorBytes::size + i;
                s.bytes[i] = value(at, store);
                s.order[i] = state.latest[index(at)] = store;
            }
            sim().contents()[r.contents].pieces.push_back({offset, s});
        });
    }
    port.mem.send(r);
    ++state.sent;
    state.due =
        now() + static_cast<Tick>(random.below(static_cast<std::uint64_t>(params.gap->raw)));
    if (params.copies() && state.sent % params.copies() == 0) {
        state.copies = true;
        state.due += params.pause->raw;
    }
}

bool DataDriver::waits_for_reads() const { return std::ranges::any_of(state.reads, &Read::live); }

/// The host writes some bytes of some sectors.
void DataDriver::copy() {
    const std::uint32_t store = ++state.stores;
    for (std::uint64_t n = state.random.below(12); n > 0; --n) {
        const std::uint64_t first = state.random.below(state.latest.size() / 32) * 32;
        FunctionalAccess a = access(first, true);
        a.data.known = state.random.below(2) ? SectorBytes::all : 0xffff00;
        for (std::uint32_t i = 0; i < SectorBytes::size; ++i) {
            if (!(a.data.known >> i & 1)) continue;
            a.data.bytes[i] = value(a.address + i, store);
            a.data.order[i] = state.latest[first + i] = store;
        }
        look_through(port.mem, a);
    }
    state.copies = false;
}

void DataDriver::check(const MemResponse& r) {
    if (r.command != Command::read) return sim().contents().release(r.contents);
    Read& read = device_parts::named(state.reads, r.tag);
    std::uint32_t sectors = 0;
    MEMSIM_ASSERT(read.live && r.contents, "a read is answered once, with contents");
    for (const Contents::Piece& p : sim().contents()[r.contents].pieces) {
        ++sectors;
        for (std::uint32_t i = 0; i < SectorBytes::size; ++i) {
            const std::uint64_t at = r.address / 32 * 32 + p.sector * 32 + i;
            const std::uint32_t store = p.data.order[i];
            ++stat.compared;
            if (!(p.data.known >> i & 1) || p.data.bytes[i] != value(at, store) ||
                store > device_parts::named(state.latest, index(at)))
                ++stat.wrong;
            else if (store < read.least[index(at) % 128])
                ++stat.old;
        }
    }
    for_each_sector(r, [&](std::uint64_t, std::uint32_t) { --sectors; });
    if (sectors) stat.wrong += 32;
    sim().contents().release(r.contents);
    read = {};
}

std::uint64_t DataDriver::compare_image() const {
    std::uint64_t different = 0;
    for (std::uint64_t at = 0; at < state.latest.size(); at += SectorBytes::size) {
        FunctionalAccess a = access(at, false);
        look_through(port.mem, a);
        for (std::uint32_t i = 0; i < SectorBytes::size; ++i)
            different += !(a.data.known >> i & 1) ||
                         a.data.bytes[i] != value(address(at + i), state.latest[at + i]);
    }
    return different;
}

} // namespace memsim::test
