#include "mem/read_ahead/cursor.hh"

#include <utility>

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
    if (routed() && !first) leave(state_.group, group);
    state_.group = group;
    for (std::uint32_t a = arrays_.first(group); a < arrays_.size() && arrays_[a].group == group;
         ++a) {
        ArrayUse& use = state_.uses[a];
        use = {.before = use.read, .signalled = use.signalled, .next = use.next};
    }
    if (first || !in_window(arrays_[state_.array].group)) go_to(arrays_.first(group));
}

/// The program has passed the groups from `from` to before `to`. Those after `from` were not read.
void AheadCursor::leave(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t groups = arrays_.distance(from, to);
    for (std::uint32_t a = 0; a < arrays_.size(); ++a) {
        const std::uint32_t group = arrays_[a].group;
        if (arrays_.distance(from, group) >= groups) continue;
        ArrayUse& use = state_.uses[a];
        const bool here = share_.address(first_of(a)) < arrays_[a].end(); // the channel has lines
        if (here && arrays_[a].signal != AheadArray::no_signal) {
            const bool read = group == from && use.read;
            state_.signalled.used += use.signalled && read;
            state_.signalled.unused += use.signalled && !read;
            state_.signalled.missed += !use.signalled && read;
        }
        use.signalled = std::exchange(use.again, false);
        use.next = 0;
    }
}

void AheadCursor::signals(std::uint32_t signal) {
    arrays_.each_with(signal, [this](std::uint32_t array) {
        ArrayUse& use = state_.uses[array];
        const bool present = arrays_[array].group == state_.group;
        (present ? use.again : use.signalled) = true;
        if (present || state_.group == AheadArrays::none) return;
        if (order(array) < order(state_.array)) go_to(array);
    });
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
    const std::uint64_t next = routed() ? state_.uses[array].next : 0;
    state_.within = next ? next : first_of(array);
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
    if (config_.predict == Predict::all) return false;
    if (routed() && arrays_[array].signal != AheadArray::no_signal) return !use.signalled;
    return !(present ? use.before : use.read);
}

} // namespace memsim::mem
