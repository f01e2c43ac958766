#include "core/kernel/contents.hh"

namespace memsim {

Contents::Id Contents::create() {
    const Id id = records_.reuse();
    records_[id].pieces.clear();
    records_[id].raw.clear();
    records_[id].moves = false;
    return id;
}

void Contents::destroy(Id id) { records_.destroy(id); }

void Contents::leave_out(std::uint64_t sector, std::uint32_t bytes) { left_out_[sector] |= bytes; }

std::uint32_t Contents::left_out(std::uint64_t sector) const {
    const std::uint32_t* bytes = left_out_.find(sector);
    return bytes ? *bytes : 0;
}

} // namespace memsim
