#include "flash/nand/package.hh"

#include "core/kernel/registry.hh"

namespace memsim::flash {

static const Registration<Package> package {
    "A NAND flash package: dies, planes, registers; in-order programming, erase before write."};

void Package::init() {
    try {
        timing_ = with_changes(params.media->figures(), params.timing_changes());
        check(timing_);
    } catch (const ConfigError& e) {
        refuse("timing_changes", e.what());
    }
    const std::uint64_t planes = std::uint64_t {params.dies()} * params.planes();
    if (planes > 256)
        refuse("planes", "there are " + std::to_string(planes) +
                             " planes in the package: dies x planes is at most 256");
    array_.emplace(NandArray::Config {static_cast<std::uint32_t>(planes), params.blocks(),
                                      params.pages(), sim().contents().enabled()},
                   state.array);
    state.units.resize(params.independent_planes() ? planes : params.dies());
    state.registers.assign(planes * params.registers(), 0);
    stat.suspensions.gather([this] { return state.suspensions; });
}

void Package::wake() {
    for (unsigned i = 0; i < port.io.size(); ++i)
        while (!port.io[i].empty()) accept(port.io[i].pop(), i);
    if (!pending()) return;
    for (Worker& u : state.units) {
        if (!u.complete() && u.suspendable.empty()) continue;
        advance_unit(u);
        if (const Tick next = next_step(u); next != never) arm(u.next, next);
    }
}

/// Starts, suspends, resumes or ends an operation of a unit, if it is time.
void Package::advance_unit(Worker& u) {
    if (u.suspendable.empty()) {
        if (u.complete() && u.until <= now()) begin_operation(u, 0);
        return;
    }
    const std::uint32_t read = u.first_read();
    if (u.until > now()) {
        if (read < u.complete() && suspends_at(u) <= now()) suspend(u);
    } else if (!u.left) {
        end_suspendable(u);
        if (u.complete()) begin_operation(u, 0);
    } else if (read < u.complete())
        begin_operation(u, read);
    else
        resume_operation(u);
}

Tick Package::next_step(const Worker& u) const {
    if (u.suspendable.empty()) return u.complete() ? u.until : never;
    return u.first_read() < u.complete() ? std::min(suspends_at(u), u.until) : u.until;
}

/// The time from which a read suspends the unit's operation: `never` if it ends as soon, or is
/// suspended already.
Tick Package::suspends_at(const Worker& u) const {
    const Tick at = std::max(now(), u.resumed + params.suspend_gap().raw);
    return !u.left && at + params.suspend_time().raw < u.until ? at : never;
}

void Package::suspend(Worker& u) {
    for (std::uint32_t i = 0; i < u.suspendable.size(); ++i) time_of(u).end(u.resumed, now());
    u.left = u.until - now();
    u.until = now() + params.suspend_time().raw;
    ++state.suspensions;
}

void Package::resume_operation(Worker& u) {
    for (std::uint32_t i = 0; i < u.suspendable.size(); ++i) time_of(u).begin(now());
    u.resumed = now();
    u.until = now() + std::exchange(u.left, 0);
}

void Package::end_suspendable(Worker& u) {
    ElapsedTime& time = time_of(u);
    for (; !u.suspendable.empty(); u.suspendable.drop(), --state.suspendable) {
        const Work& w = u.suspendable.front();
        const protocol::NandCommand& c = w.command;
        if (c.op == FlashOp::program) register_of(c) = now();
        time.end(u.resumed, now());
        // Messages of other units were sent ahead and arrive later: keep the order of arrival.
        port.io[w.port].send_ahead({{}, c.place.die, c.place.plane, c.reg, c.op}, Time {0});
    }
}

void Package::accept(const protocol::NandCommand& c, unsigned from_port) {
    if (c.place.die >= params.dies() || c.place.plane >= params.planes() ||
        c.place.block >= params.blocks() || c.place.page >= params.pages() ||
        c.reg >= params.registers())
        throw ConfigError(path() +
                          ": a command names a place that does not exist: give drive, channels and "
                          "packages the same geometry and number of registers");
    Worker& u = unit_of(c.place);
    if (c.op != FlashOp::erase) {
        Tick& used = register_of(c);
        MEMSIM_ASSERT(used <= now(), "a register is assigned to the array twice");
        used = never; // until its end is known
    }
    if (!c.more && (u.until > now() || u.works.size() > u.open)) ++stat.cached;
    u.works.push({c, static_cast<std::uint8_t>(from_port)});
    u.open = c.more ? u.open + 1 : 0;
    ++state.waiting;
    MEMSIM_ASSERT(!c.more || !params.independent_planes(),
                  "independent planes do not support multi-plane commands");
}

/// Starts the operation whose first work is `u.works[at]`.
void Package::begin_operation(Worker& u, std::uint32_t at) {
    const protocol::NandCommand first = u.works[at].command;
    const FlashOp op = first.op;
    const Time t = op == FlashOp::read      ? timing_.read(first.place.page)
                   : op == FlashOp::program ? timing_.program(first.place.page)
                                            : timing_.tBERS;
    u.until = now() + t.raw;
    const bool suspendable = is_suspendable(op);
    if (suspendable) u.resumed = now();
    for (bool more = true; more;) {
        const Work w = u.works[at];
        u.works.erase(at);
        const protocol::NandCommand& c = w.command;
        more = c.more;
        --state.waiting;
        MEMSIM_ASSERT(
            c.op == op && (op == FlashOp::erase || c.place.page == first.place.page),
            "the planes of one operation must execute the same operation on the same page");
        const std::uint32_t plane = plane_of(c.place);
        if (c.written_before) array_->written_before(plane, c.place.block, c.written_before);
        // The cells change at the start of the operation: no other operation can access them before
        // its end.
        Contents::Id contents;
        if (op == FlashOp::read) {
            ++stat.senses, stat.sense_time.add(now(), now(), u.until);
            array_->read(plane, c.place.block, c.place.page);
            if (sim().contents().enabled())
                contents = sensed(array_->page(plane, c.place.block, c.place.page));
        } else if (op == FlashOp::program) {
            ++stat.programs;
            if (!suspendable) stat.program_time.add(now(), now(), u.until);
            array_->program(plane, c.place.block, c.place.page);
            if (c.contents)
                store_page(array_->page(plane, c.place.block, c.place.page), c.contents);
        } else {
            ++stat.erases;
            if (!suspendable) stat.erase_time.add(now(), now(), u.until);
            array_->erase(plane, c.place.block);
        }
        if (suspendable) {
            u.suspendable.push(w), ++state.suspendable;
            time_of(u).begin(now());
            continue;
        }
        if (op != FlashOp::erase) register_of(c) = u.until;
        port.io[w.port].send_ahead({contents, c.place.die, c.place.plane, c.reg, c.op}, t);
    }
    ++stat.operations;
    if (array_->touched() != state.touched) {
        state.touched = static_cast<std::uint32_t>(array_->touched());
        stat.touched_blocks.set(now(), state.touched);
    }
    if (op == FlashOp::erase) stat.most_erases.set(now(), state.array.most_erases);
}

Contents::Id Package::sensed(std::uint64_t page) {
    const Contents::Id id = sim().contents().create();
    array_->contents().read(page, 0, PageContents::most_sectors, sim().contents(), id, 0);
    return id;
}

void Package::store_page(std::uint64_t page, Contents::Id contents) {
    for (const Contents::Piece& p : sim().contents()[contents].pieces)
        array_->contents().put(page, p.sector, p.data);
    sim().contents().release(contents);
}

void Package::functional(const PortBase&, FunctionalAccess& access) {
    const protocol::FlashPlace& at = static_cast<protocol::FlashAccess&>(access).place;
    array_->contents().functional(array_->page(plane_of(at), at.block, at.page), access);
}

protocol::FlashTimes Package::flash_times() const {
    Tick read = 0, program = 0;
    for (unsigned page = 0; page < params.pages(); ++page)
        read += timing_.read(page).raw, program += timing_.program(page).raw;
    return {read / params.pages(), program / params.pages(), timing_.tBERS.raw};
}

void Package::check_loaded(Loader& l) const {
    std::size_t waiting = 0, suspendable = 0;
    const auto check_works = [&](std::string_view field, const Fifo<Work>& works) {
        for (std::uint32_t i = 0; i < works.size(); ++i) {
            const Work& w = works[i];
            l.index(field, w.port, port.io.size());
            l.index(field, w.command.reg, params.registers());
            l.index(field, w.command.place.die, params.dies());
            l.index(field, w.command.place.plane, params.planes());
            l.index(field, w.command.place.block, params.blocks());
            l.index(field, w.command.place.page, params.pages());
        }
    };
    for (const Worker& u : state.units) {
        check_works("units.works", u.works);
        check_works("units.suspendable", u.suspendable);
        waiting += u.works.size(), suspendable += u.suspendable.size();
        l.check(u.open <= u.works.size(), "has more works than it holds");
        l.check(!u.left || !u.suspendable.empty(), "has suspended no operation");
    }
    l.check(state.waiting == waiting && state.suspendable == suspendable,
            "counts other works than it holds");
}

void Package::waits_on(WaitReport& report) const {
    if (state.waiting)
        report.add(path() + ": " + std::to_string(state.waiting) + " operations wait for a die");
    for (const Worker& u : state.units)
        if (u.open) report.add(path() + ": a multi-plane command waits for its last plane");
}

std::optional<std::string> Package::imbalance() const {
    if (state.waiting) return std::to_string(state.waiting) + " operations were not started";
    if (state.suspendable) return std::to_string(state.suspendable) + " operations did not end";
    return {};
}

} // namespace memsim::flash
