#include "xpoint/module.hh"

/// Auto-read/write: what the controller in the logic layer does with lines of DRAM that pass.
namespace memsim::xpoint {

/// Compares the tag; a place in the register has been kept by the memory controller.
void Module::snarf(const protocol::DdrtCommand& c) {
    ++stat.snarfs;
    if (!c.evicts()) return sim().contents().release(c.contents);
    ++stat.snarfed;
    protocol::DdrtCommand victim = c;
    victim.address = c.other;
    victim.write = victim.migration = true;
    state.snarfed.push(victim);
    MEMSIM_ASSERT(state.snarfed.size() * c.bytes <=
                      static_cast<std::uint64_t>(params.snarf_register->raw),
                  "the register of snarfed lines overflows");
    stat.in_register.set(now(), state.snarfed.size());
}

bool Module::in_register(std::uint64_t line) const {
    for (std::uint32_t i = 0; i < state.snarfed.size(); ++i)
        if (state.snarfed[i].address / line_bytes == line) return true;
    return false;
}

/// Into the write buffer, as far as it has room and no read of the line is under way.
void Module::empty_register() {
    while (!state.snarfed.empty() && accept_write(state.snarfed.front())) {
        ++stat.writes;
        stat.write_bytes += state.snarfed.front().payload();
        port.commands.send({state.snarfed.front().id, true});
        state.snarfed.pop();
        stat.in_register.set(now(), state.snarfed.size());
    }
}

} // namespace memsim::xpoint
