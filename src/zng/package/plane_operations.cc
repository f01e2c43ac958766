#include "zng/package/plane_operations.hh"

#include "core/base/bits.hh"
#include "device_parts/named.hh"

namespace memsim::zng::package {

void PlaneOperations::add_erase(const Request& r) {
    const std::uint32_t worker = core_.workers.of_plane(core_.n.plane(r.packet.at));
    core_.workers[worker].erases.push(r);
    core_.workers.mark_ready(worker);
}

void PlaneOperations::extend(const Request& r) {
    core_.decoders.extend(core_.n.plane(r.packet.at), r.packet.log_block, r.packet.to_block);
    core_.again = true; // the log block has room again
    core_.answers.answer(r, PacketKind::extended);
}

// ---- scheduling ------------------------------------------------------------------------------

/// Whether the worker is reserved for a move that has waited long.
bool PlaneOperations::kept_free(std::uint32_t worker) const {
    if (core_.state.moves.empty() || !waited_long(core_.state.moves.front().accepted)) return false;
    const FlashPacket& p = core_.state.moves.front().packet;
    return worker == core_.workers.of_plane(core_.n.plane(p.at)) ||
           worker == core_.workers.of_plane(core_.n.plane(p.to));
}

void PlaneOperations::begin(std::uint32_t worker) {
    Worker& w = core_.workers[worker];
    if (w.stage == Stage::idle && kept_free(worker)) return;
    core_.workers.clear_ready(worker);
    if (w.stage != Stage::idle) return;
    if (!w.erases.empty() &&
        ((w.senses.empty() && w.programs.empty()) || waited_long(w.erases.front().accepted)))
        return erase(worker, w.erases.pop());
    if (!w.programs.empty()) {
        const Register& r = core_.registers[w.programs.front()];
        if (w.senses.empty() || core_.stalled.pages(core_.registers.pool_of(r.address.plane)) ||
            waited_long(r.queued_at))
            return begin_program(worker, w.programs.pop());
    }
    while (!w.senses.empty()) {
        const std::uint32_t s = w.senses.pop();
        const PageAddress a = core_.reads[s].address;
        if (core_.n.page(core_.decoders.forwarded(a)) == core_.reads[s].page) {
            w.sense = s;
            reads_.begins(s);
            core_.workers.start_stage(worker, Stage::sensing);
            return sense(worker, a, Stage::sensing);
        }
        reads_.ask_again(s);
    }
    // All pages to be sensed have moved: programs and erases behind them are next.
    if (!w.programs.empty() || !w.erases.empty()) core_.workers.mark_ready(worker);
}

void PlaneOperations::finish(std::uint32_t worker) {
    Worker& w = core_.workers[worker];
    switch (w.stage) {
    case Stage::sensing:
        w.stage = Stage::sending;
        return reads_.sensed(w.sense);
    case Stage::merging:
        core_.versions.merge(worker, core_.array_page(w.address));
        w.mask.fill();
        return migrate(worker);
    case Stage::migrating:
        return migrated(worker);
    case Stage::programming:
        return programmed(worker);
    case Stage::erasing:
        core_.answers.answer(w.request, PacketKind::erased);
        return core_.make_idle(worker);
    default:
        MEMSIM_ASSERT(false, "a plane ends an operation that it did not begin");
    }
}

/// Senses the page that the row decoder finds into the data register.
void PlaneOperations::sense(std::uint32_t worker, const PageAddress& a, Stage stage) {
    const RowDecoders::Place at = core_.decoders.locate(a);
    // A data block that was never touched was written before the run.
    if (at.block == a.block && !core_.array.block(a.plane, at.block))
        core_.array.written_before(a.plane, at.block, core_.n.pages);
    core_.array.read(a.plane, at.block, at.page); // stops the run if the page is erased
    count_touched();
    const Time t = core_.params.search() + core_.timing.read(at.page);
    ++core_.stat.senses;
    if (stage != Stage::sensing)
        core_.stat.sensed_bytes += page_bytes; // otherwise counted when it has been sent
    core_.stat.sense_time.add(core_.sim.now(), core_.sim.now(), core_.sim.now() + t.raw);
    busy(worker, stage, t);
}

// ---- programs of registers' pages, moves for a collector -------------------------------------

/// Programs the page of a register to its log block.
void PlaneOperations::begin_program(std::uint32_t worker, std::uint32_t reg) {
    Worker& w = core_.workers[worker];
    const Register& r = core_.registers[reg];
    w.reg = reg;
    w.moving = false;
    w.address = r.address, w.page = r.key, w.mask = r.mask;
    w.from = core_.registers.plane_of(reg);
    w.helper = worker;
    w.crossing = r.mask.touched;
    core_.versions.take(worker, reg);
    core_.registers.leave(reg);
    core_.workers.leaves(w.page, worker);
    core_.workers.start_stage(worker, Stage::merging);
    if (w.mask.full()) return migrate(worker);
    ++core_.stat.merges;
    sense(worker, w.address, Stage::merging);
}

/// Reserves both planes at once, so that no two moves can wait for each other.
void PlaneOperations::start_moves() {
    Fifo<Request>& moves = core_.state.moves;
    const auto idle = [&](FlashPlane p) {
        return core_.workers[core_.workers.of_plane(core_.n.plane(p))].stage == Stage::idle;
    };
    for (std::uint32_t i = 0; i < moves.size();) {
        const FlashPacket& p = moves[i].packet;
        const flash::NandBlock* const b = core_.array.block(core_.n.plane(p.to), p.to_block);
        if (idle(p.at) && idle(p.to) && p.page == (b ? b->written : 0)) {
            const Request r = moves[i];
            moves.erase(i);
            begin_move(r);
        } else
            ++i;
    }
}

void PlaneOperations::begin_move(const Request& r) {
    const PageAddress to = target(r.packet);
    const std::uint32_t worker = core_.workers.of_plane(to.plane);
    Worker& w = core_.workers[worker];
    w.request = r;
    w.moving = true;
    w.reg = none;
    w.address = core_.n.address(r.packet), w.mask = {};
    core_.decoders.begin_move(w.address, to);
    core_.again = true; // writes that wait may find a register at the new place of the page
    w.page = core_.n.page(core_.decoders.forwarded(w.address));
    w.from = w.address.plane;
    w.helper = core_.workers.of_plane(w.from);
    w.crossing = ~0u;
    core_.workers.start_stage(worker, Stage::held);
    if (w.helper != worker) core_.workers.start_stage(w.helper, Stage::held);
    take_register(worker);
    core_.workers.leaves(w.page, worker);
    if (w.mask.full()) return migrate(worker);
    sense(worker, w.address, Stage::merging);
}

/// Takes along the part of a moving page that a register holds.
void PlaneOperations::take_register(std::uint32_t worker) {
    Worker& w = core_.workers[worker];
    const std::uint32_t r = core_.registers.find(core_.n.page(w.address));
    if (r == RegisterFile::none) return;
    w.mask = core_.registers[r].mask;
    core_.versions.take(worker, r);
    if (core_.registers[r].phase == RegisterPhase::dirty)
        core_.registers.queue(r, core_.sim.now());
    else { // it is no longer programmed to the log block
        Fifo<std::uint32_t>& programs = core_.workers[w.helper].programs;
        std::uint32_t i = 0;
        while (programs[i] != r) ++i;
        programs.erase(i);
        core_.decoders.take_back(w.address);
    }
    core_.registers.leave(r);
    core_.release(r);
    core_.again = true;
}

// ---- migration between planes ----------------------------------------------------------------

void PlaneOperations::migrate(std::uint32_t worker) {
    Worker& w = core_.workers[worker];
    const std::uint32_t to = w.moving ? target(w.request.packet).plane : w.address.plane;
    const RegisterNetwork network = core_.params.network();
    if (w.from == to) return migrated(worker);
    if (network == RegisterNetwork::fcnet) {
        if (!core_.params.fcnet_holds()) leave_register(worker);
        return migrated(worker);
    }
    const std::uint32_t bytes = bits_set(w.crossing) * line_bytes;
    ++core_.stat.migrations;
    core_.stat.migrated_bytes += bytes;
    w.since = core_.sim.now();
    if (network != RegisterNetwork::nif) return send_copies(worker);
    const Time t = core_.wires.take(w.from, bytes, core_.sim.now());
    core_.stat.migration_time.add(w.since, w.since, w.since + t.raw);
    busy(worker, Stage::migrating, t);
}

void PlaneOperations::send_copies(std::uint32_t worker) {
    Worker& w = core_.workers[worker];
    w.stage = Stage::copying;
    core_.stat.migration_time.begin(w.since);
    w.copies = bits_set(w.crossing);
    for (std::uint32_t lines = w.crossing; lines; lines &= lines - 1) {
        const auto line = static_cast<unsigned>(std::countr_zero(lines));
        core_.answers.copy_out(worker, line,
                               core_.versions.read({PagePlaces::none, worker}, line, 15));
    }
}

void PlaneOperations::come_back(const FlashPacket& p) {
    Worker& w = device_parts::named(core_.state.workers.workers, p.tag);
    MEMSIM_ASSERT(w.stage == Stage::copying, "a copy returns that no plane waits for");
    core_.versions.come_back(p.tag, p.line, p.contents);
    if (--w.copies == 0) migrated(p.tag);
}

/// The page has reached its plane. Its register becomes free unless the plane programs from it.
void PlaneOperations::migrated(std::uint32_t worker) {
    Worker& w = core_.workers[worker];
    if (w.stage == Stage::copying) core_.stat.migration_time.end(w.since, core_.sim.now());
    if (w.stage == Stage::copying || w.stage == Stage::migrating) leave_register(worker);
    if (w.helper != worker) {
        core_.make_idle(w.helper);
        w.helper = worker;
    }
    program(worker);
}

/// The page leaves its register, if it is in one.
void PlaneOperations::leave_register(std::uint32_t worker) {
    Worker& w = core_.workers[worker];
    if (w.reg == none) return;
    core_.release(w.reg);
    w.reg = none;
    core_.again = true;
}

// ---- programming and erasing -----------------------------------------------------------------

void PlaneOperations::program(std::uint32_t worker) {
    Worker& w = core_.workers[worker];
    MEMSIM_ASSERT(w.mask.full(), "a page is programmed in part");
    const PageAddress to = target(w.request.packet);
    const std::uint32_t plane = w.moving ? to.plane : w.address.plane;
    const std::uint32_t block = w.moving ? to.block : core_.decoders.open_block(w.address);
    const flash::NandBlock* const b = core_.array.block(plane, block);
    const std::uint32_t page = b ? b->written : 0;
    core_.array.program(plane, block, page);
    count_touched();
    core_.versions.program(worker, core_.array.page(plane, block, page));
    if (w.moving)
        ++core_.stat.moves;
    else {
        ++core_.stat.log_programs;
        core_.stat.log_pages += core_.decoders.programmed(w.page, plane, {block, page});
        core_.stat.programmed_bytes += bits_set(w.crossing) * line_bytes;
    }
    const Time t = core_.timing.program(page);
    ++core_.stat.programs;
    const Tick begins = core_.sim.now() + data_path_time().raw;
    core_.stat.program_time.add(core_.sim.now(), begins, begins + t.raw);
    core_.stat.programming.set(core_.sim.now(), ++core_.state.programming);
    busy(worker, Stage::programming, data_path_time() + t);
}

/// Time for a page to cross nif's bus from its register to the plane.
Time PlaneOperations::data_path_time() const {
    const bool shared = core_.params.data_path() && core_.params.network() == RegisterNetwork::nif;
    return shared ? core_.wires.time_of(page_bytes) : 0_fs;
}

void PlaneOperations::programmed(std::uint32_t worker) {
    Worker& w = core_.workers[worker];
    core_.stat.programming.set(core_.sim.now(), --core_.state.programming);
    leave_register(worker);
    core_.workers.has_left(w.page);
    core_.versions.forget(worker);
    if (w.moving) core_.answers.answer(w.request, PacketKind::moved);
    core_.make_idle(worker);
}

void PlaneOperations::erase(std::uint32_t worker, const Request& r) {
    const PageAddress a = core_.n.address(r.packet);
    for (std::uint32_t p = 0; p < core_.n.pages; ++p)
        MEMSIM_ASSERT(core_.registers.find(core_.n.block(a.plane, a.block) * core_.n.pages + p) ==
                          RegisterFile::none,
                      "a block is erased while a register holds a page of it");
    core_.decoders.erase(a.plane, a.block);
    core_.again = true; // a log block may have room
    core_.array.erase(a.plane, a.block);
    count_touched();
    core_.stat.most_erases.set(core_.sim.now(), core_.state.array.most_erases);
    // With e erases, the sum of squares grows by e^2 - (e - 1)^2.
    core_.state.erase_squares += 2 * core_.array.block(a.plane, a.block)->erases - 1;
    core_.stat.erase_squares.set(core_.sim.now(), core_.state.erase_squares);
    ++core_.stat.erases;
    core_.stat.erase_time.add(core_.sim.now(), core_.sim.now(),
                              core_.sim.now() + core_.timing.tBERS.raw);
    core_.workers[worker].request = r;
    core_.workers.start_stage(worker, Stage::erasing);
    busy(worker, Stage::erasing, core_.timing.tBERS);
}

void PlaneOperations::count_touched() {
    if (core_.array.touched() == core_.state.touched) return;
    core_.state.touched = static_cast<std::uint32_t>(core_.array.touched());
    core_.stat.touched_blocks.set(core_.sim.now(), core_.state.touched);
}

} // namespace memsim::zng::package
