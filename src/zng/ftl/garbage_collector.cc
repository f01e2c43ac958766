#include "zng/ftl/garbage_collector.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"
#include "zng/ftl/data_ranges.hh"

#include <algorithm>

namespace memsim::zng {

using protocol::PageOrderKind;

static const Registration<GarbageCollector> garbage_collector {
    "ZnG's helper thread: merges log blocks, levels wear, keeps the block mapping tables."};
static const DebugFlag collect_flag {"Collect", "Merges of log blocks and holds of applications"};

namespace {
constexpr std::uint32_t not_awaited =
    1u << 16; ///< tag of page orders; smaller values are applications
} // namespace

void GarbageCollector::init() {
    flash_ = params.geometry.flash(path());
    const PackageGeometry& package = params.geometry.package;
    const auto& pages = port.mmu.interface<const protocol::HasPages>();
    const std::string& mmu = port.mmu.neighbour_path();
    if (pages.page_bytes() != flash_.block_bytes())
        refuse("mmu", "a block of " + std::to_string(flash_.block_bytes()) +
                          "B must be the page of " + mmu);
    MergeBlocks::Config config {flash_, package.data_blocks(), package.log_ratio(), {}};
    try {
        ranges_ = data_ranges(params.footprints(), params.applications(), config, pages, mmu);
    } catch (const ConfigError& e) {
        refuse("footprints", e.what());
    }
    config.ranges = ranges_;
    MergeBlocksState& blocks = state.blocks;
    blocks.logs = params.geometry.log_blocks(path(), 1);
    blocks.free = FreeBlocks(flash_, package.data_blocks() + blocks.logs.logs_of_group());
    blocks.group_moves.assign(flash_.groups(), 0);
    for (unsigned i = 0; i < port.collect.size(); ++i)
        if (const auto* controller = port.collect[i].find_interface<const HasNetworkGeometry>())
            check_same_geometry(path(), params.geometry, port.collect[i].neighbour_path(),
                                controller->network_geometry());
    blocks_.emplace(config, blocks);
    merges_.emplace(flash_.mapped_pages(), params.step(), state.merges);
    state.package_moves.assign(params.geometry.packages(), 0);
    state.applications.resize(params.applications());
    requests_.emplace(flash_,
                      CollectRequests::Limits {params.ahead(), params.moves(), package.log_ratio(),
                                               params.controllers()},
                      state.merges, state.package_moves, state.extensions);
    held_.emplace(params.caches(), state.applications);
    state.flushes.resize(params.caches());
}

/// At the start. They follow the data blocks of all groups, which have the lowest addresses.
std::vector<MemoryUse> GarbageCollector::memory_uses() const {
    const std::uint32_t first = flash_.in_group(0, params.geometry.package.data_blocks());
    return {{"its log blocks and the blocks to merge into", flash_.address(first),
             (flash_.all_blocks() - first) * flash_.block_bytes()}};
}

void GarbageCollector::start() {
    std::uint64_t entries = 0;
    for (const BlockRange& r : ranges_) entries += r.blocks;
    stat.table_entries.set(now(), entries);
    stat.table_bytes.set(now(), (entries * params.table_entry_bits() + 7) / 8);
}

void GarbageCollector::wake() {
    // The order lets one step enable the next, so that nothing is left for the next wake.
    take_answers();
    take_lows();
    requests_->send_extensions(port.collect);
    advance_merges();
    run_helper();
    resume_applications();
    send_orders();
}

// ---- inputs ----------------------------------------------------------------------------------

void GarbageCollector::take_answers() {
    while (!port.mmu.empty()) {
        const std::uint32_t tag = port.mmu.pop().tag;
        if (tag == not_awaited) continue;
        device_parts::named(state.applications, tag);
        stat.drain_time.sample(held_->drained(tag, now()));
        for (auto& f : state.flushes) f.push(static_cast<std::uint16_t>(tag));
    }
    for (unsigned i = 0; i < port.flush.size(); ++i)
        while (!port.flush[i].empty()) {
            const std::uint32_t tag = port.flush[i].pop().tag;
            const HeldApplication& a = device_parts::named(state.applications, tag);
            if (held_->flushed(tag)) stat.flush_time.sample(Time {now() - a.drained});
        }
    for (unsigned c = 0; c < port.collect.size(); ++c)
        while (!port.collect[c].empty()) {
            const CollectResponse r = port.collect[c].pop();
            if (r.op == CollectOp::extend) continue;
            if (r.op == CollectOp::move) {
                ++stat.moved_pages;
                if (const DataMove* const move = requests_->moved(r))
                    blocks_->arrived(move->blocks.to_log);
            } else if (++stat.erases; requests_->erased(r))
                end_merge(requests_->merge_of(r.tag));
        }
    if (!merges_->stepping()) return;
    if (!port.helper) {
        if (state.step_until <= now()) merges_->step_done();
        return;
    }
    while (!port.helper->empty()) {
        port.helper->pop();
        merges_->step_done();
    }
}

void GarbageCollector::take_lows() {
    for (std::size_t i = 0; i < state.waiting.size();)
        if (begin_merge(state.waiting[i]))
            state.waiting.erase(state.waiting.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    for (unsigned c = 0; c < port.log_low.size(); ++c)
        while (!port.log_low[c].empty()) {
            const LogLow low = port.log_low[c].pop();
            const std::uint32_t log = low.log;
            if (is_known(low)) continue;
            ++stat.log_lows;
            if (params.when() == CollectWhen::used_up && extend(log)) continue;
            blocks_->close(blocks_->served_by(log), log);
            if (!begin_merge(log)) state.waiting.push_back(log);
        }
}

/// Whether a report is a repetition: each plane of a log block reports it, and another plane's
/// report is being handled.
bool GarbageCollector::is_known(const LogLow& low) const {
    return low.blocks < blocks_->all_of(low.log).size() || merges_->merges(low.log) ||
           std::ranges::count(state.waiting, low.log);
}

/// Returns false if its planes have no erased block to spare.
bool GarbageCollector::extend(std::uint32_t log) {
    const std::optional<std::uint32_t> to = blocks_->extend(log);
    if (!to) return false;
    ++stat.extensions;
    requests_->extend(log, *to);
    return true;
}

/// Returns false if the merge must wait: data blocks of this log block are being moved, or blocks
/// to merge into are being erased.
bool GarbageCollector::begin_merge(std::uint32_t log) {
    if (blocks_->awaits_data(log)) return false;
    const Served served = blocks_->served_by(log);
    MEMSIM_ASSERT(!served.blocks.empty(), "a log block that serves no data block is low");
    if (!has_room(served, log)) return false;
    Merge& m = merges_->begin(blocks_->all_of(log), served.application, now());
    stat.merging.set(now(), state.merges.active.size());
    blocks_->leave(log, served.blocks.size());
    for (const std::uint32_t data : served.blocks) {
        bool opened = false;
        m.moves.push_back({blocks_->choose(data, served.application, opened), 0, 0, 0});
        stat.log_blocks += opened;
    }
    m.left = static_cast<std::uint32_t>(m.moves.size());
    debug(collect_flag, "merges log block ", m.log, " with ", m.moves.size(), " data blocks");
    if (held_->begin_merge(m.application, now())) {
        stat.held_time[m.application].begin(now());
        ++stat.holds;
        debug(collect_flag, "holds application ", m.application);
        state.orders.push({PageOrderKind::hold, m.application, m.application});
    }
    return true;
}

/// Throws ConfigError if room can never become available.
bool GarbageCollector::has_room(const Served& served, std::uint32_t log) const {
    const std::uint32_t group = flash_.group_of(log);
    if (blocks_->has_room(group, served.application, served.blocks.size())) return true;
    if (merges_->any_erasing(
            [&](const Merge& m) { return flash_.reaches(group, flash_.group_of(m.log)); }))
        return false;
    throw ConfigError(
        path() + ".data_blocks: the flash is full: no plane of " +
        (params.geometry.across() ? "the packages"
                                  : "package " + std::to_string(flash_.package_of(log))) +
        " has an erased block left to merge into: over-provision more (reduce data_blocks)");
}

// ---- held applications -----------------------------------------------------------------------

void GarbageCollector::resume_applications() {
    for (std::size_t i = 0; i < held_->size(); ++i) {
        if (!held_->resumes(i)) continue;
        stat.held_time[i].end(state.applications[i].since, now());
        debug(collect_flag, "resumes application ", i);
        state.orders.push({PageOrderKind::resume, static_cast<std::uint16_t>(i), not_awaited});
    }
}

void GarbageCollector::send_orders() {
    while (!state.orders.empty() && port.mmu.can_send()) port.mmu.send(state.orders.pop());
    for (unsigned i = 0; i < port.flush.size(); ++i)
        while (!state.flushes[i].empty() && port.flush[i].can_send()) {
            protocol::MemRequest r;
            r.command = protocol::Command::flush;
            r.application = state.flushes[i].pop();
            r.tag = r.application;
            port.flush[i].send(r);
        }
}

// ---- moves and erases ------------------------------------------------------------------------

void GarbageCollector::advance_merges() {
    requests_->send_moves(port.collect);
    std::uint64_t late = 0; // applications with an earlier merge that is not complete
    for (const std::uint32_t i : state.merges.active) {
        Merge& m = state.merges.merges[i];
        const std::uint64_t bit = std::uint64_t {1} << m.application;
        if (m.phase == MergePhase::moving && (m.left || !held_->quiet(m.application))) late |= bit;
        if (m.phase == MergePhase::moving && !(late & bit)) update_tables(m);
        if (m.phase == MergePhase::erasing) requests_->send_erases(i, port.collect);
    }
}

/// Names the new blocks in the tables. Requires that the application is idle and that its earlier
/// merges, which may have moved these blocks, are complete.
void GarbageCollector::update_tables(Merge& m) {
    for (const DataMove& move : m.moves) {
        state.orders.push({PageOrderKind::map, m.application, not_awaited,
                           move.blocks.logical - ranges_[m.application].first, 1, move.blocks.to});
        blocks_->moved(move.blocks);
    }
    blocks_->merged(m.log);
    held_->mapped(m.application); // the application need not wait for the erases
    m.phase = MergePhase::erasing;
    m.left = static_cast<std::uint32_t>(m.moves.size() + m.logs.size()) * flash_.span;
}

void GarbageCollector::end_merge(std::uint32_t merge) {
    const Merge& m = state.merges.merges[merge];
    for (const std::uint32_t log : m.logs) blocks_->erased(log);
    for (const DataMove& move : m.moves) blocks_->erased(move.blocks.from);
    stat.most_erases.set(now(), state.blocks.free.most());
    stat.erased_blocks.set(now(), state.blocks.free.erased());
    stat.merge_time.sample(Time {now() - m.since});
    ++stat.merges;
    merges_->end(merge);
    stat.merging.set(now(), state.merges.active.size());
}

// ---- the helper thread -----------------------------------------------------------------------

/// Starts the next step of a merge whose granted pages have all been sent; merges are served in
/// turn.
void GarbageCollector::run_helper() {
    if (merges_->stepping() || (port.helper && !port.helper->can_send())) return;
    const std::uint32_t instructions = merges_->next_step() * params.instructions();
    if (instructions == 0) return;
    ++stat.steps;
    stat.instructions += instructions;
    if (port.helper)
        port.helper->send({instructions});
    else {
        state.step_until = now() + params.instruction_time->raw * instructions;
        arm(state.step_end, state.step_until);
    }
}

// ---- set-up and reports ----------------------------------------------------------------------

void GarbageCollector::check_loaded(Loader& l) const {
    const std::uint64_t blocks = flash_.all_blocks(), applications = state.applications.size();
    merges_->check_loaded(l, blocks, applications);
    blocks_->check_loaded(l);
    l.indices("waiting", state.waiting, blocks);
    requests_->check_loaded(l, blocks);
    for (const auto& queue : state.flushes) l.indices("flushes", queue, applications);
}

void GarbageCollector::waits_on(WaitReport& report) const {
    merges_->waits_on(report, path());
    for (std::size_t i = 0; i < held_->size(); ++i)
        if (const std::string what = held_->waits_for(i); !what.empty())
            report.add(path() + " holds application " + std::to_string(i) + " and waits for " +
                       what);
}

std::optional<std::string> GarbageCollector::imbalance() const {
    if (!state.merges.active.empty()) return "merges of log blocks are not complete";
    if (!state.waiting.empty()) return "log blocks that are low were not merged";
    if (!state.extensions.empty()) return "log blocks that are low were not extended";
    for (const HeldApplication& a : state.applications)
        if (a.hold != Hold::none) return "an application is still held";
    return {};
}

} // namespace memsim::zng
