#include "flash/channel/channel.hh"

#include "core/kernel/registry.hh"

#include <algorithm>
#include <bit>

namespace memsim::flash {

static const Registration<Channel> channel {
    "A flash channel: an ONFI bus shared by packages, with the scheduling of its commands."};

// Latency stages of a read: until its plane accepts it, until its page is in a register, until its
// data are sent.
static const Stage plane_queue {"plane_queue"}, collection {"collection"}, sensing {"sensing"},
    bus {"flash_channel"};

void Channel::init() {
    timing_ = params.bus->figures();
    if (params.rate().raw) timing_.rate = params.rate();
    wire_ = WireTime(timing_.rate);
    const unsigned planes = params.dies() * params.planes();
    if (planes > 64)
        refuse("planes", "there are " + std::to_string(planes) +
                             " planes in a package: dies x planes is at most 64 on a channel");
    if (params.dies_at_once() > params.dies())
        refuse("dies_at_once", "exceeds the package's " + params.dies.text() + " dies");
    protocol::FlashGeometry own {
        0, params.dies(), params.planes(), 0, 0, params.registers(), params.independent_planes()};
    bool suspends = false;
    for (unsigned i = 0; i < port.package.size(); ++i) {
        protocol::check_flash_geometry(port.package[i], own);
        const auto* package = port.package[i].find_interface<const protocol::HasFlashGeometry>();
        const bool it_suspends = package && package->flash_geometry().suspends_erases;
        if (i && it_suspends != suspends)
            refuse("packages", "some suspend erases and some do not: give all the same `suspend`");
        suspends = it_suspends;
    }
    const std::uint32_t all = params.packages() * planes;
    state.slots.resize(params.queue());
    state.reads.resize(params.queue());
    sensing_.emplace(state.reads, sim().contents());
    state.groups.assign(params.queue(), 0);
    for (std::uint32_t i = params.queue(); i-- > 0;)
        state.free_slots.push_back(i), state.free_groups.push_back(i);
    queues_.emplace(params.queue(), params.packages(), planes, state.queues);
    state.registers.resize(all);
    dies_.emplace(DieUse::Config {params.packages(), params.dies(), params.planes(),
                                  params.registers(), params.dies_at_once(),
                                  params.independent_planes(), suspends},
                  state.dies);
    state.in_register.assign(std::size_t {all} * (params.registers() + 1), none);
}

void Channel::wake() {
    for (unsigned i = 0; i < port.package.size(); ++i)
        while (!port.package[i].empty()) array_done(i, port.package[i].pop());
    if (state.on_bus != none && state.bus_free <= now())
        complete(std::exchange(state.on_bus, none));
    auto& in = port.controller;
    while (!in.empty() && !state.free_slots.empty()) accept(in.pop());
    if (state.bus_free <= now()) start_transfer();
    if (state.bus_free > now() && (state.on_bus != none || bus_is_wanted()))
        arm(state.bus_done, state.bus_free);
}

void Channel::accept(const protocol::FlashRequest& r) {
    if (r.place.package >= params.packages() || r.place.die >= params.dies() ||
        r.place.plane >= params.planes())
        throw ConfigError(path() + ": a request names a plane that does not exist: give drive, "
                                   "channels and packages the same geometry");
    const std::uint32_t slot = state.free_slots.back();
    state.free_slots.pop_back();
    state.slots[slot] = {r, now(), state.order++, none, none, 0};
    dies_->chip(r.place.package).collecting += r.begins;
    stat.queued.set(now(), state.slots.size() - state.free_slots.size());
    if (const std::uint32_t first = sensed_for(r); first != none) return join_read(slot, first);
    queues_->push(r.place.package, local_of(r.place), PlaneQueues::kind_of(r), slot);
    state.to_ask |= 1ull << r.place.package;
}

// ---- reads that share a sensing ----------------------------------------------------------------

/// The read that senses, or holds in a register, the page of this one; `none` if there is none.
std::uint32_t Channel::sensed_for(const protocol::FlashRequest& r) const {
    if (!params.join_reads() || r.op != FlashOp::read) return none;
    const std::size_t first = std::size_t {plane_of(r.place)} * (params.registers() + 1);
    for (std::size_t reg = first; reg < first + params.registers(); ++reg)
        if (const std::uint32_t s = state.in_register[reg];
            s != none && state.slots[s].request.op == FlashOp::read &&
            state.slots[s].request.place == r.place)
            return s;
    return none;
}

void Channel::join_read(std::uint32_t slot, std::uint32_t first) {
    ++stat.joined_reads;
    if (sensing_->join(slot, first)) queue_transfer(slot);
}

/// Joins the reads of the same page that wait in the queue of a read that begins.
void Channel::join_waiting(std::uint32_t first) {
    const protocol::FlashRequest& r = state.slots[first].request;
    queues_->take(
        r.place.package, local_of(r.place), PlaneQueues::kind_of(r),
        [&](std::uint32_t slot) { return state.slots[slot].request.place == r.place; },
        [&](std::uint32_t slot) { join_read(slot, first); });
}

/// The data are in a register and wait for the bus.
void Channel::queue_transfer(std::uint32_t slot) {
    sim().stamps().mark(state.slots[slot].request.stamps, sensing, now());
    state.ready[static_cast<unsigned>(state.slots[slot].request.urgency)].push(slot);
}

// ---- what may start ----------------------------------------------------------------------------

/// The slot at the head of a queue to start next in this package; `none` if none can start.
std::uint32_t Channel::next_to_start(unsigned package) const {
    const DieUse::Able can = dies_->able(package);
    if (!can.any()) return none;
    std::uint32_t best = none;
    for (unsigned kind = 0; kind < PlaneQueues::kinds; ++kind) {
        if (kind == PlaneQueues::program && dies_->chip(package).collecting) continue;
        for (std::uint64_t set = queues_->waiting(package, kind) & can.of(kind); set;
             set &= set - 1) {
            const auto plane = static_cast<std::uint32_t>(std::countr_zero(set));
            const std::uint32_t head = queues_->front(package, plane, kind);
            if (best == none || state.slots[head].order < state.slots[best].order) best = head;
        }
        if (best != none && params.reads_first()) break;
    }
    return best;
}

void Channel::start_transfer() {
    for (auto& ready : state.ready)
        if (!ready.empty()) {
            state.on_bus = ready.pop();
            const Slot& s = state.slots[state.on_bus];
            Time t {wire_.take(s.request.bytes, state.remainder)};
            // A column change takes two commands and five address cycles (ONFI's 05h and E0h).
            if (sensing_->first_of(state.on_bus) != state.on_bus) t = t + timing_.tWC * 7;
            stat.data_out += s.request.bytes;
            take_bus(t);
            return;
        }
    // From the package whose turn it is upwards, then from the first.
    const std::uint64_t upper = state.to_ask >> state.turn << state.turn;
    for (std::uint64_t set : {upper, state.to_ask & ~upper})
        for (; set; set &= set - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(set));
            if (!port.package[i].can_send()) continue;
            const std::uint32_t first = next_to_start(i);
            if (first == none) { // until a request arrives for it or ends
                state.to_ask &= ~(1ull << i);
                continue;
            }
            state.turn = (i + 1) % params.packages();
            begin_operation(first);
            return;
        }
}

