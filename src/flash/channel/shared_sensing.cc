#include "flash/channel/shared_sensing.hh"

namespace memsim::flash {

bool SharedSensing::join(std::uint32_t slot, std::uint32_t first) {
    reads_[slot] = {};
    reads_[slot].first = first;
    ++reads_[first].sharing;
    if (reads_[first].sensed) return true;
    std::uint32_t last = first;
    while (reads_[last].next != SensedRead::none) last = reads_[last].next;
    reads_[last].next = slot;
    return false;
}

SharedSensing::Answer SharedSensing::answer(std::uint32_t slot) {
    SensedRead& first = reads_[first_of(slot)];
    MEMSIM_ASSERT(first.sharing > 0, "a read is answered twice");
    if (--first.sharing == 0) return {std::exchange(first.page, {}), true};
    Contents::Id copy;
    if (first.page) {
        copy = records_.create();
        records_[copy].pieces = records_[first.page].pieces;
    }
    return {copy, false};
}

void SharedSensing::check_loaded(Loader& l) const {
    const std::size_t slots = reads_.size();
    for (const SensedRead& r : reads_) {
        if (r.first != SensedRead::none) l.index("sensing.first", r.first, slots);
        std::size_t left = slots;
        for (std::uint32_t at = r.next; at != SensedRead::none && left; --left) {
            l.index("sensing.next", at, slots);
            at = reads_[at].next;
        }
        l.within("sensing.next", [&] { l.check(left != 0, "has no end"); });
    }
}

} // namespace memsim::flash
