#include "flash/package.hh"

#include "core/registry.hh"

namespace memsim::flash {

static const Registration<Package> registered {
    "A NAND flash package: dies, planes, registers; in-order programming, erase before write."};

void Package::init() {
    try {
        timing_ = with_changes(timing_of(params.media()), params.timing_changes());
        check(timing_);
    } catch (const ConfigError& e) {
        refuse("timing_changes", e.what());
    }
    const std::uint64_t planes = std::uint64_t {params.dies()} * params.planes();
    if (planes > 256)
        refuse("planes", "there are " + std::to_string(planes) +
                             " planes in the package: dies x planes is at most 256");
    array_.emplace(
        NandArray::Figures {static_cast<std::uint32_t>(planes), params.blocks(), params.pages()},
        state.array);
    state.units.resize(params.independent_planes() ? planes : params.dies());
    state.registers.assign(planes, 0);
}

void Package::wake() {
    for (Worker& u : state.units)
        if (u.busy && !u.done.armed()) finish(u);
    for (unsigned i = 0; i < port.io.size(); ++i)
        while (!port.io[i].empty()) accept(port.io[i].pop(), i);
    for (Worker& u : state.units)
        if (!u.busy && u.works.size() > u.open) begin(u);
}

void Package::accept(const protocol::NandCommand& c, unsigned from_port) {
    MEMSIM_ASSERT(c.place.die < params.dies() && c.place.plane < params.planes() &&
                      c.place.page < params.pages() && c.reg < params.registers(),
                  "a command names no place of its package");
    Worker& u = unit_of(c.place);
    std::uint64_t& used = state.registers[plane_of(c.place)];
    if (c.op != FlashOp::erase) {
        MEMSIM_ASSERT(!(used >> c.reg & 1), "a register is given to the array twice");
        used |= 1ull << c.reg;
    }
    if (!c.more && (u.busy || u.works.size() > u.open)) ++stat.cached;
    u.works.push({c, static_cast<std::uint8_t>(from_port)});
    u.open = c.more ? u.open + 1 : 0;
    ++state.working;
    MEMSIM_ASSERT(!c.more || !params.independent_planes(),
                  "planes that work without each other take no multi-plane commands");
}

void Package::begin(Worker& u) {
    const FlashOp op = u.works.front().command.op;
    Time t {0};
    do {
        const protocol::NandCommand& c = u.works[u.busy].command;
        MEMSIM_ASSERT(c.op == op && (op == FlashOp::erase ||
                                     c.place.page == u.works.front().command.place.page),
                      "the planes of one operation do the same, on the same page");
        const std::uint32_t plane = plane_of(c.place);
        if (c.written_before) array_->written_before(plane, c.place.block, c.written_before);
        t = op == FlashOp::read      ? timing_.read(c.place.page)
            : op == FlashOp::program ? timing_.program(c.place.page)
                                     : timing_.tBERS;
        ++(op == FlashOp::read      ? stat.senses
           : op == FlashOp::program ? stat.programs
                                    : stat.erases);
        (op == FlashOp::read      ? stat.sense_time
         : op == FlashOp::program ? stat.program_time
                                  : stat.erase_time) += t;
        // Cells change when the work begins: nothing else may touch them until it is done.
        if (op == FlashOp::program)
            array_->program(plane, c.place.block, c.place.page,
                            params.check_contents() ? c.content : 0);
        else if (op == FlashOp::erase)
            array_->erase(plane, c.place.block);
    } while (u.works[u.busy++].command.more);
    ++stat.operations;
    if (array_->touched() != state.touched) {
        state.touched = static_cast<std::uint32_t>(array_->touched());
        stat.touched_blocks.set(now(), state.touched);
    }
    if (op == FlashOp::erase) stat.most_erases.set(now(), state.array.most_erases);
    arm(u.done, t);
}

void Package::finish(Worker& u) {
    for (; u.busy; --u.busy) {
        const Work w = u.works.pop();
        const protocol::NandCommand& c = w.command;
        const std::uint32_t plane = plane_of(c.place);
        const std::uint64_t content =
            c.op == FlashOp::read ? array_->read(plane, c.place.block, c.place.page) : 0;
        if (c.op != FlashOp::erase) state.registers[plane] &= ~(1ull << c.reg);
        port.io[w.port].send({content, c.place.die, c.place.plane, c.reg, c.op});
        --state.working;
    }
}

void Package::waits_on(WaitReport& report) const {
    if (state.working)
        report.add(path() + ": " + std::to_string(state.working) + " operations are under way");
    for (const Worker& u : state.units)
        if (u.open) report.add(path() + ": a multi-plane command waits for its last plane");
}

std::optional<std::string> Package::imbalance() const {
    if (state.working) return std::to_string(state.working) + " operations were not answered";
    return {};
}

} // namespace memsim::flash