/// Whether an operation can start when the bus is free. A package without one is asked again when a
/// request arrives for it or ends.
bool Channel::bus_is_wanted() {
    for (const auto& ready : state.ready)
        if (!ready.empty()) return true;
    for (std::uint64_t set = state.to_ask; set; set &= set - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(set));
        if (next_to_start(i) != none) return true;
        state.to_ask &= ~(1ull << i);
    }
    return false;
}

void Channel::take_bus(Time t) {
    state.bus_free = now() + t.raw;
    stat.bus_busy.add(now(), now(), state.bus_free);
}

/// Moves the head of its queue into the operation.
void Channel::add_to_operation(Slot& s, std::uint32_t group) {
    const protocol::FlashPlace& place = s.request.place;
    const std::uint32_t slot =
        queues_->pop(place.package, local_of(place), PlaneQueues::kind_of(s.request));
    s.group = group;
    sim().stamps().mark(s.request.stamps, s.request.behind_collection ? collection : plane_queue,
                        now());
    ++state.groups[group];
    std::uint64_t& used = state.registers[plane_of(place)];
    s.reg = static_cast<std::uint8_t>(s.request.op == FlashOp::erase ? params.registers()
                                                                     : std::countr_one(used));
    if (s.request.op != FlashOp::erase) {
        used |= 1ull << s.reg;
        if (static_cast<unsigned>(std::countr_one(used)) == params.registers())
            dies_->chip(place.package).full |= bit_of(place);
    }
    state.in_register[plane_of(place) * (params.registers() + 1) + s.reg] = slot;
    sensing_->begin(slot);
    if (params.join_reads() && s.request.op == FlashOp::read) join_waiting(slot);
}

