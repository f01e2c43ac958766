#include "mem/read_ahead/cursor.hh"

namespace memsim::mem {

bool AheadCursor::reads(std::uint32_t array) {
    const std::uint32_t group = arrays_[array].group;
    const bool enters = group != state_.group;
    if (enters) enter(group);
    state_.uses[array].read = true;
    return enters;
}

void AheadCursor::missed(std::uint32_t array, std::uint64_t address) {
    const bool fetched = array == state_.array && address < share_.address(state_.within);
    if (!fetched) state_.uses[array].missed = true;
}

void AheadCursor::enter(std::uint32_t group) {
    const bool first = state_.group == AheadArrays::none;
    state_.group = group;
    for (std::uint32_t a = arrays_.first(group); a < arrays_.size() && arrays_[a].group == group;
         ++a)
        state_.uses[a] = {.before = state_.uses[a].read};
    if (first || !in_window(arrays_[state_.array].group)) go_to(arrays_.first(group));
}

std::optional<std::uint64_t> AheadCursor::line() {
    if (state_.group == AheadArrays::none) return {};
    for (;;) {
        const std::uint64_t address = share_.address(state_.within);
        if (!skips(state_.array) && address < arrays_[state_.array].end()) return address;
        if (!go_on()) return {};
    }
}

void AheadCursor::go_to(std::uint32_t array) {
    state_.array = array;
    state_.within = share_.from(arrays_[array].base, config_.chunk);
}

/// Moves to the next array if it is in the window.
bool AheadCursor::go_on() {
    const std::uint32_t next = state_.array + 1 == arrays_.size() ? 0 : state_.array + 1;
    const std::uint32_t group = arrays_[next].group;
    if (group != arrays_[state_.array].group && (group == state_.group || !in_window(group)))
        return false;
    go_to(next);
    return true;
}

bool AheadCursor::skips(std::uint32_t array) const {
    const ArrayUse& use = state_.uses[array];
    const bool present = arrays_[array].group == state_.group;
    if (present && use.missed) return true;
    return config_.predict == Predict::last && !(present ? use.before : use.read);
}

} // namespace memsim::mem
