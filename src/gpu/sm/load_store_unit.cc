#include "gpu/sm/load_store_unit.hh"

#include "device_parts/named.hh"
#include "gpu/sm/store_contents.hh"
#include "gpu_program/local_memory.hh"

namespace memsim::gpu {

using gpu_program::WarpOpKind;
using protocol::Command;
using protocol::Stage;

LoadStoreUnit::LoadStoreUnit(const Config& config, Requester<protocol::Mem>& port,
                             SimulationRef sim, AccessStats& stats, State& state)
    : config_(config), port_(port), sim_(sim), stats_(stats), state_(state),
      coalescer_(config.line, config.sector) {
    state_.sent.resize(config.outstanding);
    for (std::uint32_t tag = config.outstanding; tag-- > 0;) state_.free_tags.push_back(tag);
}

const Coalescer& LoadStoreUnit::coalesce(const ResidentBlock& block, std::uint32_t warp,
                                         gpu_program::WarpOp& op) {
    coalescer_.begin();
    gpu_program::for_each_row(op, block.local + std::uint64_t {warp} * block.local_warp,
                              block.local_row,
                              [&](const gpu_program::WarpOp& row) { coalescer_.add(row); });
    coalescer_.end();
    return coalescer_;
}

Command LoadStoreUnit::command_of(WarpOpKind kind) const {
    if (kind == WarpOpKind::store) return Command::write;
    const bool load = kind == WarpOpKind::load || config_.atomics == Atomics::loads;
    return load ? Command::read : Command::atomic;
}

void LoadStoreUnit::access(const ResidentBlock& block, std::uint32_t warp, Scoreboard& results,
                           gpu_program::WarpOp& op) {
    const Command command = command_of(op.kind);
    if (command == Command::atomic && config_.atomics == Atomics::split)
        coalescer_.run_apart(op);
    else
        coalesce(block, warp, op);
    const std::uint32_t result =
        op.has_result ? results.begin(coalescer_.size(), op.copy) : no_result;
    ++stats_.memory_instructions;
    stats_.requests += coalescer_.size();
    if (command == Command::read) stats_.read_requests += coalescer_.size();
    if (op.has_values && command == Command::read) [[unlikely]]
        leave_out(sim_.contents(), op, block.base, block.application);
    for (std::uint32_t i = 0; i < coalescer_.size(); ++i) {
        protocol::MemRequest r;
        r.address = block.base + coalescer_[i].address;
        r.bytes = coalescer_[i].bytes;
        r.sectors = coalescer_[i].sectors;
        r.partial = op.kind == WarpOpKind::store ? coalescer_[i].partial : std::uint16_t {0};
        r.command = command;
        r.posted = !op.has_result && command != Command::read;
        r.pc = op.pc;
        r.warp = warp;
        r.application = block.application;
        r.stamps = r.posted ? Stamps::Id {} : sim_.stamps().open(sim_.now(), r.address);
        if (op.has_values && command != Command::read) [[unlikely]]
            r.contents =
                contents_of(sim_.contents(), op, coalescer_[i], block.stores_before + op.order);
        stats_.bytes += r.payload();
        state_.accesses.push({r, sim_.now(), result, op.copy ? Into::shared : Into::registers});
    }
    if (!room()) ++stats_.stalled_by_accesses;
}

void LoadStoreUnit::empty_l1(std::uint16_t application) {
    protocol::MemRequest empty;
    empty.command = Command::invalidate;
    empty.posted = true;
    empty.application = application;
    state_.accesses.push({empty, sim_.now(), 0});
}

void LoadStoreUnit::send_queued() {
    while (!state_.accesses.empty() && port_.can_send()) send_first();
}

void LoadStoreUnit::send(Access a) {
    protocol::MemRequest& r = a.request;
    if (!r.posted) {
        r.tag = state_.free_tags.back(); // the port limits their number
        state_.free_tags.pop_back();
        const std::uint32_t bytes = a.into == Into::registers ? 0 : r.payload();
        state_.sent[r.tag] = {a.queued, a.result, static_cast<std::uint16_t>(bytes), r.warp,
                              a.into};
        sim_.stamps().mark(r.stamps, static_cast<std::size_t>(Stage::sm),
                           sim_.now() + port_.latency().raw);
    }
    port_.send(r);
}

void LoadStoreUnit::send_line(protocol::MemRequest r, const Piece& piece, std::uint32_t bulk_copy) {
    const std::uint64_t in_sector = config_.sector - 1, end = piece.address + piece.bytes;
    r.address = piece.address & ~in_sector;
    r.bytes = static_cast<std::uint32_t>(((end + in_sector) & ~in_sector) - r.address);
    r.stamps = sim_.stamps().open(sim_.now(), r.address);
    ++stats_.read_requests;
    const std::uint32_t tag = state_.free_tags.back();
    send({r, sim_.now(), bulk_copy, Into::bulk});
    state_.sent[tag].bytes = static_cast<std::uint16_t>(piece.bytes); // without those beside
}

LoadStoreUnit::Sent LoadStoreUnit::answered(const protocol::MemResponse& response) {
    sim_.contents().release(response.contents);
    const Sent& sent = device_parts::named(state_.sent, response.tag);
    stats_.load_latency.sample(Time {sim_.now() - sent.queued});
    state_.free_tags.push_back(response.tag);
    sim_.stamps().close(response.stamps, static_cast<std::size_t>(Stage::response), sim_.now());
    return sent;
}

void LoadStoreUnit::check_loaded(Loader& l, std::size_t warps, std::size_t bulk_copies) const {
    for (std::uint32_t i = 0; i < state_.accesses.size(); ++i) {
        const Access& a = state_.accesses[i];
        check(l, "accesses", {a.queued, a.result, 0, a.request.warp, a.into}, warps, bulk_copies);
    }
    for (const Sent& sent : state_.sent) check(l, "sent", sent, warps, bulk_copies);
}

void LoadStoreUnit::check(Loader& l, std::string_view field, const Sent& sent, std::size_t warps,
                          std::size_t bulk_copies) {
    l.index(field, sent.warp, warps);
    if (sent.into == Into::bulk)
        l.index(field, sent.result, bulk_copies);
    else if (sent.result != no_result || sent.into == Into::shared)
        l.index(field, sent.result, std::size_t {Scoreboard::places});
}

} // namespace memsim::gpu
