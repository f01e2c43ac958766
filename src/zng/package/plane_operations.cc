#include "zng/package/plane_operations.hh"

#include "core/base/bits.hh"
#include "parts/named.hh"

namespace memsim::zng::package {

void PlaneOperations::add_erase(const Request& r) {
    const std::uint32_t worker = c_.workers.of_plane(c_.n.plane(r.packet.at));
    c_.workers[worker].erases.push(r);
    c_.workers.mark_ready(worker);
}

void PlaneOperations::extend(const Request& r) {
    c_.decoders.extend(c_.n.plane(r.packet.at), r.packet.log_block, r.packet.to_block);
    c_.again = true; // the log block has room again
    c_.answers.answer(r, PacketKind::extended);
}

// ---- scheduling ------------------------------------------------------------------------------

/// Whether the worker is reserved for a move that has waited long.
bool PlaneOperations::kept_free(std::uint32_t worker) const {
    if (c_.state.moves.empty() || !waited_long(c_.state.moves.front().accepted)) return false;
    const FlashPacket& p = c_.state.moves.front().packet;
    return worker == c_.workers.of_plane(c_.n.plane(p.at)) ||
           worker == c_.workers.of_plane(c_.n.plane(p.to));
}

void PlaneOperations::begin(std::uint32_t worker) {
    Worker& w = c_.workers[worker];
    if (w.stage == Stage::idle && kept_free(worker)) return;
    c_.workers.clear_ready(worker);
    if (w.stage != Stage::idle) return;
    if (!w.erases.empty() &&
        ((w.senses.empty() && w.programs.empty()) || waited_long(w.erases.front().accepted)))
        return erase(worker, w.erases.pop());
    if (!w.programs.empty()) {
        const Register& r = c_.registers[w.programs.front()];
        if (w.senses.empty() || c_.stalled.pages(c_.registers.pool_of(r.address.plane)) ||
            waited_long(r.queued_at))
            return begin_program(worker, w.programs.pop());
    }
    while (!w.senses.empty()) {
        const std::uint32_t s = w.senses.pop();
        const PageAddress a = c_.reads[s].address;
        if (c_.n.page(c_.decoders.forwarded(a)) == c_.reads[s].page) {
            w.sense = s;
            reads_.begins(s);
            c_.workers.work(worker, Stage::sensing);
            return sense(worker, a, Stage::sensing);
        }
        reads_.ask_again(s);
    }
    // All pages to be sensed have moved: programs and erases behind them are next.
    if (!w.programs.empty() || !w.erases.empty()) c_.workers.mark_ready(worker);
}

void PlaneOperations::finish(std::uint32_t worker) {
    Worker& w = c_.workers[worker];
    switch (w.stage) {
    case Stage::sensing:
        w.stage = Stage::sending;
        return reads_.sensed(w.sense);
    case Stage::merging:
        c_.versions.merge(worker, c_.array_page(w.address));
        w.mask.fill();
        return migrate(worker);
    case Stage::migrating:
        return migrated(worker);
    case Stage::programming:
        return programmed(worker);
    case Stage::erasing:
        c_.answers.answer(w.request, PacketKind::erased);
        return c_.rest(worker);
    default:
        MEMSIM_ASSERT(false, "a plane ends an operation that it did not begin");
    }
}

/// Senses the page that the row decoder finds into the data register.
void PlaneOperations::sense(std::uint32_t worker, const PageAddress& a, Stage stage) {
    const RowDecoders::Place at = c_.decoders.locate(a);
    // A data block that was never touched was written before the run.
    if (at.block == a.block && !c_.array.block(a.plane, at.block))
        c_.array.written_before(a.plane, at.block, c_.n.pages);
    c_.array.read(a.plane, at.block, at.page); // stops the run if the page is erased
    count_touched();
    const Time t = c_.params.search() + c_.timing.read(at.page);
    ++c_.stat.senses;
    if (stage != Stage::sensing)
        c_.stat.sensed_bytes += page_bytes; // otherwise counted when it has been sent
    c_.stat.sense_time.add(c_.sim.now(), c_.sim.now(), c_.sim.now() + t.raw);
    busy(worker, stage, t);
}

// ---- programs of registers' pages, moves for a collector -------------------------------------

/// Programs the page of a register to its log block.
void PlaneOperations::begin_program(std::uint32_t worker, std::uint32_t reg) {
    Worker& w = c_.workers[worker];
    const Register& r = c_.registers[reg];
    w.reg = reg;
    w.moving = false;
    w.address = r.address, w.page = r.key, w.mask = r.mask;
    w.from = c_.registers.plane_of(reg);
    w.helper = worker;
    w.crossing = r.mask.touched;
    c_.versions.take(worker, reg);
    c_.registers.leave(reg);
    c_.workers.leaves(w.page, worker);
    c_.workers.work(worker, Stage::merging);
    if (w.mask.full()) return migrate(worker);
    ++c_.stat.merges;
    sense(worker, w.address, Stage::merging);
}

/// Reserves both planes at once, so that no two moves can wait for each other.
void PlaneOperations::start_moves() {
    Fifo<Request>& moves = c_.state.moves;
    const auto idle = [&](FlashPlane p) {
        return c_.workers[c_.workers.of_plane(c_.n.plane(p))].stage == Stage::idle;
    };
    for (std::uint32_t i = 0; i < moves.size();) {
        const FlashPacket& p = moves[i].packet;
        const flash::NandBlock* const b = c_.array.block(c_.n.plane(p.to), p.to_block);
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
    const std::uint32_t worker = c_.workers.of_plane(to.plane);
    Worker& w = c_.workers[worker];
    w.request = r;
    w.moving = true;
    w.reg = none;
    w.address = c_.n.address(r.packet), w.mask = {};
    c_.decoders.begin_move(w.address, to);
    c_.again = true; // writes that wait may find a register at the new place of the page
    w.page = c_.n.page(c_.decoders.forwarded(w.address));
    w.from = w.address.plane;
    w.helper = c_.workers.of_plane(w.from);
    w.crossing = ~0u;
    c_.workers.work(worker, Stage::held);
    if (w.helper != worker) c_.workers.work(w.helper, Stage::held);
    take_register(worker);
    c_.workers.leaves(w.page, worker);
    if (w.mask.full()) return migrate(worker);
    sense(worker, w.address, Stage::merging);
}

/// Takes along the part of a moving page that a register holds.
void PlaneOperations::take_register(std::uint32_t worker) {
    Worker& w = c_.workers[worker];
    const std::uint32_t r = c_.registers.find(c_.n.page(w.address));
    if (r == RegisterFile::none) return;
    w.mask = c_.registers[r].mask;
    c_.versions.take(worker, r);
    if (c_.registers[r].phase == RegisterPhase::dirty)
        c_.registers.queue(r, c_.sim.now());
    else { // it is no longer programmed to the log block
        Fifo<std::uint32_t>& programs = c_.workers[w.helper].programs;
        std::uint32_t i = 0;
        while (programs[i] != r) ++i;
        programs.erase(i);
        c_.decoders.take_back(w.address);
    }
    c_.registers.leave(r);
    c_.release(r);
    c_.again = true;
}

// ---- migration between planes ----------------------------------------------------------------

void PlaneOperations::migrate(std::uint32_t worker) {
    Worker& w = c_.workers[worker];
    const std::uint32_t to = w.moving ? target(w.request.packet).plane : w.address.plane;
    const RegisterNetwork network = c_.params.network();
    if (w.from == to) return migrated(worker);
    if (network == RegisterNetwork::fcnet) {
        if (!c_.params.fcnet_holds()) leave_register(worker);
        return migrated(worker);
    }
    const std::uint32_t bytes = bits_set(w.crossing) * line_bytes;
    ++c_.stat.migrations;
    c_.stat.migrated_bytes += bytes;
    w.since = c_.sim.now();
    if (network != RegisterNetwork::nif) return send_copies(worker);
    const Time t = c_.wires.take(w.from, bytes, c_.sim.now());
    c_.stat.migration_time.add(w.since, w.since, w.since + t.raw);
    busy(worker, Stage::migrating, t);
}

void PlaneOperations::send_copies(std::uint32_t worker) {
    Worker& w = c_.workers[worker];
    w.stage = Stage::copying;
    c_.stat.migration_time.begin(w.since);
    w.copies = bits_set(w.crossing);
    for (std::uint32_t lines = w.crossing; lines; lines &= lines - 1) {
        const auto line = static_cast<unsigned>(std::countr_zero(lines));
        c_.answers.copy_out(worker, line, c_.versions.read({PagePlaces::none, worker}, line, 15));
    }
}

void PlaneOperations::come_back(const FlashPacket& p) {
    Worker& w = parts::named(c_.state.workers.workers, p.tag);
    MEMSIM_ASSERT(w.stage == Stage::copying, "a copy returns that no plane waits for");
    c_.versions.come_back(p.tag, p.line, p.contents);
    if (--w.copies == 0) migrated(p.tag);
}

/// The page has reached its plane. Its register becomes free unless the plane programs from it.
void PlaneOperations::migrated(std::uint32_t worker) {
    Worker& w = c_.workers[worker];
    if (w.stage == Stage::copying) c_.stat.migration_time.end(w.since, c_.sim.now());
    if (w.stage == Stage::copying || w.stage == Stage::migrating) leave_register(worker);
    if (w.helper != worker) {
        c_.rest(w.helper);
        w.helper = worker;
    }
    program(worker);
}

/// The page leaves its register, if it is in one.
void PlaneOperations::leave_register(std::uint32_t worker) {
    Worker& w = c_.workers[worker];
    if (w.reg == none) return;
    c_.release(w.reg);
    w.reg = none;
    c_.again = true;
}

// ---- programming and erasing -----------------------------------------------------------------

void PlaneOperations::program(std::uint32_t worker) {
    Worker& w = c_.workers[worker];
    MEMSIM_ASSERT(w.mask.full(), "a page is programmed in part");
    const PageAddress to = target(w.request.packet);
    const std::uint32_t plane = w.moving ? to.plane : w.address.plane;
    const std::uint32_t block = w.moving ? to.block : c_.decoders.open_block(w.address);
    const flash::NandBlock* const b = c_.array.block(plane, block);
    const std::uint32_t page = b ? b->written : 0;
    c_.array.program(plane, block, page);
    count_touched();
    c_.versions.program(worker, c_.array.page(plane, block, page));
    if (w.moving)
        ++c_.stat.moves;
    else {
        ++c_.stat.log_programs;
        c_.stat.log_pages += c_.decoders.programmed(w.page, plane, {block, page});
        c_.stat.programmed_bytes += bits_set(w.crossing) * line_bytes;
    }
    const Time t = c_.timing.program(page);
    ++c_.stat.programs;
    const Tick begins = c_.sim.now() + data_path_time().raw;
    c_.stat.program_time.add(c_.sim.now(), begins, begins + t.raw);
    c_.stat.programming.set(c_.sim.now(), ++c_.state.programming);
    busy(worker, Stage::programming, data_path_time() + t);
}

/// Time for a page to cross nif's bus from its register to the plane.
Time PlaneOperations::data_path_time() const {
    const bool shared = c_.params.data_path() && c_.params.network() == RegisterNetwork::nif;
    return shared ? c_.wires.time_of(page_bytes) : 0_fs;
}

void PlaneOperations::programmed(std::uint32_t worker) {
    Worker& w = c_.workers[worker];
    c_.stat.programming.set(c_.sim.now(), --c_.state.programming);
    leave_register(worker);
    c_.workers.has_left(w.page);
    c_.versions.forget(worker);
    if (w.moving) c_.answers.answer(w.request, PacketKind::moved);
    c_.rest(worker);
}

void PlaneOperations::erase(std::uint32_t worker, const Request& r) {
    const PageAddress a = c_.n.address(r.packet);
    for (std::uint32_t p = 0; p < c_.n.pages; ++p)
        MEMSIM_ASSERT(c_.registers.find(c_.n.block(a.plane, a.block) * c_.n.pages + p) ==
                          RegisterFile::none,
                      "a block is erased while a register holds a page of it");
    c_.decoders.erase(a.plane, a.block);
    c_.again = true; // a log block may have room
    c_.array.erase(a.plane, a.block);
    count_touched();
    c_.stat.most_erases.set(c_.sim.now(), c_.state.array.most_erases);
    // With e erases, the sum of squares grows by e^2 - (e - 1)^2.
    c_.state.erase_squares += 2 * c_.array.block(a.plane, a.block)->erases - 1;
    c_.stat.erase_squares.set(c_.sim.now(), c_.state.erase_squares);
    ++c_.stat.erases;
    c_.stat.erase_time.add(c_.sim.now(), c_.sim.now(), c_.sim.now() + c_.timing.tBERS.raw);
    c_.workers[worker].request = r;
    c_.workers.work(worker, Stage::erasing);
    busy(worker, Stage::erasing, c_.timing.tBERS);
}

void PlaneOperations::count_touched() {
    if (c_.array.touched() == c_.state.touched) return;
    c_.state.touched = static_cast<std::uint32_t>(c_.array.touched());
    c_.stat.touched_blocks.set(c_.sim.now(), c_.state.touched);
}

} // namespace memsim::zng::package
