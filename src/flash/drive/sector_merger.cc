#include "flash/drive/sector_merger.hh"

#include "core/base/bits.hh"
#include "core/kernel/registry.hh"
#include "device_parts/named.hh"
#include "device_parts/record_part.hh"

#include <algorithm>

namespace memsim::flash {

using protocol::block_sector_bytes;
using protocol::block_sector_pieces;
using protocol::BlockOp;
using protocol::BlockRequest;
using protocol::BlockResponse;

static const Registration<SectorMerger> sector_merger {
    "Merges writes smaller than a drive's sector with the rest of the sector."};

void SectorMerger::init() {
    ratio_ = block_sector_bytes / block_bytes();
    pieces_ = block_sector_pieces / ratio_;
    blocks_ = static_cast<std::uint32_t>(params.group->raw) / block_bytes();
    if (blocks_ > 64)
        refuse("group", params.group.text() + " is " + std::to_string(blocks_) + " blocks of " +
                            params.block.text() + ": at most 64");
    state.jobs.resize(params.jobs());
    for (std::uint32_t i = params.jobs(); i-- > 0;) state.free.push_back(i);
    if (const std::uint32_t behind = protocol::block_bytes_behind(port.drive);
        behind != block_sector_bytes)
        refuse("drive", port.drive.neighbour_path() + " uses blocks of " + std::to_string(behind) +
                            "B: connect it without a merger");
}

void SectorMerger::wake() {
    auto& in = port.requests;
    while (!port.drive.empty()) answered(port.drive.pop());
    for (bool more = true; more;) {
        while (!in.empty() && !state.free.empty() && take(in.front())) in.pop();
        more = send();
        more |= answer();
    }
}

/// Returns true if that has freed space.
bool SectorMerger::answer() {
    bool any = false;
    for (; !state.done.empty() && port.requests.can_send(); any = true) {
        const std::uint32_t j = state.done.pop();
        Job& job = state.jobs[j];
        const BlockRequest& r = job.request;
        if (r.op != BlockOp::flush) ++(r.op == BlockOp::read ? stat.reads : stat.writes);
        port.requests.send({r.sectors, std::exchange(job.contents, {}), r.tag, r.op});
        job.kind = Kind::none;
        state.free.push_back(j);
    }
    return any;
}

/// Returns false if the request must wait.
bool SectorMerger::take(const BlockRequest& r) {
    if (r.op == BlockOp::trim) refuse("block", "accepts reads, writes and flushes, not trims");
    if (r.op == BlockOp::write) return take_write(r);
    if (r.op == BlockOp::flush && state.merging.size()) return false; // a write is not complete
    state.to_drive.push(create(Kind::pass, r));
    return true;
}

bool SectorMerger::take_write(const BlockRequest& r) {
    const std::uint64_t group = group_of(r);
    if (r.sectors == 0 || r.sector % blocks_ + r.sectors > blocks_)
        refuse("block", "a write of " + std::to_string(r.sectors) + " blocks from block " +
                            std::to_string(r.sector) + " does not lie within one group of " +
                            params.group.text());
    const std::uint32_t* known = state.merging.find(group);
    const bool writes = known && state.jobs[*known].kind == Kind::write; // it is being written
    if (writes) known = state.behind.find(group);
    const std::uint32_t first = known ? *known : create(Kind::read_rest, r);
    if (known) {
        const std::uint32_t j = create(Kind::pass, r);
        state.jobs[j].next = std::exchange(state.jobs[first].next, j);
        state.jobs[j].request.contents = {};
        ++stat.joined;
    }
    state.jobs[first].request.contents = {};
    add(state.jobs[first], r);
    if (known) return true;
    if (writes) {
        state.behind[group] = first;
        ++stat.waits;
    } else
        begin_merge(first);
    return true;
}

void SectorMerger::begin_merge(std::uint32_t j) {
    state.merging[group_of(state.jobs[j].request)] = j;
    state.to_drive.push(j);
}

std::uint32_t SectorMerger::create(Kind kind, const BlockRequest& r) {
    const std::uint32_t j = state.free.back();
    state.free.pop_back();
    state.jobs[j] = {kind, r, 0, none, {}};
    return j;
}

/// Adds the blocks of a write to its group.
void SectorMerger::add(Job& merge, const BlockRequest& r) {
    const auto block = static_cast<std::uint32_t>(r.sector % blocks_);
    merge.blocks |= low_bits(r.sectors) << block;
    Contents& contents = sim().contents();
    if (!contents.enabled()) return;
    if (!merge.contents) merge.contents = contents.create();
    const std::uint32_t first = block * pieces_;
    auto& pieces = contents[merge.contents].pieces;
    std::erase_if(pieces, [&](const Contents::Piece& p) {
        return p.sector >= first && p.sector < first + r.sectors * pieces_;
    });
    device_parts::add_part(contents, merge.contents, first, r.contents);
}

bool SectorMerger::send() {
    bool any = false;
    for (; !state.to_drive.empty() && port.drive.can_send(); any = true) {
        const std::uint32_t j = state.to_drive.pop();
        Job& job = state.jobs[j];
        if (job.kind == Kind::read_rest && job.blocks == low_bits(blocks_)) job.kind = Kind::write;
        BlockRequest r = job.request;
        const std::uint32_t unit = job.kind == Kind::pass ? ratio_ : blocks_; // to round to
        const std::uint64_t first = r.sector / unit, end = (r.sector + r.sectors + unit - 1) / unit;
        r.sector = first * (unit / ratio_);
        r.sectors = (end - first) * (unit / ratio_);
        r.tag = j;
        r.contents = {};
        if (job.kind == Kind::read_rest) r.op = BlockOp::read, ++stat.merge_reads;
        if (job.kind == Kind::write) {
            if (job.contents) device_parts::sort_parts(sim().contents(), job.contents);
            r.contents = std::exchange(job.contents, {});
        }
        if (r.op != BlockOp::flush) stat.drive_bytes += r.sectors * block_sector_bytes;
        port.drive.send(r);
    }
    return any;
}

void SectorMerger::answered(const BlockResponse& r) {
    Job& job = device_parts::named(state.jobs, r.tag);
    switch (job.kind) {
    case Kind::pass:
        if (r.op == BlockOp::read) job.contents = cut(job, r.contents);
        state.done.push(r.tag);
        break;
    case Kind::read_rest:
        fill(job, r.contents);
        job.kind = Kind::write;
        state.to_drive.push(r.tag);
        break;
    case Kind::write: {
        const std::uint64_t group = group_of(job.request);
        state.merging.erase(group);
        std::size_t left = state.jobs.size(); // a damaged list may be endless
        for (std::uint32_t j = r.tag; j != none; j = state.jobs[j].next, --left) {
            MEMSIM_ASSERT(left, "more writes are merged than exist");
            state.done.push(j);
        }
        if (const std::uint32_t* const next = state.behind.find(group)) {
            begin_merge(*next);
            state.behind.erase(group);
        }
        break;
    }
    case Kind::none:
        MEMSIM_ASSERT(false, "a drive answers a request that was not sent");
    }
}

/// Fills the group with the drive's contents, except where newer bytes exist.
void SectorMerger::fill(Job& merge, Contents::Id found) {
    if (!found) return;
    Contents& contents = sim().contents();
    for (const Contents::Piece& p : contents[found].pieces) {
        if (merge.blocks >> p.sector / pieces_ & 1) continue;
        auto& pieces = contents[merge.contents].pieces;
        const auto known = std::find_if(pieces.begin(), pieces.end(),
                                        [&](const auto& k) { return k.sector == p.sector; });
        if (known != pieces.end())
            known->data.fill(p.data);
        else
            pieces.push_back(p);
    }
    contents.release(found);
}

/// Extracts the blocks of a read from the sectors that contain them.
Contents::Id SectorMerger::cut(const Job& job, Contents::Id found) {
    if (!found) return {};
    Contents& contents = sim().contents();
    const BlockRequest& r = job.request;
    const Contents::Id part = device_parts::part_of(
        contents, found, static_cast<std::uint32_t>(r.sector % ratio_) * pieces_,
        static_cast<std::uint32_t>(r.sectors) * pieces_);
    contents.release(found);
    return part;
}

/// Accesses the drive and, if the group is being merged, the blocks to be written, so that a write
/// is not lost.
void SectorMerger::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t size = std::uint64_t {blocks_} * block_bytes();
    for (const auto* jobs : {&state.merging, &state.behind}) {
        const std::uint32_t* const j = jobs->find(access.address / size);
        if (!access.write || !j || !state.jobs[*j].contents) continue;
        auto& pieces = sim().contents()[state.jobs[*j].contents].pieces;
        const auto piece = static_cast<std::uint32_t>(access.address % size / SectorBytes::size);
        const auto known = std::find_if(pieces.begin(), pieces.end(),
                                        [&](const auto& p) { return p.sector == piece; });
        if (known != pieces.end())
            known->data.merge(access.data, false);
        else
            pieces.push_back({piece, access.data});
    }
    look_through(port.drive, access);
}

void SectorMerger::check_loaded(Loader& l) const {
    const std::size_t n = state.jobs.size();
    for (const Job& job : state.jobs)
        if (job.next != none) l.index("jobs.next", job.next, n);
    l.indices("to_drive", state.to_drive, n);
    l.indices("done", state.done, n);
    for (const auto* jobs : {&state.merging, &state.behind})
        jobs->all([&](std::uint64_t, std::uint32_t j) {
            l.index("merging", j, n);
            return true;
        });
}

void SectorMerger::waits_on(WaitReport& report) const {
    if (pending())
        report.add(path() + ": " + std::to_string(state.jobs.size() - state.free.size()) +
                   " requests wait for " + port.drive.neighbour_path());
}

std::optional<std::string> SectorMerger::imbalance() const {
    if (pending()) return "requests were not answered";
    if (state.merging.size() || state.behind.size()) return "groups were not completely written";
    return {};
}

} // namespace memsim::flash
