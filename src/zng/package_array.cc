#include "zng/package.hh"

namespace memsim::zng {

using protocol::FlashPlane;

void Package::worker_done(const Done& d) {
    MEMSIM_ASSERT(d.worker < state.workers.size(), "a worker is done that the package has not");
    mark(state.done, d.worker);
}

void Package::busy(std::uint32_t worker, Stage stage, Time t) {
    state.workers[worker].stage = stage;
    after<&Package::worker_done>(t, Done {worker});
}

void Package::become_idle(std::uint32_t worker) {
    state.workers[worker].stage = Stage::idle;
    --state.working;
    mark(state.ready, worker);
    again_ = true;
}

void Package::finish(std::uint32_t worker) {
    switch (state.workers[worker].stage) {
    case Stage::sensing:
        return sensed(worker);
    case Stage::merging: {
        Worker& w = state.workers[worker];
        contents_->merge(worker, array_page(w.address));
        w.mask.fill();
        return migrate(worker);
    }
    case Stage::migrating:
        return migrated(worker);
    case Stage::programming:
        return programmed(worker);
    case Stage::erasing:
        answer(state.workers[worker].op, PacketKind::erased, 0);
        return become_idle(worker);
    default:
        MEMSIM_ASSERT(false, "a plane has finished what it did not begin");
    }
}

/// The next thing that an idle plane does.
void Package::begin(std::uint32_t worker) {
    Worker& w = state.workers[worker];
    const auto over = [&](Tick since) { return now() - since >= params.patience->raw; };
    if (w.stage == Stage::idle && !state.moves.empty() && over(state.moves.front().accepted)) {
        const FlashPacket& p = state.moves.front().packet; // an old move has its planes kept free
        const auto plane = [&](FlashPlane f) { return f.die * params.geometry.planes() + f.plane; };
        if (worker == worker_of(plane(p.at)) || worker == worker_of(plane(p.to))) return;
    }
    state.ready[worker / 64] &= ~(std::uint64_t {1} << (worker % 64));
    if (w.stage != Stage::idle) return;
    if (!w.erases.empty() &&
        ((w.senses.empty() && w.programs.empty()) || over(w.erases.front().accepted)))
        return erase(worker, w.erases.pop());
    if (!w.programs.empty()) {
        const Register& r = (*registers_)[w.programs.front()];
        if (w.senses.empty() || state.stalled_of_pool[pool_of(r.address.plane)] ||
            over(r.queued_at))
            return begin_program(worker, w.programs.pop());
    }
    while (!w.senses.empty()) {
        const std::uint32_t i = w.senses.pop();
        const PageAddress a = state.senses[i].address;
        if (key_of(forwarded(a)) == state.senses[i].key) {
            w.sense = i;
            ++state.working;
            return sense(worker, a, Stage::sensing);
        }
        // The page has moved since: its reads ask again, for its new place.
        if (params.reuse() == PageReuse::waiting) state.sense_of.erase(state.senses[i].key);
        for (std::uint32_t r = state.senses[i].first; r != none;) {
            const Read again = state.reads[r];
            state.free_reads.push_back(r);
            r = again.next;
            read({again.packet, again.accepted, none, again.port});
        }
        state.free_senses.push_back(i);
        again_ = true;
    }
    // All that was to be sensed has moved: what stood behind it has its turn.
    if (!w.programs.empty() || !w.erases.empty()) mark(state.ready, worker);
}

/// The page that the row decoder finds is on its way to the data register.
void Package::sense(std::uint32_t worker, const PageAddress& a, Stage stage) {
    std::uint32_t block = 0, page = 0;
    locate(a, block, page);
    // A data block that was never touched was written before the run.
    if (block == a.block && !array_->block(a.plane, block))
        array_->written_before(a.plane, block, params.geometry.pages());
    array_->read(a.plane, block, page); // stops the run if it is erased
    count_touched();
    const Time t = timing_.read(page);
    ++stat.senses;
    stat.sensed_bytes += page_bytes;
    stat.sense_time += t;
    busy(worker, stage, t);
}

void Package::sensed(std::uint32_t worker) {
    Worker& w = state.workers[worker];
    w.stage = Stage::sending;
    const std::uint32_t i = w.sense;
    state.senses[i].output = true;
    const PageAddress a = state.senses[i].address;
    ++stat.page_reads;
    std::uint64_t& before = state.read_before[state.senses[i].key / 64];
    const std::uint64_t bit = std::uint64_t {1} << state.senses[i].key % 64;
    stat.pages_read += !(before & bit);
    before |= bit;
    for (std::uint32_t r = state.senses[i].first; r != none; r = state.reads[r].next) {
        const FlashPacket& p = state.reads[r].packet;
        answer_read(state.reads[r],
                    contents_->carries() ? contents_->read(places_of(a), p.line, p.sectors)
                                         : Contents::Id {},
                    i);
        state.free_reads.push_back(r);
    }
}

void Package::locate(const PageAddress& a, std::uint32_t& block, std::uint32_t& page) const {
    block = a.block, page = a.page;
    if (const std::uint32_t* const found = state.lpmt.find(key_of(a))) {
        block = *found / params.geometry.pages(), page = *found % params.geometry.pages();
        MEMSIM_ASSERT(block == a.log_block, "a request names another log block than its page's");
    }
}

std::uint64_t Package::array_page(const PageAddress& a) const {
    std::uint32_t block = 0, page = 0;
    locate(a, block, page);
    return array_->page(a.plane, block, page);
}

/// The page of a register goes to its log block.
void Package::begin_program(std::uint32_t worker, std::uint32_t reg) {
    Worker& w = state.workers[worker];
    const Register& r = (*registers_)[reg];
    w.reg = reg;
    w.moving = false;
    w.address = r.address, w.key = r.key, w.mask = r.mask;
    w.from = registers_->plane_of(reg);
    w.helper = worker;
    w.crossing = r.mask.touched;
    contents_->take(worker, reg);
    registers_->leave(reg);
    state.leaving[w.key] = worker;
    ++state.working;
    if (w.mask.full()) return migrate(worker);
    ++stat.merges;
    sense(worker, w.address, Stage::merging);
}

/// Both planes are taken at once, so that no two moves can wait for each other.
void Package::start_moves() {
    for (std::uint32_t i = 0; i < state.moves.size();) {
        const FlashPacket& p = state.moves[i].packet;
        const std::uint32_t from = p.at.die * params.geometry.planes() + p.at.plane;
        const std::uint32_t to = p.to.die * params.geometry.planes() + p.to.plane;
        const flash::NandBlock* const b = array_->block(to, p.to_block);
        if (state.workers[worker_of(from)].stage == Stage::idle &&
            state.workers[worker_of(to)].stage == Stage::idle && p.page == (b ? b->written : 0)) {
            const Op op = state.moves[i];
            state.moves.erase(i);
            begin_move(from, to, op);
        } else
            ++i;
    }
}

void Package::begin_move(std::uint32_t from, std::uint32_t to, const Op& op) {
    const std::uint32_t worker = worker_of(to);
    Worker& w = state.workers[worker];
    w.op = op;
    w.moving = true;
    w.reg = none;
    w.address = address_of(op.packet), w.mask = {};
    Forward& f = state.forwards[block_key(w.address.plane, w.address.block)];
    MEMSIM_ASSERT(op.packet.page == f.begun, "the pages of a block are moved out of order");
    f = {to, op.packet.to_block, op.packet.to_log, f.begun + 1};
    w.key = key_of(forwarded(w.address));
    w.from = from;
    w.helper = worker_of(from);
    w.crossing = ~0u;
    w.stage = Stage::held;
    ++state.working;
    if (w.helper != worker) {
        state.workers[w.helper].stage = Stage::held;
        ++state.working;
    }
    take_register(worker);
    state.leaving[w.key] = worker;
    if (w.mask.full()) return migrate(worker);
    sense(worker, w.address, Stage::merging);
}

/// What a register holds of a page that is moved goes with it.
void Package::take_register(std::uint32_t worker) {
    Worker& w = state.workers[worker];
    const std::uint32_t r = registers_->find(key_of(w.address));
    if (r == none) return;
    w.mask = (*registers_)[r].mask;
    contents_->take(worker, r);
    if ((*registers_)[r].phase == RegisterPhase::dirty)
        registers_->queue(r, now());
    else { // it is not programmed to the log block any more
        Fifo<std::uint32_t>& programs = state.workers[w.helper].programs;
        std::uint32_t i = 0;
        while (programs[i] != r) ++i;
        programs.erase(i);
        --state.logs[block_key(w.address.plane, w.address.log_block)].assigned;
    }
    registers_->leave(r);
    registers_->release(r);
    again_ = true;
    stat.registers_used.set(now(), --state.used);
}

void Package::migrate(std::uint32_t worker) {
    Worker& w = state.workers[worker];
    const std::uint32_t to =
        w.moving ? w.op.packet.to.die * params.geometry.planes() + w.op.packet.to.plane
                 : w.address.plane;
    if (w.from == to || params.network() == RegisterNetwork::fcnet) return migrated(worker);
    const std::uint32_t bytes = bits_set(w.crossing) * line_bytes;
    ++stat.migrations;
    stat.migrated_bytes += bytes;
    w.since = now();
    if (params.network() != RegisterNetwork::nif) return send_copies(worker);
    Tick& free = state.net_free[w.from];
    if (free < now()) free = now(), state.net_remainder[w.from] = 0;
    free += net_.take(bytes, state.net_remainder[w.from]);
    stat.migration_time += Time {free - now()};
    busy(worker, Stage::migrating, Time {free - now()});
}

void Package::send_copies(std::uint32_t worker) {
    Worker& w = state.workers[worker];
    w.stage = Stage::copying;
    w.copies = bits_set(w.crossing);
    const std::uint32_t i = worker % params.ports();
    FlashPacket p;
    p.kind = PacketKind::copy_out;
    p.tag = worker;
    p.bytes = line_bytes;
    p.source = static_cast<std::uint16_t>(params.endpoint() + i);
    p.destination = static_cast<std::uint16_t>(params.controller());
    for (std::uint32_t lines = w.crossing; lines; lines &= lines - 1) {
        p.line = static_cast<std::uint8_t>(std::countr_zero(lines));
        p.contents = contents_->read({PagePlaces::none, worker}, p.line, 15);
        state.answers[i].push({p, none, 0, false});
    }
}

/// The page is where its plane can program it: its register is free, unless that is the one that
/// the plane programs from.
void Package::migrated(std::uint32_t worker) {
    Worker& w = state.workers[worker];
    if (w.stage == Stage::copying) stat.migration_time += Time {now() - w.since};
    if (w.reg != none && (w.stage == Stage::copying || w.stage == Stage::migrating)) {
        registers_->release(w.reg);
        stat.registers_used.set(now(), --state.used);
        w.reg = none;
    }
    if (w.helper != worker) {
        become_idle(w.helper);
        w.helper = worker;
    }
    program(worker);
}

void Package::program(std::uint32_t worker) {
    Worker& w = state.workers[worker];
    MEMSIM_ASSERT(w.mask.full(), "a page is programmed in part");
    const FlashPacket& p = w.op.packet;
    const std::uint32_t plane =
        w.moving ? p.to.die * params.geometry.planes() + p.to.plane : w.address.plane;
    const std::uint32_t block = w.moving ? p.to_block : w.address.log_block;
    const flash::NandBlock* const b = array_->block(plane, block);
    const std::uint32_t page = b ? b->written : 0;
    array_->program(plane, block, page);
    count_touched();
    contents_->program(worker, array_->page(plane, block, page));
    if (w.moving)
        ++stat.moves;
    else {
        state.logs[block_key(plane, block)].owners.push_back(w.key);
        ++stat.log_programs;
        if (!state.lpmt.find(w.key)) ++stat.log_pages;
        state.lpmt[w.key] = block * params.geometry.pages() + page;
    }
    const Time t = timing_.program(page);
    ++stat.programs;
    stat.program_time += t;
    stat.programming.set(now(), ++state.programming);
    busy(worker, Stage::programming, t);
}

void Package::programmed(std::uint32_t worker) {
    Worker& w = state.workers[worker];
    stat.programming.set(now(), --state.programming);
    if (w.reg != none) {
        registers_->release(w.reg);
        stat.registers_used.set(now(), --state.used);
        w.reg = none;
    }
    state.leaving.erase(w.key);
    contents_->forget(worker);
    if (w.moving) answer(w.op, PacketKind::moved, 0);
    become_idle(worker);
}

void Package::erase(std::uint32_t worker, const Op& op) {
    Worker& w = state.workers[worker];
    const PageAddress a = address_of(op.packet);
    const std::uint64_t key = block_key(a.plane, a.block);
    for (std::uint32_t p = 0; p < params.geometry.pages(); ++p) {
        const std::uint64_t page = key * params.geometry.pages() + p;
        MEMSIM_ASSERT(registers_->find(page) == none, "a block is erased, a register holds a page "
                                                      "of it");
        state.lpmt.erase(page);
    }
    if (const Log* const log = state.logs.find(key)) {
        for (const std::uint64_t owner : log->owners) {
            const std::uint32_t* const at = state.lpmt.find(owner);
            if (at && *at / params.geometry.pages() == a.block) state.lpmt.erase(owner);
        }
        state.logs.erase(key);
    }
    state.forwards.erase(key);
    again_ = true; // a log block may have room
    array_->erase(a.plane, a.block);
    count_touched();
    stat.most_erases.set(now(), state.array.most_erases);
    state.erase_squares += 2 * array_->block(a.plane, a.block)->erases - 1; // of e: e^2 - (e - 1)^2
    stat.erase_squares.set(now(), state.erase_squares);
    ++stat.erases;
    stat.erase_time += timing_.tBERS;
    w.op = op;
    ++state.working;
    busy(worker, Stage::erasing, timing_.tBERS);
}

void Package::count_touched() {
    if (array_->touched() == state.touched) return;
    state.touched = static_cast<std::uint32_t>(array_->touched());
    stat.touched_blocks.set(now(), state.touched);
}

} // namespace memsim::zng
