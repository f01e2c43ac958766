#include "mem/fr_fcfs.hh"

#include <bit>

namespace memsim::mem {

namespace {
constexpr bool better(const FrFcfsState::Command& a, const FrFcfsState::Command& b) {
    return a.at != b.at ? a.at < b.at : a.order < b.order;
}
} // namespace

FrFcfs::FrFcfs(const Figures& figures, DramDevice& device, parts::DataBus& bus, FrFcfsState& state,
               DramCounters count, std::optional<DramSide> side)
    : figures_(figures), device_(device), bus_(bus), state_(state), count_(count), side_(side),
      burst_time_(bus.transfer_time(device.timing().burst).raw) {
    MEMSIM_ASSERT(places() < none, "a DRAM queue is too long");
}

void FrFcfs::init() {
    device_.init();
    state_.entries.assign(places(), {});
    state_.free.clear();
    for (std::uint32_t i = places(); i-- > 0;) state_.free.push_back(static_cast<std::uint16_t>(i));
    state_.banks.assign(device_.banks(), {});
    state_.candidates.assign(device_.banks(), {});
    if (figures_.order != DramOrder::first_ready) state_.second.assign(device_.banks(), {});
    const std::size_t words = (device_.banks() + 63) / 64;
    for (auto& used : state_.used_banks) used.assign(words, 0);
    state_.held_banks.assign(words, 0);
    state_.data_banks.assign(words, 0);
    state_.other_banks.assign(words, 0);
    state_.others = 0;
    const DramTiming& t = device_.timing();
    state_.refresh_at.clear();
    const std::uint32_t units = singly() ? device_.banks() : t.ranks;
    for (std::uint32_t u = 1; u <= units; ++u) // they take turns, as in most controllers
        state_.refresh_at.push_back(t.tREFI.raw == 0 ? never
                                    : figures_.refresh == DramRefresh::all_ranks
                                        ? t.tREFI.raw
                                        : t.tREFI.raw * u / units);
    state_.refreshing.assign(units, 0);
    state_.next_refresh = state_.refresh_at.front();
}

// ---- what arrives
// --------------------------------------------------------------------------------

void FrFcfs::enqueue(const DramAccess& access, Tick now) {
    MEMSIM_ASSERT(can_accept(access.write), "a DRAM queue overflows");
    MEMSIM_ASSERT(access.wires == DramWires::data || figures_.order == DramOrder::first_ready,
                  "this order of DRAM commands knows one data bus");
    MEMSIM_ASSERT(access.wires != DramWires::side || side_, "there is no side bus");
    if (!access.write && state_.queued[1] && forward(access, now)) return;
    if (!busy()) catch_up(now);

    const std::uint16_t e = state_.free.back();
    state_.free.pop_back();
    Bank& bank = state_.banks[access.bank];
    const bool held = bank.held_row != DramBank::closed;
    state_.entries[e] = {access, none, access.bursts, held, false, false, state_.age++, 0};
    state_.beyond[access.write] += ++bank.count[access.write] > figures_.bank_queue;
    auto& list = bank.waiting[access.write];
    (list.tail == none ? list.head : state_.entries[list.tail].next) = e;
    list.tail = e;
    state_.used_banks[access.write][access.bank / 64] |= std::uint64_t {1} << access.bank % 64;
    ++state_.queued[access.write];
    state_.migrations += access.priority == DramPriority::migration;
    if (held) return;
    ++state_.eligible[access.write];

    // A migration's patience may have ended: looked at from time to time.
    const bool review = state_.migrations && state_.age % 64 == 0;
    if (set_direction() || review) {
        choose_all();
        plan(now);
    } else if (access.write == state_.draining) {
        const auto before = state_.candidates[access.bank];
        choose(access.bank);
        const auto& c = state_.candidates[access.bank];
        if (figures_.order != DramOrder::first_ready || device_.half_activated()) {
            plan(now);
            return;
        }
        if (c.entry == before.entry && c.action == before.action && c.entry != none) {
            if (c.order != before.order) state_.first_until = 0; // it has become urgent
            return;                                              // it waits its turn
        }
        const Limits limit = limits_of(access.bank, floor_of(now));
        const Command command {std::max(c.at, limit[c.limit]), c.order, access.bank, c.action,
                               c.entry};
        const bool voids =
            state_.plan.bank == access.bank; // what was planned there no longer holds
        if (better(command, state_.plan))
            state_.plan = command, state_.first_until = 0;
        else if (voids)
            plan(now);
        else
            state_.first_until =
                std::min(state_.first_until,
                         c.data ? lets_pass(c, access.bank, state_.plan) : command.at - 1);
        // Something waits now: the next refresh is to be woken for.
        if (state_.next_refresh <= state_.plan.at) plan(now);
    }
}

bool FrFcfs::forward(const DramAccess& a, Tick now) {
    for (std::uint16_t e = state_.banks[a.bank].waiting[1].head; e != none;
         e = state_.entries[e].next) {
        const DramAccess& w = state_.entries[e].access;
        if (w.row == a.row && w.column <= a.column && a.column + a.bursts <= w.column + w.bursts) {
            ++count_.forwarded;
            finish({now, now, a.context, false});
            return true;
        }
    }
    return false;
}

/// Keeps `done` in order of time: a forwarded read, or a write done before an earlier read's data
/// has arrived, goes before what is still under way.
void FrFcfs::finish(const DramDone& done) {
    auto& all = state_.done;
    all.push(done);
    for (std::uint32_t i = all.size() - 1; i > 0 && done.at < all[i - 1].at; --i)
        std::swap(all[i], all[i - 1]);
}

// ---- what is done next
// -----------------------------------------------------------------------------

/// Which request of the bank is next, and what it needs.
void FrFcfs::choose(std::uint32_t b) {
    figures_.order == DramOrder::first_ready ? choose_next(b) : choose_pair(b);
    const auto& next = state_.candidates[b];
    const std::uint64_t bit = std::uint64_t {1} << b % 64;
    std::uint64_t& word = state_.data_banks[b / 64];
    word = next.data ? word | bit : word & ~bit;
    const bool other = next.limit >= other_columns[0];
    if (!other && !state_.others) return;
    std::uint64_t& others = state_.other_banks[b / 64];
    if (other == ((others & bit) != 0)) return;
    others ^= bit;
    state_.others += other ? 1 : ~0u;
}

void FrFcfs::set_opener(std::uint32_t b, std::uint16_t e) {
    std::uint16_t& opener = state_.banks[b].opener;
    if (opener != none) --state_.opened[state_.entries[opener].access.write];
    opener = e;
    if (opener != none) ++state_.opened[state_.entries[opener].access.write];
}

void FrFcfs::choose_next(std::uint32_t b) {
    Bank& bank = state_.banks[b];
    const std::uint32_t row = device_.row(b);
    const std::uint16_t opener = unserved_opener(b);
    std::uint16_t oldest = opener, hit = opener;
    for (std::uint16_t e = opener == none ? bank.waiting[state_.draining].head : none; e != none;
         e = state_.entries[e].next) {
        const Entry& entry = state_.entries[e];
        if (entry.held) continue;
        const bool demand = urgent(entry);
        if (oldest == none || (demand && !urgent(state_.entries[oldest]))) oldest = e;
        if (entry.access.row == row && (hit == none || demand)) {
            hit = e;
            if (demand) break;
        }
        if (row == DramBank::closed && demand) break;
    }
    auto& next = state_.candidates[b];
    if (state_.units_refreshing && state_.refreshing[unit_of(b)]) {
        next = {};
        return;
    }
    if (oldest == none) {
        next = opening(b);
        return;
    }
    next.entry = hit != none ? hit : oldest;
    const Entry& e = state_.entries[next.entry];
    DramCommand command = e.access.write ? DramCommand::write : DramCommand::read;
    next.action = Action::column;
    if (row == DramBank::closed)
        command = DramCommand::activate, next.action = Action::activate;
    else if (hit == none)
        command = DramCommand::precharge, next.action = Action::precharge;
    next.limit = next.action == Action::column ? column_limit(e.access.wires, opener != none)
                                               : static_cast<std::uint16_t>(next.action);
    next.data = next.action == Action::column && e.access.wires == DramWires::data;
    next.at = device_.bank_ready(command, b);
    next.order = order_of(next.action == Action::column, urgent(e), e.age, b);
}

void FrFcfs::choose_all() {
    for (const auto& words : state_.used_banks)
        for (std::uint32_t w = 0; w < words.size(); ++w)
            for (std::uint64_t bits = words[w]; bits; bits &= bits - 1)
                choose(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
}

void FrFcfs::plan(Tick now) {
    const Floor floor = floor_of(now);
    const bool ours = figures_.order == DramOrder::first_ready;
    Command best = ours                                     ? first_ready(floor)
                   : figures_.order == DramOrder::committed ? next_commit(now)
                                                            : next_in_order(floor);
    state_.first_until = ours ? first_until(best) : 0;
    if (state_.units_refreshing)
        for (std::uint32_t u = 0; u < state_.refreshing.size(); ++u)
            if (state_.refreshing[u]) {
                const Command c = refresh_of(u, floor);
                if (better(c, best)) best = c;
            }
    if (state_.next_refresh <= best.at && busy())
        best = {std::max(state_.next_refresh, now), 0, 0, Action::refresh_due, none};
    if (device_.half_activated()) best = second_half(best, floor);
    state_.plan = best;
    state_.bus_seen = buses_free();
}

/// An ACT-2 goes when nothing else can, or as late as it may.
FrFcfs::Command FrFcfs::second_half(const Command& other, const Floor& floor) const {
    if (other.at <= floor.row && floor.row + device_.longest_command() <= device_.second_by())
        return other;
    return {floor.row, 0, device_.half_activated_bank(), Action::activate_2, none};
}

FrFcfs::Command FrFcfs::first_ready(const Floor& floor) {
    // Time and order as one number: the least is found without a branch, which would be guessed
    // wrong half of the time.
    Uint128 least = static_cast<Uint128>(never) << 64;
    Tick others_at = never;
    for_each_used_bank(~std::uint64_t {0}, floor, [&](std::uint32_t b, const Limits& limit) {
        const auto& c = state_.candidates[b];
        const Tick at = std::max(c.at, limit[c.limit]);
        least = std::min(least, static_cast<Uint128>(at) << 64 | c.order);
        others_at = std::min(others_at, at | (-Tick {c.data} & never));
    });
    state_.others_at = others_at;
    Command best;
    best.at = static_cast<Tick>(least >> 64);
    if (best.at != never) {
        best.order = static_cast<std::uint64_t>(least);
        best.bank = bank_of(best.order);
        best.action = state_.candidates[best.bank].action;
        best.entry = state_.candidates[best.bank].entry;
    }
    return best;
}

/// Reads or writes; true if that has changed.
bool FrFcfs::set_direction() {
    auto [reads, writes] = state_.eligible;
    if (figures_.order == DramOrder::oldest_ready) [[unlikely]] {
        reads -= state_.opened[0];
        writes -= state_.opened[1];
    }
    const bool was = state_.draining;
    const bool enough = writes <= figures_.write_low ||
                        (figures_.write_batch && state_.served >= figures_.write_batch);
    if (was ? writes == 0 || (reads && enough)
            : (writes >= figures_.write_high && state_.served >= figures_.read_batch) ||
                  (reads == 0 && writes))
        state_.draining = !was;
    if (writes == 0) state_.draining = false;
    if (state_.draining != was) state_.served = 0;
    return state_.draining != was;
}

void FrFcfs::run(Tick now) {
    while (state_.plan.at <= now) {
        if (state_.bus_seen != buses_free()) { // taken by somebody else since
            plan(now);
            continue;
        }
        const Command c = state_.plan;
        issue(c, now);
        if (!goes_on(c, now)) plan(now);
    }
}

// ---- commands
// ------------------------------------------------------------------------------------

void FrFcfs::issue(const Command& c, Tick now) {
    switch (c.action) {
    case Action::refresh_due:
        return refresh_due(now);
    case Action::precharge_all:
        device_.issue(singly() ? DramCommand::precharge : DramCommand::precharge_all, c.bank, 0,
                      now);
        ++count_.precharges;
        for_each_bank(unit_of(c.bank), [this](std::uint32_t b) { set_opener(b, none); });
        return;
    case Action::refresh:
        device_.issue(singly() ? DramCommand::refresh_bank : DramCommand::refresh, c.bank, 0, now);
        return refresh_done(unit_of(c.bank));
    case Action::activate:
    case Action::precharge:
        row_command(c.bank, c.entry, c.action == Action::activate, now);
        if (figures_.order == DramOrder::oldest_ready && set_direction()) choose_all();
        choose(c.bank);
        state_.last_bank = c.bank;
        return;
    case Action::column:
        column(c.bank, c.entry, now);
        state_.last_bank = c.bank;
        return;
    case Action::commit:
        return commit(now);
    case Action::activate_2:
        return device_.issue(DramCommand::activate_2, c.bank, device_.row(c.bank), now);
    case Action::nothing:
        return;
    }
}

void FrFcfs::row_command(std::uint32_t b, std::uint16_t number, bool open, Tick now) {
    Bank& bank = state_.banks[b];
    const bool held = number == none; // the row is opened for somebody else
    std::uint32_t row = bank.held_row;
    if (!held) {
        Entry& e = state_.entries[number];
        if (!e.started) e.started = true, e.first_command = now;
        if (open) e.opened = true;
        row = e.access.row;
    }
    device_.issue(open ? DramCommand::activate : DramCommand::precharge, b, row, now);
    ++(open ? count_.activates : count_.precharges);
    if (bank.opener != none) set_opener(b, none);
    if (open) {
        bank.accesses = 0;
        if (!held) set_opener(b, number);
    }
    bank.first_access = open && !held;
    bank.conflict = !held && (bank.conflict || !open);
}

void FrFcfs::column(std::uint32_t b, std::uint16_t number, Tick now) {
    Bank& bank = state_.banks[b];
    Entry& e = state_.entries[number];
    const bool write = e.access.write;
    if (!e.started) e.started = true, e.first_command = now;
    if (e.left == e.access.bursts)
        ++(!bank.first_access ? count_.row_hits
           : bank.conflict    ? count_.row_conflicts
                              : count_.row_misses);
    if (bank.first_access) bank.first_access = bank.conflict = false;
    ++bank.accesses;
    ++state_.served;
    const bool last = --e.left == 0;

    const Tick data = now + device_.latency(write);
    const Tick done = move(e.access.wires, b, data, write);
    const std::uint32_t row = e.access.row;
    if (last) {
        finish({done, e.first_command, e.access.context, write});
        remove(b, number);
    }
    bool close = figures_.most_accesses && bank.accesses >= figures_.most_accesses;
    if (!close && figures_.page != PagePolicy::open) {
        choose(b); // what waits in the queue being served decides
        const Action next = state_.candidates[b].action;
        close = next != Action::column &&
                (figures_.page == PagePolicy::closed || next == Action::precharge);
        bank.conflict = close && next == Action::precharge;
    }
    device_.issue(write ? DramCommand::write : DramCommand::read, b, row, now, close);
    if (close) {
        ++count_.precharges;
        set_opener(b, none);
    }
    if (set_direction()) {
        choose_all();
        choose(b); // a bank of which nothing waits any more is in no list
    } else if (last || close || state_.migrations || figures_.order != DramOrder::first_ready)
        choose(b); // else it is what it was: a burst moves neither the row nor who is next
}

/// One burst, whose first bit is at the device at `data`; says when it has arrived.
Tick FrFcfs::move(DramWires wires, std::uint32_t b, Tick data, bool write) {
    const std::uint32_t bytes = device_.timing().burst;
    if (wires == DramWires::none) return data + burst_time_;
    const std::uint16_t of = user(device_.rank_of(b));
    if (wires == DramWires::side) {
        const Tick end = side_->bus.reserve(data, bytes, of, write);
        side_->busy += Time {end - data};
        return end + side_->bus.latency();
    }
    const Tick end = bus_.reserve(data, bytes, of, write);
    count_.bus_bytes += bytes;
    count_.bus_busy += Time {end - data};
    return end + bus_.latency();
}

void FrFcfs::remove(std::uint32_t b, std::uint16_t number) {
    Bank& bank = state_.banks[b];
    Entry& e = state_.entries[number];
    const bool write = e.access.write;
    auto& list = bank.waiting[write];
    if (list.head == number) {
        list.head = e.next;
        if (list.head == none) {
            list.tail = none;
            state_.used_banks[write][b / 64] &= ~(std::uint64_t {1} << b % 64);
        }
    } else {
        std::uint16_t before = list.head;
        while (state_.entries[before].next != number) before = state_.entries[before].next;
        state_.entries[before].next = e.next;
        if (list.tail == number) list.tail = before;
    }
    if (bank.opener == number) set_opener(b, none);
    state_.free.push_back(number);
    state_.migrations -= e.access.priority == DramPriority::migration;
    --state_.queued[write];
    --state_.eligible[write];
    state_.beyond[write] -= bank.count[write]-- > figures_.bank_queue;
}

} // namespace memsim::mem