void Channel::begin_operation(std::uint32_t first) {
    const protocol::FlashRequest request = state.slots[first].request;
    const std::uint32_t group = state.free_groups.back();
    state.free_groups.pop_back();
    const unsigned kind = PlaneQueues::kind_of(request);
    add_to_operation(state.slots[first], group);
    std::uint32_t last = first;
    if (params.multi_plane() && !params.independent_planes()) {
        std::uint64_t others = queues_->waiting(request.place.package, kind) &
                               ~bit_of(request.place) & dies_->together(request.place);
        if (others) others &= dies_->able(request.place.package).of(kind);
        // If the package's queue is shorter than planes x registers, only some of them are sent.
        const auto& to = port.package[request.place.package];
        const unsigned most = std::min(to.depth(), to.peer()->depth());
        for (unsigned sent = to.outstanding() + 1; others && sent < most; others &= others - 1) {
            const auto plane = static_cast<std::uint32_t>(std::countr_zero(others));
            const std::uint32_t head = queues_->front(request.place.package, plane, kind);
            Slot& s = state.slots[head];
            if (request.op != FlashOp::erase && s.request.place.page != request.place.page)
                continue;
            add_to_operation(s, group);
            state.slots[last].next = head;
            last = head;
            ++sent;
        }
    }
    dies_->begin(request.place, request.op);

    Time t = timing_.tCS;
    for (std::uint32_t i = first; i != none; i = state.slots[i].next) {
        if (i != first) t = t + timing_.tDBSY;
        // Two commands and five address cycles; an erase has only the three cycles of the row.
        t = t + timing_.tWC * (request.op == FlashOp::erase ? 5 : 7);
        if (request.op != FlashOp::program) continue;
        const std::uint32_t bytes = state.slots[i].request.bytes;
        t = t + timing_.tADL + timing_.tWPS + Time {wire_.take(bytes, state.remainder)};
        stat.data_in += bytes;
    }
    ++stat.commands;
    take_bus(t);
    // The command that the package receives after its last cycle is already known.
    for (std::uint32_t i = first; i != none; i = state.slots[i].next) {
        Slot& s = state.slots[i];
        const protocol::FlashRequest& r = s.request;
        port.package[r.place.package].send_ahead({r.place, r.contents, r.written_before,
                                                  r.op == FlashOp::erase ? std::uint8_t {0} : s.reg,
                                                  r.op, s.next != none},
                                                 t);
        s.request.contents = {};
    }
}

// ---- completion -------------------------------------------------------------------------------

void Channel::array_done(unsigned package, const protocol::NandReady& r) {
    const std::uint32_t plane = (package * params.dies() + r.die) * params.planes() + r.plane;
    const std::uint32_t reg = r.op == FlashOp::erase ? params.registers() : r.reg;
    MEMSIM_ASSERT(r.die < params.dies() && r.plane < params.planes() && reg <= params.registers(),
                  "a package names a register that does not exist");
    const std::uint32_t slot = state.in_register[plane * (params.registers() + 1) + reg];
    MEMSIM_ASSERT(slot != none && state.slots[slot].request.op == r.op,
                  "a package reports an operation that was not requested");
    if (r.op != FlashOp::read) {
        complete(slot);
        return;
    }
    sensing_->sensed(slot, r.contents, [this](std::uint32_t read) { queue_transfer(read); });
}

