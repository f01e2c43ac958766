#include "mem/dram/schedule/scheduler.hh"

#include <utility>

namespace memsim::mem {

namespace {
constexpr std::uint16_t none = DramQueue::none;

} // namespace

DramScheduler::DramScheduler(const Config& f, DramDevice& device, DramDataBuses buses,
                             DramSchedulerState& state, DramCounters count,
                             std::optional<DramSide> side,
                             std::optional<DramBankCounters> bank_counts)
    : figures_(f), limits_ {f.write_high, f.write_low, f.write_idle ? f.write_high : 1,
                            f.read_batch, f.write_batch},
      state_(state), parts_ {device,
                             DramDataPath(
                                 buses, side, {count.bus_bytes, count.bus_busy, count.kinds},
                                 device.timing().burst, f.first_user, state.parts.bus_lent),
                             DramQueue(state.parts.queue, f.patience, f.bank_queue),
                             RefreshSchedule(device, state.parts.refresh, count.refreshes),
                             state.parts},
      count_(count), bank_count_(bank_counts) {}

void DramScheduler::init(const std::string& place, std::uint64_t machine_seed) {
    state_.order.make(figures_.order.text(), place + ".order", machine_seed);
    state_.page.make(figures_.page.text(), place + ".page", machine_seed);
    state_.refresh.make(figures_.refresh.text(), place + ".refresh", machine_seed);
    traits_ = state_.order->traits();
    row_traits_ = state_.page->traits();
    const std::uint32_t banks = parts_.device.banks();
    parts_.init(places(), *state_.refresh);
    state_.order->init(banks);
    state_.page->init(banks);
    if (traits_.plans_ahead) parts_.device.plan_ahead();
}

// ---- new requests

bool DramScheduler::enqueue(const DramAccess& access, Tick now) {
    MEMSIM_ASSERT(can_accept(access.write), "a DRAM queue overflows");
    MEMSIM_ASSERT(access.wires == DramWires::data || traits_.priorities,
                  "this DRAM order supports only one data bus");
    MEMSIM_ASSERT(access.wires != DramWires::side || parts_.path.has_side(),
                  "there is no side bus");
    if (!access.write && writes() && parts_.queue.covers(access)) {
        ++count_.forwarded;
        finish({now, now, access.context, false});
        return false;
    }
    admit(access, now);
    return true;
}

void DramScheduler::admit(const DramAccess& access, Tick now) {
    DramQueue& queue = parts_.queue;
    if (row_traits_.when_unused) close_unused(access.bank, now);
    if (!busy()) parts_.refresh.catch_up(now);
    const std::uint16_t entry = queue.push(access);
    if (traits_.mixed) [[unlikely]] {
        state_.order->arrived(entry, access.write, now);
        return plan(now);
    }
    if (queue.reserved(access.bank)) return;

    // Checks from time to time whether a migration's patience has ended.
    const bool review = queue.migrations() && queue.accepted() % 64 == 0;
    if (set_direction() || review) {
        choose_all();
        plan(now);
    } else if (access.write == draining()) {
        const DramCandidate before = parts_.candidate(access.bank);
        choose(access.bank);
        if (parts_.device.half_activated()) return plan(now);
        DramOrder::Choice choice {state_.plan, state_.first_until};
        const auto effect = state_.order->accepted(parts_, access.bank, before, choice, now);
        if (effect == DramOrder::Effect::unknown) return plan(now);
        state_.plan = choice.plan;
        state_.first_until = choice.first_until;
        // A request waits now, so the next refresh needs a wake-up.
        if (effect == DramOrder::Effect::changed && parts_.refresh.next() <= state_.plan.at)
            plan(now);
    } else if (figures_.write_idle)
        plan(now);
}

/// Keeps `done` in order of time: a forwarded read, or a write that completes before the data of an
/// earlier read, goes before the requests still in progress.
void DramScheduler::finish(const DramDone& done) {
    auto& all = state_.done;
    all.push(done);
    for (std::uint32_t i = all.size() - 1; i > 0 && done.at < all[i - 1].at; --i)
        std::swap(all[i], all[i - 1]);
}

// ---- planning

void DramScheduler::choose_all() {
    for (const bool write : {false, true})
        for_each_bank(parts_.queue.used(write), [this](std::uint32_t b) { choose(b); });
}

/// Selects reads or writes. Returns true if the direction changed.
bool DramScheduler::set_direction() {
    return !traits_.mixed && state_.parts.drain.update(limits_, waiting(false), waiting(true));
}

void DramScheduler::plan(Tick now) {
    if (traits_.mixed) [[unlikely]] {
        for (std::uint32_t b; (b = state_.order->enter(parts_, limits_.high, limits_.low, now)) !=
                              DramOrder::no_bank;)
            choose(b);
    }
    auto [best, first_until] = state_.order->next(parts_, now);
    const RefreshSchedule& refresh = parts_.refresh;
    if (refresh.any_stopped() || parts_.queue.reservations() || parts_.device.half_activated())
        [[unlikely]] {
        const DramFloor floor = parts_.floor_of(now);
        const auto opened = [this](std::uint32_t b) { return parts_.queue.opener(b) != none; };
        if (parts_.queue.reservations()) {
            const DramPlan c = user_->next(floor);
            first_until = std::min(first_until, c.at - 1);
            if (c.before(best)) best = c;
        }
        if (refresh.any_stopped())
            if (const DramPlan c = refresh.command(floor, opened); c.before(best)) best = c;
        if (refresh.next() <= best.at && busy())
            best = {std::max(refresh.next(), now), 0, 0, DramAction::refresh_due};
        if (parts_.device.half_activated()) best = second_half(best, floor);
    } else if (refresh.next() <= best.at && busy())
        best = {std::max(refresh.next(), now), 0, 0, DramAction::refresh_due};
    if (figures_.write_idle && !draining() && !waiting(false) && waiting(true))
        if (const Tick at = parts_.path.buses().free_at() + figures_.write_idle; at < best.at)
            best = {std::max(now, at), 0, 0, DramAction::drain};
    state_.plan = best;
    state_.first_until = first_until;
    state_.bus_seen = parts_.path.reserved();
}

/// An ACT-2 is issued when no other command can issue, or at its deadline.
DramPlan DramScheduler::second_half(const DramPlan& other, const DramFloor& floor) const {
    const DramDevice& device = parts_.device;
    if (other.at <= floor.row && floor.row + device.longest_command() <= device.second_by())
        return other;
    return {floor.row, 0, device.half_activated_bank(), DramAction::activate_2};
}

/// After a burst: plans the next burst of the same request without a search of the other banks, if
/// it is the next command (the common case).
bool DramScheduler::burst_continues(const DramPlan& issued, Tick now) {
    const DramCandidate& next = parts_.candidate(issued.bank);
    if (state_.first_until < now || issued.action != DramAction::column ||
        next.order != issued.order || !next.data || parts_.refresh.any_stopped() ||
        parts_.device.half_activated())
        return false;
    const bool write = draining();
    const DramDevice& device = parts_.device;
    const Tick latency = device.latency(write);
    const Tick at = std::max({next.at, now, device.next_command(true),
                              parts_.path.bus_ready(device.rank_of(issued.bank), write, latency),
                              device.group_ready(write ? DramCommand::write : DramCommand::read,
                                                 device.group_of(issued.bank))});
    const bool gapless = at <= parts_.path.bus(device.rank_of(issued.bank)).free_at() - latency;
    if (!gapless || at > state_.first_until || parts_.refresh.next() <= at) return false;
    state_.plan.at = at;
    state_.bus_seen = parts_.path.reserved();
    return true;
}

void DramScheduler::run(Tick now) {
    while (state_.plan.at <= now) {
        if (state_.bus_seen != parts_.path.reserved()) { // reserved by another user since
            plan(now);
            continue;
        }
        const DramPlan c = state_.plan;
        issue(c, now);
        if (!burst_continues(c, now)) plan(now);
    }
}

// ---- commands

void DramScheduler::issue(const DramPlan& c, Tick now) {
    switch (c.action) {
    case DramAction::refresh_due:
        return parts_.refresh.stop_due(now, [this](std::uint32_t b) { choose(b); });
    case DramAction::precharge_all:
        ++count_.precharges;
        return parts_.refresh.issue(c, now,
                                    [this](std::uint32_t b) { parts_.queue.set_opener(b, none); });
    case DramAction::refresh:
        return parts_.refresh.issue(c, now, [this](std::uint32_t b) { choose(b); });
    case DramAction::activate:
    case DramAction::precharge:
        row_command(c.bank, c.entry, c.action == DramAction::activate, now);
        if (traits_.leaves_when_opened && set_direction()) choose_all();
        choose(c.bank);
        return state_.order->issued(c.bank);
    case DramAction::column:
        column(c.bank, c.entry, now);
        return state_.order->issued(c.bank);
    case DramAction::commit:
        return commit(now);
    case DramAction::activate_2:
        return parts_.device.issue(DramCommand::activate_2, c.bank, parts_.device.row(c.bank), now);
    case DramAction::reserved:
        return user_->issue(c.bank, now);
    case DramAction::drain:
        state_.parts.drain.start();
        return choose_all();
    case DramAction::nothing:
        return;
    }
}

void DramScheduler::row_command(std::uint32_t b, std::uint16_t number, bool open, Tick now) {
    DramQueue::Entry& e = parts_.queue[number];
    if (!e.started) e.started = true, e.first_command = now;
    if (open) e.opened = true;
    parts_.device.issue(open ? DramCommand::activate : DramCommand::precharge, b, e.access.row,
                        now);
    ++(open ? count_.activates : count_.precharges);
    if (open && bank_count_) ++bank_count_->activates[b];
    parts_.queue.set_opener(b, open ? number : none);
    open ? state_.parts.rows.opened(b, true) : state_.parts.rows.closed(b, true);
}

void DramScheduler::column(std::uint32_t b, std::uint16_t number, Tick now) {
    DramQueue::Entry& e = parts_.queue[number];
    const bool write = e.access.write;
    if (!e.started) e.started = true, e.first_command = now;
    const RowFound found = state_.parts.rows.access(b);
    if (e.left == e.access.bursts) {
        ++(found == RowFound::open       ? count_.row_hits
           : found == RowFound::conflict ? count_.row_conflicts
                                         : count_.row_misses);
        if (bank_count_) {
            ++(write ? bank_count_->writes : bank_count_->reads)[b];
            if (found == RowFound::open) ++bank_count_->row_hits[b];
        }
    }
    state_.parts.drain.serve();
    const bool last = --e.left == 0;

    DramDevice& device = parts_.device;
    const Tick done =
        parts_.path.move(e.access, device.rank_of(b), now, now + device.latency(write));
    const std::uint32_t row = e.access.row;
    if (last) {
        finish({done, e.first_command, e.access.context, write});
        parts_.queue.remove(number);
    }
    const bool close = (row_traits_.after_access || figures_.most_accesses) && closes(b);
    device.issue(write ? DramCommand::write : DramCommand::read, b, row, now, close);
    if (close) {
        ++count_.precharges;
        parts_.queue.set_opener(b, none);
    } else if (row_traits_.when_unused)
        state_.page->accessed(b, now);
    if (set_direction()) {
        choose_all();
        choose(b); // a bank without a waiting request is in no list
    } else if (last || close || parts_.queue.migrations() || !traits_.steady)
        choose(b); // otherwise unchanged: a burst changes neither the row nor the next request
}

/// Whether a column command closes its row.
bool DramScheduler::closes(std::uint32_t b) {
    if (figures_.most_accesses && parts_.rows().accesses(b) >= figures_.most_accesses) return true;
    if (!row_traits_.after_access) return false;
    choose(b); // requests in the active queue decide
    const DramAction next = parts_.candidate(b).action;
    const bool close = state_.page->closes(next);
    state_.parts.rows.closes(b, close && next == DramAction::precharge);
    return close;
}

/// No request waits for the bank: the row policy may have closed its row meanwhile.
void DramScheduler::close_unused(std::uint32_t b, Tick now) {
    const Tick at = state_.page->closed_at(b);
    if (at > now || !parts_.queue.empty(b) || parts_.device.row(b) == DramBank::closed) return;
    parts_.device.precharge_unused(b, at);
    ++count_.precharges;
    if (parts_.refresh.stopped(b)) plan(now); // its refresh no longer needs to close the row
}

/// Fixes the commands of a burst.
void DramScheduler::commit(Tick now) {
    const std::uint16_t number = state_.order->burst(parts_, now);
    const DramAccess& access = parts_.queue[number].access;
    const DramDevice& device = parts_.device;
    const std::uint32_t b = access.bank, group = device.group_of(b);
    const auto allowed = [&](DramCommand c) {
        return std::max({now, device.bank_ready(c, b), device.group_ready(c, group)});
    };
    const std::uint32_t row = device.row(b);
    if (row != DramBank::closed && row != access.row)
        row_command(b, number, false, allowed(DramCommand::precharge));
    if (device.row(b) == DramBank::closed)
        row_command(b, number, true, allowed(DramCommand::activate));
    column(b, number, state_.order->column_at(parts_, b, now));
}

// ---- reserved banks and the lent bus

void DramScheduler::lend_bus(bool lent, Tick now) {
    parts_.path.lend(lent);
    plan(now);
}

void DramScheduler::reserve(std::uint32_t b, Tick now) {
    MEMSIM_ASSERT(traits_.priorities && user_, "this scheduler does not support reserved banks");
    if (!busy()) parts_.refresh.catch_up(now);
    parts_.queue.set_aside(b);
    reservation_changed(b, now);
}

void DramScheduler::give_back(std::uint32_t b, Tick now) {
    parts_.queue.give_back(b);
    reservation_changed(b, now);
}

void DramScheduler::reservation_changed(std::uint32_t b, Tick now) {
    set_direction();
    choose_all();
    choose(b); // possibly without a waiting request
    plan(now);
}

void DramScheduler::user_command(std::uint32_t b, std::uint32_t row, bool open, Tick now) {
    parts_.device.issue(open ? DramCommand::activate : DramCommand::precharge, b, row, now);
    ++(open ? count_.activates : count_.precharges);
    parts_.queue.set_opener(b, none);
    open ? state_.parts.rows.opened(b, false) : state_.parts.rows.closed(b, false);
    choose(b);
}

void DramScheduler::check_loaded(Loader& l,
                                 const std::function<void(std::uint32_t)>& context) const {
    parts_.check_loaded(l, context);
    state_.order->check_loaded(l, parts_);
    parts_.check_entry(l, "plan", state_.plan.bank, state_.plan.action, state_.plan.entry);
    for (std::uint32_t i = 0; i < state_.done.size(); ++i) context(state_.done[i].context);
}

} // namespace memsim::mem
