#include "mem/dram/contents.hh"

namespace memsim::mem {

using protocol::Command;

void DramContents::accept(std::uint32_t request, Contents::Id written) {
    const DramRequest& r = requests_[request];
    Contents::Id& data = state_.data[request] = written;
    if (r.command != Command::read) {
        if (data) state_.writes.push(request);
        return;
    }
    data = state_.cells.read(contents_, r);
    for (Contents::Piece& p : contents_[data].pieces)
        for_each_waiting(r.address / SectorBytes::size + p.sector,
                         [&](const SectorBytes& newer, bool moves) { p.data.merge(newer, moves); });
}

void DramContents::complete(std::uint32_t request) {
    const DramRequest& r = requests_[request];
    Contents::Id& data = state_.data[request];
    if (r.command == Command::read || !data) return;
    const std::uint64_t first = r.address / SectorBytes::size;
    state_.cells.write(contents_, first, std::exchange(data, {}));
    for (std::uint32_t i = 0; i < state_.writes.size(); ++i)
        if (state_.writes[i] == request) return state_.writes.erase(i);
}

/// Calls f(data, moves) with the bytes of a sector in each accepted write that still waits. These
/// are newer than the cells.
template <class F>
void DramContents::for_each_waiting(std::uint64_t sector, F&& f) {
    for (std::uint32_t i = 0; i < state_.writes.size(); ++i) {
        const DramRequest& w = requests_[state_.writes[i]];
        Contents::Record& record = contents_[state_.data[state_.writes[i]]];
        for (Contents::Piece& p : record.pieces)
            if (w.address / SectorBytes::size + p.sector == sector) f(p.data, record.moves);
    }
}

void DramContents::functional(FunctionalAccess& access) {
    const std::uint64_t sector = access.address / SectorBytes::size;
    if (!access.write) {
        SectorBytes newest;
        state_.cells.read(sector, newest);
        for_each_waiting(sector,
                         [&](const SectorBytes& newer, bool moves) { newest.merge(newer, moves); });
        access.data.fill(newest);
        return;
    }
    state_.cells.functional(access);
    const auto overwrite = [&](SectorBytes& data) {
        data.take(access.data, data.known & access.data.known);
    };
    // Otherwise a waiting write would overwrite it, and a read would return older bytes.
    for_each_waiting(sector, [&](SectorBytes& data, bool) { overwrite(data); });
    for (std::uint32_t i = 0; i < state_.data.size(); ++i) {
        const DramRequest& r = requests_[i];
        if (!state_.data[i] || r.command != Command::read) continue;
        for (Contents::Piece& p : contents_[state_.data[i]].pieces)
            if (r.address / SectorBytes::size + p.sector == sector) overwrite(p.data);
    }
}

} // namespace memsim::mem
