#include "core/kernel/former_state.hh"

namespace memsim {

namespace {
struct Known {
    std::string type, lines;
    detail::StateConversion convert;
};
std::vector<Known>& known() {
    static std::vector<Known> all;
    return all;
}
} // namespace

void detail::register_former_state(const std::string& type, const std::vector<StateInfo>& state,
                                   StateConversion convert) {
    known().push_back({type, state_lines(state), std::move(convert)});
}

std::string state_lines(const std::vector<StateInfo>& state) {
    std::string lines;
    for (const StateInfo& f : state) lines += "State " + f.name + " " + f.shape + "\n";
    return lines;
}

std::optional<std::string> upgraded_state(const Schema& type, const std::string& shape,
                                          std::string_view bytes, Tick now) {
    std::string others = type.shape.substr(state_lines(type.state).size());
    // Checkpoints with a former State are older than Elapsed statistics, which were counters then.
    for (std::size_t at; (at = others.find(" elapsed\n")) != others.npos;)
        others.replace(at, 9, " counter\n");
    for (const Known& k : known())
        if (k.type == type.name && k.lines + others == shape) return k.convert(bytes, now);
    return {};
}

} // namespace memsim
