#include "mem/traffic/monitor.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"

namespace memsim::mem {

static const Registration<Monitor> monitor {"Counts the traffic of a memory link."};

using protocol::Command;

void Monitor::init() {
    state.passing.assign(params.outstanding, {});
    state.free.clear();
    for (unsigned i = params.outstanding; i-- > 0;) state.free.push_back(i);
}

void Monitor::wake() {
    auto& asks = port.cpu_side;
    auto& memory = port.mem_side;
    while (!memory.empty() && asks.can_send()) {
        protocol::MemResponse r = memory.pop();
        const State::Passing p = device_parts::named(state.passing, r.tag);
        state.free.push_back(r.tag);
        r.tag = p.tag;
        const bool read = r.command == Command::read;
        if (read) stat.read_bytes += r.payload();
        (read ? stat.read_latency : stat.write_latency).sample(Time {now() - p.since});
        asks.send(r);
    }
    while (!asks.empty()) {
        if (asks.front().is_hint()) {
            ++(memory.offer(asks.pop()) ? stat.hints : stat.hints_dropped);
            continue;
        }
        if (!memory.can_send() || !listeners_can_hear()) break;
        protocol::MemRequest r = asks.pop();
        count(r);
        if (r.needs_response()) {
            const std::uint32_t place = state.free.back();
            state.free.pop_back();
            state.passing[place] = {r.tag, now()};
            r.tag = place;
        }
        memory.send(r);
    }
    stat.outstanding.set(now(), params.outstanding - state.free.size());
}

bool Monitor::listeners_can_hear() const {
    for (unsigned i = 0; i < port.passed.size(); ++i)
        if (!port.passed[i].can_send()) return false;
    return true;
}

void Monitor::count(const protocol::MemRequest& r) {
    switch (r.command) {
    case Command::read:
        ++stat.reads;
        break;
    case Command::write:
        ++stat.writes;
        break;
    case Command::atomic:
        ++stat.atomics;
        break;
    case Command::hint:
    case Command::victim:
    case Command::claim:
    case Command::invalidate:
    case Command::flush:
    case Command::reserve:
        return;
    }
    if (protocol::has_data(r.command)) stat.write_bytes += r.payload();
    for (unsigned i = 0; i < port.passed.size(); ++i)
        port.passed[i].send({r.address, r.command != Command::read});
    if (r.application < stat.application_requests.size())
        ++stat.application_requests[r.application];
    if (params.page() == 0_B) return;
    if (r.command != Command::write) count_page(state.read_pages, r.address, stat.pages_read);
    if (r.command != Command::read) count_page(state.written_pages, r.address, stat.pages_written);
}

void Monitor::count_page(HashMap<std::uint64_t>& pages, std::uint64_t address, Counter& counter) {
    const std::uint64_t page = address / static_cast<std::uint64_t>(params.page().raw);
    std::uint64_t& bits = pages[page / 64];
    const std::uint64_t bit = std::uint64_t {1} << (page % 64);
    if (bits & bit) return;
    bits |= bit;
    ++counter;
}

void Monitor::functional(const PortBase&, FunctionalAccess& access) {
    look_through(port.mem_side, access);
}

} // namespace memsim::mem
