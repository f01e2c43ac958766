#include "zng/garbage_collector.hh"

#include "core/registry.hh"
#include "parts/named.hh"
#include "zng/page_mask.hh"

namespace memsim::zng {

using protocol::CollectOp;
using protocol::PageOrderKind;

static const Registration<GarbageCollector> registered {
    "ZnG's helper thread: merges log blocks, levels wear, keeps the block mapping tables."};
static const DebugFlag flag {"Collect", "Merges of log blocks, and when applications stand still"};

namespace {
constexpr std::uint32_t not_awaited = 1u << 16; ///< tag of page orders: below are applications
} // namespace

void GarbageCollector::init() {
    flash_ = params.geometry.flash(path());
    lay_out();
    state.package_moves.assign(params.geometry.packages(), 0);
    state.plane_moves.assign(flash_.all_planes(), 0);
    state.applications.resize(params.applications());
    state.merges.resize(params.merges());
    for (std::uint32_t i = params.merges(); i-- > 0;) state.idle_merges.push_back(i);
    state.flushes.resize(params.caches());
}

void GarbageCollector::start() {
    std::uint64_t entries = 0;
    for (const Range& r : ranges_) entries += r.blocks;
    stat.table_entries.set(now(), entries);
    stat.table_bytes.set(now(), entries * static_cast<std::uint64_t>(params.table_entry->raw));
}

void GarbageCollector::wake() {
    // In the order in which one makes another possible, so that nothing is left for the next wake.
    take_answers();
    take_lows();
    send_moves();
    run_helper();
    resume();
    send_orders();
}

// ---- what comes in ---------------------------------------------------------------------------

void GarbageCollector::take_answers() {
    while (!port.mmu.empty()) page_order_done(port.mmu.pop().tag);
    for (unsigned i = 0; i < port.flush.size(); ++i)
        while (!port.flush[i].empty()) {
            Application& a = parts::named(state.applications, port.flush[i].pop().tag);
            if (--a.flushing) continue;
            a.hold = Hold::quiet;
            stat.flush_time.sample(Time {now() - a.drained});
        }
    for (unsigned c = 0; c < port.collect.size(); ++c)
        while (!port.collect[c].empty()) {
            const protocol::CollectResponse r = port.collect[c].pop();
            const std::uint32_t merge = r.tag / params.geometry.package.log_ratio();
            Merge& m = parts::named(state.merges, merge);
            if (r.op == CollectOp::move) {
                Move& move = parts::named(m.moves, r.tag % params.geometry.package.log_ratio());
                --state.package_moves[package_of(move.from)];
                ++stat.moved_pages;
                if (++move.done == flash_.data_pages) {
                    --m.left;
                    if (--state.targets[move.to_log] == 0) state.targets.erase(move.to_log);
                }
            } else if (++stat.erases; --m.left == 0)
                end(merge);
        }
    if (state.step == none) return;
    if (params.helpers() == 0 && state.step_until <= now()) step_done();
    for (unsigned i = 0; i < port.helper.size(); ++i)
        while (!port.helper[i].empty()) {
            port.helper[i].pop();
            step_done();
        }
}

void GarbageCollector::take_lows() {
    for (std::size_t i = 0; i < state.waiting.size();)
        if (begin(state.waiting[i]))
            state.waiting.erase(state.waiting.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    for (unsigned c = 0; c < port.log_low.size(); ++c)
        while (!port.log_low[c].empty()) {
            const std::uint32_t log = port.log_low[c].pop().log;
            ++stat.log_lows;
            close(served_by(log), log);
            if (!begin(log)) state.waiting.push_back(log);
        }
}

/// False if it must wait: data blocks of this log block are on their way, too many merges are, or
/// blocks to merge into are being erased.
bool GarbageCollector::begin(std::uint32_t log) {
    if (state.targets.find(log) || state.idle_merges.empty()) return false;
    const Served served = served_by(log);
    MEMSIM_ASSERT(!served.blocks.empty(), "a log block is low that serves no data block");
    if (!has_room(package_of(log), served.application, served.blocks.size())) return false;
    const std::uint32_t i = state.idle_merges.back();
    state.idle_merges.pop_back();
    state.active.push_back(i);
    stat.merging.set(now(), state.active.size());
    Merge& m = state.merges[i];
    m.log = log;
    m.application = served.application;
    m.phase = Phase::moving;
    m.since = now();
    m.moves.clear();
    state.plane_moves[flash_.plane_of(log)] += static_cast<std::uint32_t>(served.blocks.size());
    for (const std::uint32_t data : served.blocks) {
        Move move;
        move.from = data;
        move.logical = logical_of(data);
        choose(move, m.application);
        m.moves.push_back(move);
    }
    m.left = static_cast<std::uint32_t>(m.moves.size());
    m.erased = 0;
    debug(flag, "merges log block ", m.log, " with ", m.moves.size(), " data blocks");
    ++state.applications[m.application].merges;
    hold(m.application);
    return true;
}

// ---- applications that stand still -----------------------------------------------------------

void GarbageCollector::hold(std::uint16_t application) {
    Application& a = state.applications[application];
    if (a.hold != Hold::none) return;
    a.hold = Hold::draining;
    a.since = now();
    ++stat.holds;
    debug(flag, "holds application ", application);
    protocol::PageOrder o;
    o.kind = PageOrderKind::hold;
    o.application = application;
    o.tag = application;
    state.orders.push(o);
}

void GarbageCollector::page_order_done(std::uint32_t tag) {
    if (tag == not_awaited) return;
    Application& a = parts::named(state.applications, tag);
    a.drained = now();
    stat.drain_time.sample(Time {now() - a.since});
    a.flushing = params.caches();
    a.hold = a.flushing ? Hold::flushing : Hold::quiet;
    for (auto& f : state.flushes) f.push(static_cast<std::uint16_t>(tag));
}

void GarbageCollector::resume() {
    for (std::size_t i = 0; i < state.applications.size(); ++i) {
        Application& a = state.applications[i];
        if (a.hold != Hold::quiet || a.merges) continue;
        a.hold = Hold::none;
        stat.held_time[i] += Time {now() - a.since};
        debug(flag, "resumes application ", i);
        protocol::PageOrder o;
        o.kind = PageOrderKind::resume;
        o.application = static_cast<std::uint16_t>(i);
        o.tag = not_awaited;
        state.orders.push(o);
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

/// Of all merges and their blocks in turn, a page each.
void GarbageCollector::send_moves() {
    for (bool sent = true; sent;) {
        sent = false;
        for (const std::uint32_t i : state.active) {
            if (state.merges[i].phase != Phase::moving) continue;
            for (std::uint32_t n = 0; n < state.merges[i].moves.size(); ++n)
                sent |= send_move(i, n);
        }
    }
    std::uint64_t late = 0; // applications whose next merge is not done
    for (const std::uint32_t i : state.active) {
        Merge& m = state.merges[i];
        const std::uint64_t bit = std::uint64_t {1} << m.application;
        if (m.phase == Phase::moving &&
            (m.left || state.applications[m.application].hold != Hold::quiet))
            late |= bit;
        if (m.phase == Phase::moving && !(late & bit)) update_tables(m);
        if (m.phase == Phase::erasing) send_erases(i);
    }
}

bool GarbageCollector::send_move(std::uint32_t merge, std::uint32_t n) {
    const Merge& m = state.merges[merge];
    Move& move = state.merges[merge].moves[n];
    const std::uint32_t package = package_of(move.from);
    auto& to = port.collect[controller_of(move.from)];
    if (move.sent == move.granted || move.sent - move.done == params.ahead() ||
        state.package_moves[package] == params.moves() || !to.can_send())
        return false;
    protocol::CollectRequest r;
    r.tag = merge * params.geometry.package.log_ratio() + n;
    r.data = move.from, r.log = m.log;
    r.to = move.to, r.to_log = move.to_log;
    r.page = static_cast<std::uint16_t>(move.sent++);
    to.send(r);
    ++state.package_moves[package];
    return true;
}

/// Nothing of the application is under way, and what began before is done, whose blocks these may
/// be: from now on its data are in their new blocks.
void GarbageCollector::update_tables(Merge& m) {
    for (const Move& move : m.moves) {
        state.logs.change(move.to, move.to_log);
        protocol::PageOrder o;
        o.kind = PageOrderKind::map;
        o.application = m.application;
        o.tag = not_awaited;
        o.page = move.logical - ranges_[m.application].first;
        o.frame = move.to;
        state.orders.push(o);
    }
    forget(m);
    --state.applications[m.application].merges; // it need not wait for the erases
    m.phase = Phase::erasing;
    m.left = static_cast<std::uint32_t>(m.moves.size()) + 1;
}

/// Of the data blocks, then of the log block.
void GarbageCollector::send_erases(std::uint32_t merge) {
    Merge& m = state.merges[merge];
    auto& to = port.collect[controller_of(m.log)];
    for (; m.erased <= m.moves.size() && to.can_send(); ++m.erased) {
        protocol::CollectRequest r;
        r.op = CollectOp::erase;
        r.tag = merge * params.geometry.package.log_ratio();
        r.data = m.erased < m.moves.size() ? m.moves[m.erased].from : m.log;
        to.send(r);
    }
}

void GarbageCollector::end(std::uint32_t merge) {
    Merge& m = state.merges[merge];
    state.free.put(m.log);
    for (const Move& move : m.moves) state.free.put(move.from);
    stat.most_erases.set(now(), state.free.most());
    stat.erased_blocks.set(now(), state.free.erased());
    stat.merge_time.sample(Time {now() - m.since});
    ++stat.merges;
    m.phase = Phase::idle;
    std::erase(state.active, merge);
    state.idle_merges.push_back(merge);
    stat.merging.set(now(), state.active.size());
}

// ---- the helper thread -----------------------------------------------------------------------

/// For the merges in turn: the next pages of one of which all that was granted has left.
void GarbageCollector::run_helper() {
    if (state.step != none || (params.helpers() && !port.helper[0].can_send())) return;
    const auto n = static_cast<std::uint32_t>(state.active.size());
    for (std::uint32_t k = 0; k < n; ++k) {
        const std::uint32_t i = state.active[(state.turn + k) % n];
        const Merge& m = state.merges[i];
        const std::uint32_t granted = m.moves.front().granted;
        if (m.phase != Phase::moving || granted == flash_.data_pages) continue;
        bool due = true;
        for (const Move& move : m.moves) due = due && move.sent == granted;
        if (!due) continue;
        const std::uint32_t pages = std::min(params.step(), flash_.data_pages - granted);
        const std::uint32_t instructions =
            pages * static_cast<std::uint32_t>(m.moves.size()) * params.instructions();
        state.turn = (state.turn + k + 1) % n;
        state.step = i;
        ++stat.steps;
        stat.instructions += instructions;
        if (params.helpers())
            port.helper[0].send({instructions});
        else {
            state.step_until = now() + params.instruction_time->raw * instructions;
            arm(state.step_end, state.step_until);
        }
        return;
    }
}

void GarbageCollector::step_done() {
    for (Move& move : state.merges[state.step].moves)
        move.granted = std::min(move.granted + params.step(), flash_.data_pages);
    state.step = none;
}

// ---- reports ---------------------------------------------------------------------------------

void GarbageCollector::check_loaded(Loader& l) const {
    const std::uint64_t blocks = flash_.all_blocks(), merges = state.merges.size(),
                        applications = state.applications.size();
    for (const Merge& m : state.merges) {
        l.index("merges.log", m.log, blocks);
        l.index("merges.application", m.application, applications);
        for (const Move& move : m.moves)
            for (const std::uint32_t block : {move.from, move.to, move.to_log})
                l.index("merges.moves", block, blocks);
        l.within("merges.moves", [&] {
            l.check(m.phase == Phase::idle || !m.moves.empty(), "are none, of a merge under way");
        });
    }
    for (const std::uint32_t merge : state.active) {
        l.index("active", merge, merges);
        l.within("active", [&] {
            l.check(state.merges[merge].phase != Phase::idle, "is a merge that is over");
        });
    }
    l.indices("waiting", state.waiting, blocks);
    for (const auto& queue : state.flushes) l.indices("flushes", queue, applications);
    if (state.step != none) l.index("step", state.step, merges);
    state.made.all([&](std::uint64_t, const Served& s) {
        l.index("made", s.application, applications);
        l.indices("made.blocks", s.blocks, blocks);
        return true;
    });
    state.open.all([&](std::uint64_t, const Open& o) {
        l.index("open", o.log, blocks);
        return true;
    });
}

void GarbageCollector::waits_on(WaitReport& report) const {
    for (const std::uint32_t i : state.active) {
        const Merge& m = state.merges[i];
        report.add(path() + " merges log block " + std::to_string(m.log) + " of application " +
                   std::to_string(m.application) + ": " + std::to_string(m.left) +
                   (m.phase == Phase::moving ? " blocks to move" : " erases to come"));
    }
    for (std::size_t i = 0; i < state.applications.size(); ++i)
        if (state.applications[i].hold == Hold::draining ||
            state.applications[i].hold == Hold::flushing)
            report.add(path() + " holds application " + std::to_string(i) + " and waits for " +
                       (state.applications[i].hold == Hold::draining
                            ? "what is under way"
                            : "the flush of " + std::to_string(state.applications[i].flushing) +
                                  " caches"));
}

std::optional<std::string> GarbageCollector::imbalance() const {
    if (!state.active.empty()) return "merges of log blocks have not ended";
    if (!state.waiting.empty()) return "log blocks that are low were not merged";
    for (const Application& a : state.applications)
        if (a.hold != Hold::none) return "an application is held for ever";
    return {};
}

} // namespace memsim::zng
