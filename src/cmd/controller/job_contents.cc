#include "cmd/controller/job_contents.hh"

#include "core/base/bits.hh"

namespace memsim::cmd {

void JobContents::take_write(std::uint32_t id) {
    Job& j = jobs_[id];
    protocol::MemRequest& r = j.request;
    MEMSIM_ASSERT(r.contents, "a write carries contents");
    for (const Contents::Piece& p : contents_[r.contents].pieces)
        jobs_.data(id).own[sector_in_block(r.address / SectorBytes::size + p.sector)] = p.data;
    j.moves = contents_[r.contents].moves;
    contents_.release(r.contents);
    r.contents = {};
}

void JobContents::merge(std::uint32_t id) {
    const Job& j = jobs_[id];
    const std::uint64_t first = map_.address(j.block) / SectorBytes::size;
    for_each_bit(j.sectors, [&](std::uint32_t s) {
        if (order_.merge(first + s, jobs_.data(id).own[s], j.moves)) contents_.count_overtaken();
    });
}

void JobContents::receive(std::uint32_t id, const protocol::MemResponse& r) {
    const Job& j = jobs_[id];
    JobData& data = jobs_.data(id);
    Sectors& to = j.step == Step::verified || j.coded ? data.other : data.own;
    for (const Contents::Piece& p : contents_[r.contents].pieces)
        to[sector_in_block(r.address / SectorBytes::size + p.sector)].fill(p.data);
    contents_.release(r.contents);
}

void JobContents::fill_answer(std::uint32_t id, protocol::MemResponse& answer) const {
    answer.contents = contents_.create();
    for_each_sector(jobs_[id].request, [&](std::uint64_t sector, std::uint32_t offset) {
        SectorBytes held = jobs_.data(id).own[sector_in_block(sector)];
        held.order = order_.last(sector).order; // 0 if nothing was stored
        contents_[answer.contents].pieces.push_back({offset, held});
    });
}

} // namespace memsim::cmd
