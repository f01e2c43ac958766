#include "next_line.hh"

#include "core/kernel/registry.hh"

namespace memsim::test {

static const Registration<NextLine> registered {"Prefetches the line after each missing line."};

void NextLine::wake() {
    while (!port.events.empty()) {
        const protocol::CacheEvent e = port.events.pop();
        if (e.kind != protocol::CacheEventKind::read_miss) continue;
        const auto line = static_cast<std::uint64_t>(params.line->raw);
        protocol::MemRequest hint =
            protocol::hint((e.address & ~(line - 1)) + line, static_cast<std::uint32_t>(line));
        hint.application = e.application;
        ++(port.hints.offer(hint) ? stat.hints : stat.hints_dropped);
    }
}

} // namespace memsim::test
