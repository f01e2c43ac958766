#include "ohm/two_level/line_demand.hh"

namespace memsim::ohm {

using protocol::Stage;

void LineDemand::ready(std::uint32_t module, std::uint32_t id, Tick now) {
    sim_.stamps().mark(table_[id].r.stamps, Stage::xpoint, now);
    state_.ready.push({module, id, now});
}

void LineDemand::read_line(std::uint32_t id, Tick now) {
    const LineRequest& q = table_[id];
    sim_.stamps().mark(q.r.stamps, Stage::queue, now);
    mem::DramAccess a = channel_.dram_access(lines_.address(q.set), line_bytes());
    a.context = id;
    channel_.enqueue(a, false, now);
}

/// Returns false if another part of the request is to be written: a line from a reverse-write is
/// written first, and then the data that the request writes.
bool LineDemand::write_line(std::uint32_t id, Tick now) {
    LineRequest& q = table_[id];
    const bool reverse = in_register_ && q.fetched && !q.filled;
    const bool write = q.is_write() && !reverse;
    // If the line is already in place, only the request's data is written.
    const bool part = write && (!q.fetched || q.filled) && !q.writes_whole(map_.line_bytes);
    const std::uint64_t offset = part ? q.r.address % map_.line_bytes : 0;
    mem::DramAccess a =
        channel_.dram_access(lines_.address(q.set) + offset, part ? q.r.bytes : line_bytes());
    a.context = id | (write ? write_mark : fill_mark);
    a.write = true;
    if (!write) a.priority = mem::DramPriority::migration, a.wires = fills_;
    if (reverse) a.wires = mem::DramWires::none;
    lines_.fill(q.set, std::exchange(q.line, {}));
    if (write) lines_.write(q.set, q.r.address, std::exchange(q.r.contents, {}));
    channel_.enqueue(a, !write, now);
    q.filled = true;
    return !(reverse && q.is_write());
}

std::uint32_t LineDemand::fetch_lines(std::uint32_t m) {
    std::uint32_t sent = 0;
    auto& reads = state_.reads[m];
    for (; !reads.empty() && modules_.quiet(m) && modules_.can_send(m); ++sent) {
        protocol::DdrtCommand c;
        c.id = reads.pop();
        c.address = map_.module_address(table_[c.id].local);
        c.bytes = line_bytes();
        modules_.send(m, c);
    }
    return sent;
}

bool LineDemand::grant_ready(Tick now) {
    return state_.ready.grant(
        modules_, [&](const ReadyRead&) { return channel_.free_at() <= now + channel_.lead(); },
        [&](const ReadyRead& r) { modules_.grant(r.module, r.id, line_bytes(), false, now); });
}

void LineDemand::check_loaded(Loader& l) const {
    table_.check_all(l, "tag_reads", state_.tag_reads);
    table_.check_all(l, "writes", state_.writes);
    for (const auto& reads : state_.reads) table_.check_all(l, "reads", reads);
    for (std::uint32_t i = 0; i < state_.ready.size(); ++i) {
        table_.check(l, "ready", state_.ready[i].id);
        l.index("ready.module", state_.ready[i].module, modules_.modules());
    }
    for (const LineRequest& q : state_.requests) {
        l.index("requests.module", q.module, modules_.modules());
        l.index("requests.set", q.set, map_.sets);
    }
}

} // namespace memsim::ohm