void Channel::complete(std::uint32_t slot) {
    const Slot& s = state.slots[slot];
    const protocol::FlashRequest& r = s.request;
    const Time taken {now() - s.arrived};
    if (r.op == FlashOp::read)
        ++stat.reads, stat.read_latency.sample(taken);
    else if (r.op == FlashOp::program)
        ++stat.programs, stat.program_latency.sample(taken);
    else {
        ++stat.erases;
        dies_->chip(r.place.package).collecting -= r.collects;
    }
    sim().stamps().mark(r.stamps, bus, now());
    const std::uint32_t first = sensing_->first_of(slot);
    const auto [contents, last] = sensing_->answer(slot);
    port.controller.send({contents, r.tag, r.op});
    if (first != slot) state.free_slots.push_back(slot);
    if (last) release(first);
    stat.queued.set(now(), state.slots.size() - state.free_slots.size());
}

/// Releases the register, and completes this part of the operation.
void Channel::release(std::uint32_t slot) {
    const Slot& s = state.slots[slot];
    const protocol::FlashRequest& r = s.request;
    state.in_register[plane_of(r.place) * (params.registers() + 1) + s.reg] = none;
    if (r.op != FlashOp::erase) {
        state.registers[plane_of(r.place)] &= ~(1ull << s.reg);
        dies_->chip(r.place.package).full &= ~bit_of(r.place);
    }
    if (--state.groups[s.group] == 0) {
        state.free_groups.push_back(s.group);
        dies_->end(r.place, r.op);
    }
    state.to_ask |= 1ull << r.place.package;
    state.free_slots.push_back(slot);
}

void Channel::functional(const PortBase&, FunctionalAccess& access) {
    look_through(port.package[static_cast<protocol::FlashAccess&>(access).place.package], access);
}

/// Those of the first package: all packages are equal.
protocol::FlashTimes Channel::flash_times() const {
    const auto* package = port.package[0].find_interface<const protocol::HasFlashTimes>();
    return package ? package->flash_times() : protocol::FlashTimes {};
}

protocol::FlashGeometry Channel::flash_geometry() const {
    protocol::FlashGeometry own {params.packages(), params.dies(), params.planes(), 0, 0, 0, {}};
    const auto* package = port.package[0].find_interface<const protocol::HasFlashGeometry>();
    if (!package) return own;
    own.blocks = package->flash_geometry().blocks;
    own.pages = package->flash_geometry().pages;
    return own;
}

void Channel::check_loaded(Loader& l) const {
    const std::size_t slots = state.slots.size(), groups = state.groups.size();
    const auto one_of = [&](std::string_view field, std::uint32_t slot) {
        if (slot != none) l.index(field, slot, slots);
    };
    queues_->check_loaded(l);
    sensing_->check_loaded(l);
    dies_->check_loaded(l);
    for (const Slot& s : state.slots) {
        one_of("slots.next", s.next);
        if (s.group != none) l.index("slots.group", s.group, groups);
        l.index("slots.reg", s.reg, params.registers() + 1);
        l.index("slots.request", s.request.place.package, params.packages());
        l.index("slots.request", s.request.place.die, params.dies());
        l.index("slots.request", s.request.place.plane, params.planes());
    }
    for (const std::uint32_t slot : state.in_register)
        if (slot != none) {
            l.index("in_register", slot, slots);
            l.index("in_register.group", state.slots[slot].group, groups);
        }
    // A read that waits for the bus belongs to an operation, or shares the sensing of a read that
    // does.
    const auto fetched = [&](std::string_view field, std::uint32_t slot) {
        l.index(field, slot, slots);
        l.index(field, state.slots[sensing_->first_of(slot)].group, groups);
    };
    for (const auto& ready : state.ready)
        for (std::uint32_t i = 0; i < ready.size(); ++i) fetched("ready", ready[i]);
    l.bits("to_ask", state.to_ask, params.packages());
    l.index("turn", state.turn, params.packages());
    if (state.on_bus != none) fetched("on_bus", state.on_bus);
    if (wire_.rate())
        l.index("remainder", static_cast<std::uint64_t>(state.remainder),
                static_cast<std::uint64_t>(wire_.rate()));
}

void Channel::waits_on(WaitReport& report) const {
    if (pending())
        report.add(path() + ": " + std::to_string(state.slots.size() - state.free_slots.size()) +
                   " requests wait for the bus or for an array");
}

std::optional<std::string> Channel::imbalance() const {
    if (pending())
        return std::to_string(state.slots.size() - state.free_slots.size()) +
               " requests were not answered";
    return {};
}

} // namespace memsim::flash
