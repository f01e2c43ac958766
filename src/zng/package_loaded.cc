#include "zng/package.hh"

/// What a package's State must hold for nothing to be looked up where nothing is.
namespace memsim::zng {

void Package::check_loaded(Loader& l) const {
    const std::size_t workers = state.workers.size(), reads = state.reads.size(),
                      senses = state.senses.size(), registers = state.registers.registers.size(),
                      ports = state.answers.size(), planes = state.net_free.size();
    const auto& g = params.geometry;
    const auto one_of = [&](std::string_view field, std::uint32_t number, std::size_t size) {
        if (number != none) l.index(field, number, size);
    };
    const auto place = [&](std::string_view field, const PageAddress& a) {
        l.index(field, a.plane, planes), l.index(field, a.page, g.pages());
        l.index(field, a.block, g.blocks()), l.index(field, a.log_block, g.blocks());
    };
    const auto request = [&](std::string_view field, const FlashPacket& p, std::uint8_t from) {
        l.index(field, p.at.die, g.dies()), l.index(field, p.at.plane, g.planes());
        place(field, address_of(p));
        l.index(field, p.line, page_lines), l.index(field, from, ports);
    };
    const auto operations = [&](std::string_view field, const Fifo<Op>& queue) {
        for (std::uint32_t i = 0; i < queue.size(); ++i) {
            request(field, queue[i].packet, queue[i].port);
            l.index(field, queue[i].packet.to.die, g.dies());
            l.index(field, queue[i].packet.to.plane, g.planes());
            l.index(field, queue[i].packet.to_block, g.blocks());
            l.index(field, queue[i].packet.to_log, g.blocks());
        }
    };
    for (const auto* bits : {&state.done, &state.ready})
        for (std::uint32_t w = 0; w < bits->size(); ++w)
            l.bits("ready", (*bits)[w], std::min<std::size_t>(64, workers - 64 * w));
    for (const Worker& w : state.workers) {
        l.indices("workers.senses", w.senses, senses);
        l.indices("workers.programs", w.programs, registers);
        operations("workers.erases", w.erases);
        if (w.stage == Stage::sensing || w.stage == Stage::sending)
            l.index("workers.sense", w.sense, senses);
        one_of("workers.reg", w.reg, registers);
        one_of("workers.from", w.from, planes), one_of("workers.helper", w.helper, workers);
        place("workers.address", w.address);
        l.index("workers.op", w.op.port, ports);
    }
    for (const Sense& s : state.senses) {
        place("senses.address", s.address);
        one_of("senses.first", s.first, reads), one_of("senses.last", s.last, reads);
    }
    for (const Read& r : state.reads) {
        one_of("reads.next", r.next, reads);
        request("reads.packet", r.packet, r.port);
    }
    state.sense_of.all([&](std::uint64_t, std::uint32_t s) {
        l.index("sense_of", s, senses);
        return true;
    });
    state.leaving.all([&](std::uint64_t, std::uint32_t w) {
        l.index("leaving", w, workers);
        return true;
    });
    for (const auto& queue : state.stalled) operations("stalled", queue);
    operations("moves", state.moves);
    for (const Register& r : state.registers.registers) {
        place("registers.address", r.address);
        one_of("registers.newer", r.newer, registers),
            one_of("registers.older", r.older, registers);
    }
    for (const RegisterPool& p : state.registers.pools) {
        one_of("registers.newest", p.written.newest, registers);
        one_of("registers.oldest", p.written.oldest, registers);
    }
    state.registers.of_page.all([&](std::uint64_t, std::uint32_t r) {
        l.index("registers.of_page", r, registers);
        return true;
    });
    for (const auto& queue : state.answers)
        for (std::uint32_t i = 0; i < queue.size(); ++i)
            one_of("answers.sense", queue[i].sense, senses);
}

} // namespace memsim::zng
