#include "probes.hh"

#include "core/kernel/registry.hh"
#include "zng/layout/geometry.hh"

namespace memsim::test_zng {

static const Registration<Slice> slice {"Test: requests of an L2 slice at given times."};
static const Registration<Host> host {"Test: random requests over ZnG's flash, and a collector."};

using protocol::Command;
using zng::CollectOp;

void Host::init() {
    flash_ = {params.packages(), params.dies(),  params.planes(),
              params.blocks(),   params.pages(), 4096};
    for (unsigned c = 0; c < port.mem.size(); ++c) {
        const auto* to = port.mem[c].find_interface<const zng::HasNetworkGeometry>();
        if (to && to->network_geometry().flash(path()).data_pages != flash_.data_pages)
            refuse("pages", "this test's addresses name all pages of a block");
    }
    state.logs = zng::LogBlocks(flash_, params.data_blocks(), params.log_ratio());
    const std::uint32_t planes = flash_.all_planes();
    state.groups.resize(std::size_t {planes} * groups_of_plane());
    for (std::uint32_t v = 0; v < planes * params.data_blocks(); ++v) {
        state.physical.push_back(v);
        Group& g = state.groups[v % planes * groups_of_plane() + v / planes / params.log_ratio()];
        g.members.push_back(v);
        g.log = state.logs.log_of(v);
    }
    state.free.resize(planes);
    for (std::uint32_t p = 0; p < planes; ++p)
        for (std::uint32_t b = params.data_blocks() + groups_of_plane(); b < params.blocks(); ++b)
            state.free[p].push_back(flash_.in_group(p, b));
}

void Host::wake() {
    for (unsigned c = 0; c < params.controllers(); ++c) {
        while (!port.mem[c].empty()) {
            port.mem[c].pop();
            ++stat.answered;
            --state.out;
        }
        while (!port.collect[c].empty()) {
            port.collect[c].pop();
            --state.unanswered;
        }
        while (!port.low[c].empty()) {
            const std::uint32_t log = port.low[c].pop().log;
            for (Group& g : state.groups)
                if (g.log == log) g.due = params.collects();
        }
    }
    for (bool again = true; again;) {
        again = false;
        while (!state.orders.empty()) {
            auto& to = port.collect[controller_of(state.orders.front().data)];
            if (!to.can_send()) return;
            to.send(state.orders.pop());
            ++state.unanswered;
        }
        if (state.unanswered) return;
        if (state.phase == Phase::moving) state.phase = Phase::normal;
        if (state.phase == Phase::erasing) erased();
        for (std::uint32_t g = 0; g < state.groups.size() && !again; ++g)
            if (state.groups[g].due) begin_merge(state.groups[g]), again = true;
        // Outstanding requests may wait for moves of any group, so all groups are moved first.
        if (!again && !state.moves.empty() && state.out == 0) moved(), again = true;
    }
    if (state.moves.empty()) send_random();
}

void Host::begin_merge(Group& g) {
    const auto need = static_cast<std::uint32_t>(g.members.size() + 1);
    std::uint32_t plane = flash_.group_of(g.log);
    do plane = (plane + params.packages()) % flash_.all_planes();
    while (state.free[plane].size() < need);
    const auto take = [&] {
        const std::uint32_t b = state.free[plane].front(); // the one that waits longest
        state.free[plane].erase(state.free[plane].begin());
        return b;
    };
    const std::uint32_t log = take();
    for (const std::uint32_t v : g.members) {
        const std::uint32_t to = take(), from = state.physical[v];
        for (std::uint32_t p = 0; p < params.pages(); ++p)
            state.orders.push({0, from, g.log, to, log, p, CollectOp::move});
        state.moves.push_back({from, to});
        state.physical[v] = to;
        state.logs.change(to, log);
    }
    state.old_logs.push_back(g.log);
    g.log = log;
    g.due = false;
    state.phase = Phase::moving;
    ++stat.merges;
}

void Host::moved() {
    for (const Moved& m : state.moves) {
        state.logs.forget(m.from);
        state.erased.push_back(m.from);
    }
    state.erased.insert(state.erased.end(), state.old_logs.begin(), state.old_logs.end());
    state.moves.clear(), state.old_logs.clear();
    for (const std::uint32_t b : state.erased)
        state.orders.push({0, b, 0, 0, 0, 0, CollectOp::erase});
    state.phase = Phase::erasing;
}

void Host::erased() {
    for (const std::uint32_t b : state.erased) state.free[flash_.group_of(b)].push_back(b);
    state.erased.clear();
    state.phase = Phase::normal;
}

void Host::send_random() {
    Rng& random = state.random;
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random.below(n)); };
    while (state.sent < params.count && state.out < params.outstanding() &&
           state.ready_at <= now()) {
        bool room = true;
        for (unsigned c = 0; c < params.controllers(); ++c) room &= port.mem[c].can_send();
        if (!room) return;
        protocol::MemRequest r;
        const std::uint32_t block = state.physical[below(params.used)];
        const std::uint32_t page = below(params.pages), line = below(params.lines);
        const std::uint32_t first = below(4), sectors = 1 + below(4 - first);
        r.address = flash_.address(block, page, line * 128 + first * 32);
        r.bytes = sectors * 32;
        const std::uint32_t kind = below(100);
        if (kind < params.writes) {
            r.command = Command::write;
            if (below(4) == 0) r.bytes -= 4; // the last sector in part
        } else if (kind < params.writes + params.atomics())
            r.command = Command::atomic, r.bytes = 4;
        port.mem[r.address / 4096 % params.controllers()].send(r);
        ++state.sent, ++state.out;
        state.ready_at = now() + static_cast<Tick>(
                                     random.below(static_cast<std::uint64_t>(params.gap->raw) + 1));
    }
    if (state.sent < params.count && state.ready_at > now()) arm(state.next, state.ready_at);
}

} // namespace memsim::test_zng
