#include "gpu/lookahead.hh"
#include "gpu/sm.hh"
#include "gpu/store_contents.hh"
#include "parts/named.hh"
#include "program/local_memory.hh"

/// The load-store unit of an SM: accesses to the L1 and to shared memory, and their answers.
namespace memsim::gpu {

using program::WarpOpKind;
using protocol::Command;
using protocol::Stage;

namespace {
constexpr std::uint64_t bit(std::uint32_t i) { return std::uint64_t {1} << i; }

constexpr std::uint32_t no_result = ~0u;

Command command_of(WarpOpKind kind, Atomics atomics) {
    if (kind == WarpOpKind::store) return Command::write;
    const bool load = kind == WarpOpKind::load || atomics == Atomics::loads;
    return load ? Command::read : Command::atomic;
}
} // namespace

void Sm::coalesce(std::uint32_t w, program::WarpOp& op) {
    const Block& block = state.blocks[state.warps[w].block];
    coalescer_.begin();
    program::for_each_row(op, block.local + std::uint64_t {w} * block.local_warp, block.local_row,
                          [&](const program::WarpOp& row) { coalescer_.add(row); });
    coalescer_.end();
}

void Sm::access(std::uint32_t w, program::WarpOp& op) {
    Warp& warp = state.warps[w];
    const Block& block = state.blocks[warp.block];
    coalesce(w, op);
    const Command command = command_of(op.kind, params.atomics());
    const std::uint32_t result = op.has_result ? begin_result(warp, coalescer_.size()) : no_result;
    ++stat.memory_instructions;
    stat.requests += coalescer_.size();
    if (command == Command::read) stat.read_requests += coalescer_.size();
    if (op.has_values && command == Command::read) [[unlikely]]
        leave_out(sim().contents(), op, block.base, block.application);
    for (std::uint32_t i = 0; i < coalescer_.size(); ++i) {
        protocol::MemRequest r;
        r.address = block.base + coalescer_[i].address;
        r.bytes = coalescer_[i].bytes;
        r.sectors = coalescer_[i].sectors;
        r.partial = op.kind == WarpOpKind::store ? coalescer_[i].partial : std::uint16_t {0};
        r.command = command;
        r.posted = !op.has_result && command != Command::read;
        r.pc = op.pc;
        r.warp = w;
        r.application = block.application;
        r.stamps = r.posted ? Stamps::Id {} : sim().stamps().open(now());
        if (op.has_values && command != Command::read) [[unlikely]]
            r.contents =
                contents_of(sim().contents(), op, coalescer_[i], block.stores_before + op.order);
        stat.bytes += r.payload();
        state.accesses.push({r, now(), result});
    }
    if (!room_for_accesses()) ++stat.stalled_by_accesses;
}

void Sm::send_accesses() {
    while (!state.accesses.empty() && port.mem_side.can_send()) {
        Access a = state.accesses.pop();
        if (!a.request.posted) {
            a.request.tag = state.free_tags.back(); // the port lets no more than `outstanding` out
            state.free_tags.pop_back();
            state.sent[a.request.tag] = {a.queued, a.request.warp, a.result};
            sim().stamps().mark(a.request.stamps, static_cast<std::size_t>(Stage::sm), now());
        }
        port.mem_side.send(a.request);
    }
}

void Sm::answer(const protocol::MemResponse& response) {
    sim().contents().release(response.contents);
    const Sent& sent = parts::named(state.sent, response.tag);
    stat.load_latency.sample(Time {now() - sent.queued});
    state.free_tags.push_back(response.tag);
    sim().stamps().close(response.stamps, static_cast<std::size_t>(Stage::response), now());
    if (sent.result != no_result) result(sent.warp, sent.result);
}

void Sm::access_shared(std::uint32_t w, const program::WarpOp& op, std::int64_t cycle) {
    ++stat.shared_instructions;
    stat.shared_passes += op.passes;
    state.shared_free = cycle + op.passes;
    if (!op.has_result) return;
    const ClockEdge ready = clock_.advance(state.edge, op.passes + params.shared_latency());
    state.shared_loads.push({ready.tick, w, begin_result(state.warps[w], 1)});
}

void Sm::finish_shared_loads() {
    while (!state.shared_loads.empty() && state.shared_loads.front().ready <= now()) {
        const SharedLoad load = state.shared_loads.pop();
        result(load.warp, load.result);
    }
}

std::uint32_t Sm::begin_result(Warp& warp, std::uint32_t answers) {
    warp.latest = (warp.latest - 1u) & 63;
    warp.answers[warp.latest] = static_cast<std::uint8_t>(answers);
    warp.outstanding |= bit(warp.latest);
    return warp.latest;
}

void Sm::result(std::uint32_t w, std::uint32_t place) {
    Warp& warp = state.warps[w];
    MEMSIM_ASSERT(warp.live && warp.answers[place], "an answer that no warp expects");
    if (--warp.answers[place]) return;
    warp.outstanding &= ~bit(place);
    if (warp.exited) {
        if (!warp.outstanding) end(w);
    } else if (warp.needs && !(warp.needs &= ~bit(place)))
        settle(w);
}

// ---- what warps access next ------------------------------------------------------------------

void Sm::answer_queries() {
    auto& queries = port.queries[0];
    auto& to = port.upcoming[0];
    while (!state.upcoming.empty() || !queries.empty()) {
        if (state.upcoming.empty()) {
            const unsigned operations = queries.pop().operations;
            for (std::uint32_t w = 0; w < state.warps.size(); ++w) look_ahead(w, operations);
            if (state.upcoming.empty()) state.upcoming.push({});
            state.upcoming.back().last = true;
        }
        if (!to.can_send()) return;
        to.send(state.upcoming.pop());
    }
}

void Sm::look_ahead(std::uint32_t w, unsigned operations) {
    const Warp& warp = state.warps[w];
    if (!warp.live || warp.exited) return;
    const Block& block = state.blocks[warp.block];
    const std::uint64_t line = ~(static_cast<std::uint64_t>(params.line->raw) - 1);
    std::uint8_t number = 0;
    for_each_upcoming({warp.stream, warp.position, warp.outstanding, warp.latest}, operations, op_,
                      [&](program::WarpOp& op) {
                          coalesce(w, op);
                          for (std::uint32_t i = 0; i < coalescer_.size(); ++i) {
                              if (i % protocol::UpcomingAccesses::most_lines == 0) {
                                  protocol::UpcomingAccesses next;
                                  next.pc = op.pc;
                                  next.warp = static_cast<std::uint16_t>(w);
                                  next.application = block.application;
                                  next.operation = number;
                                  next.write =
                                      command_of(op.kind, params.atomics()) != Command::read;
                                  state.upcoming.push(next);
                              }
                              protocol::UpcomingAccesses& next = state.upcoming.back();
                              next.lines[next.count++] =
                                  block.base + (coalescer_[i].address & line);
                          }
                          ++number;
                      });
}

} // namespace memsim::gpu
