#include "gpu/mmu/tlb.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"

#include <bit>

namespace memsim::gpu {

using protocol::Command;
using protocol::MemRequest;

static const Registration<Tlb> tlb {"The L1 TLB of an SM, between it and its L1."};
static const DebugFlag tlb_flag {"Tlb", "Misses, translations and shoot-downs of L1 TLBs"};
static const Stage l1_translation {"translation"};

void Tlb::init() {
    const auto page = static_cast<std::uint64_t>(params.page->raw);
    pages_of_ = port.mmu_side.find_interface<protocol::HasPages>();
    if (pages_of_ && pages_of_->page_bytes() != page)
        refuse("page", "must equal that of " + port.mmu_side.neighbour_path() + ", " +
                           bytes_text(pages_of_->page_bytes()));
    const auto unit = static_cast<std::uint64_t>(params.stripe_unit->raw);
    if (params.stripe() > 1 && page % unit) refuse("stripe_unit", "must divide the page");
    striped_ = {page, page_stripe()};
    state.pages.resize(params.entries(), params.ways(), params.replacement().text(),
                       path() + ".replacement", sim().seed());
    state.mshrs.resize(params.misses(), params.targets());
    state.misses.resize(params.misses());
    state.passing.resize(params.outstanding());
    for (std::uint32_t i = params.outstanding(); i-- > 0;) state.free.push_back(i);
    state.drains.resize(params.shootdown_queue());
}

void Tlb::wake() {
    while (!port.mem_side.empty()) forward_response(port.mem_side.pop());
    if (state.mshrs.size()) { // hits do not need this
        while (!port.mmu_side.empty()) translated(port.mmu_side.pop());
        while (!state.ready.empty() && release(state.ready.front())) state.ready.pop();
        if (!state.ready.empty()) return send_misses(); // later requests must not overtake them
    }
    while (!port.shootdowns.empty() && state.draining < state.drains.size())
        shoot_down(port.shootdowns.pop());
    auto& in = port.cpu_side;
    while (!in.empty() && translate(in.front())) in.pop();
    if (state.draining) confirm();
    if (state.mshrs.size()) send_misses();
}

/// Forwards the request or queues it. Returns false, without side effects, if neither is possible.
bool Tlb::translate(const MemRequest& r) {
    if (r.command == Command::invalidate || !params.translates()) {
        if (!port.mem_side.can_send()) return false;
        ++stat.accesses;
        forward(r, r.address);
        return true;
    }
    const std::uint64_t key = page_key(r.application, striped_.number(r.address));
    const TlbArray::Entry* e = state.pages.find(key);
    if (!e || !(e->writable || r.command == Command::read)) return miss(r, key, e);
    if (!port.mem_side.can_send()) return false;
    ++stat.accesses;
    ++stat.hits;
    state.stall = Stall::none;
    forward(r, striped_.physical(e->frame, r.address));
    return true;
}

bool Tlb::miss(const MemRequest& r, std::uint64_t key, bool upgrade) {
    const bool write = r.command != Command::read;
    const std::uint32_t* asked = state.missing.find(key);
    if (asked) {
        if (state.mshrs.targets_full(*asked)) return stalls(Stall::targets), false;
        ++stat.merged;
        state.mshrs.add(*asked, r);
    } else {
        if (state.mshrs.full()) return stalls(Stall::misses), false;
        if (upgrade) {
            state.pages.erase(key); // later reads wait together with the write
            ++stat.upgrades;
        }
        const std::uint32_t mshr = state.mshrs.allocate(0, now());
        state.misses[mshr] = {key, 0, write, false, r.stamps};
        state.missing[key] = mshr;
        state.mshrs.add(mshr, r);
        state.asking.push(mshr);
        debug(tlb_flag, "misses page ", page_of(key), " of application ", application_of(key));
    }
    ++stat.accesses;
    ++stat.misses;
    state.stall = Stall::none;
    return true;
}

void Tlb::stalls(Stall why) {
    if (state.stall == why) return;
    state.stall = why;
    ++(why == Stall::misses ? stat.stalled_by_misses : stat.stalled_by_targets);
}

void Tlb::send_misses() {
    while (!state.asking.empty() && port.mmu_side.can_send()) {
        const std::uint32_t mshr = state.asking.pop();
        Miss& m = state.misses[mshr];
        port.mmu_side.send(
            {page_of(m.key), application_of(m.key), m.write, mshr, std::exchange(m.stamps, {})});
    }
}

void Tlb::translated(const protocol::TranslationReply& reply) {
    const auto& mshr = state.mshrs.in_use(reply.tag);
    Miss& m = state.misses[reply.tag];
    m.frame = reply.frame;
    m.writable = reply.writable;
    stat.miss_latency.sample(Time {now() - mshr.since});
    if (state.pages.insert(m.key, m.frame, m.writable)) ++stat.replaced;
    state.ready.push(reply.tag);
}

/// Forwards the requests that waited for a page. Returns false if not all could leave. A write that
/// arrived when only read permission was requested asks again, and stalls later requests of the
/// page.
bool Tlb::release(std::uint32_t mshr) {
    Miss& m = state.misses[mshr];
    bool blocked = false, again = false;
    state.mshrs.serve(mshr, [&](const MemRequest& r) {
        again = again || (!blocked && r.command != Command::read && !m.writable);
        blocked = blocked || again || !port.mem_side.can_send();
        if (blocked) return false;
        forward(r, striped_.physical(m.frame, r.address));
        return true;
    });
    if (again) {
        state.pages.erase(m.key);
        m.write = true;
        ++stat.upgrades;
        state.asking.push(mshr);
        return true;
    }
    if (blocked) return false;
    state.missing.erase(m.key);
    state.mshrs.release(mshr);
    return true;
}

void Tlb::forward(MemRequest r, std::uint64_t physical) {
    const bool swallowed = r.posted && params.acknowledged_stores() &&
                           (r.command == Command::write || r.command == Command::atomic);
    if (!r.posted || swallowed) {
        const std::uint32_t place = state.free.back(); // the port limits their number
        state.free.pop_back();
        state.passing[place] = {r.address, 0, r.tag, r.application, true, swallowed};
        r.tag = place;
        r.posted = false;
    }
    r.address = physical;
    sim().stamps().mark(r.stamps, l1_translation, now() + params.latency->raw);
    port.mem_side.send(r);
}

void Tlb::forward_response(protocol::MemResponse r) {
    Passing& p = device_parts::named(state.passing, r.tag);
    for (std::uint64_t rest = p.drains; rest; rest &= rest - 1)
        --state.drains[static_cast<std::size_t>(std::countr_zero(rest))].waits_for;
    state.free.push_back(r.tag);
    p.live = false;
    if (p.swallowed) return;
    r.tag = p.tag;
    r.address = p.address;
    port.cpu_side.send(r);
}

void Tlb::shoot_down(const protocol::ShootdownRequest& r) {
    std::uint32_t place = 0;
    while (state.drains[place].live) ++place;
    Drain& d = state.drains[place];
    d = {r.tag, 0, now(), true};
    ++state.draining;
    stat.shot_down += state.pages.erase(page_key(r.application, r.page), r.pages);
    if (state.free.size() == state.passing.size()) return;
    for (Passing& p : state.passing)
        if (p.live && p.application == r.application &&
            striped_.number(p.address) - r.page < r.pages) {
            p.drains |= std::uint64_t {1} << place;
            ++d.waits_for;
        }
}

/// Confirms the shoot-downs whose requests have all been answered.
void Tlb::confirm() {
    for (Drain& d : state.drains) {
        if (!d.live || d.waits_for) continue;
        if (!port.shootdowns.can_send() || (params.empties_l1() && !port.mem_side.can_send()))
            return;
        if (params.empties_l1()) {
            MemRequest empty;
            empty.command = Command::invalidate;
            empty.posted = true;
            port.mem_side.send(empty);
        }
        port.shootdowns.send({d.tag});
        ++stat.shootdowns;
        stat.drain_time.sample(Time {now() - d.since});
        d.live = false;
        --state.draining;
    }
}

/// Uses the MMU's mappings instead of the TLB's own entries, which are copies of them.
void Tlb::functional(const PortBase&, FunctionalAccess& access) {
    if (!params.translates()) return look_through(port.mem_side, access);
    MEMSIM_ASSERT(pages_of_, "a machine that carries contents needs an MMU for its TLBs");
    const auto frame = pages_of_->frame_of(access.application, striped_.number(access.address));
    if (!frame) return pages_of_->functional_unmapped(access);
    const std::uint64_t address = access.address;
    access.address = striped_.physical(*frame, address);
    look_through(port.mem_side, access);
    access.address = address;
    if (access.write) pages_of_->functional_written(access);
}

void Tlb::check_loaded(Loader& l) const {
    const auto in_use = [&](std::string_view field, std::uint32_t mshr) {
        l.index(field, mshr, state.misses.size());
        l.within(field, [&] {
            l.check(state.mshrs[mshr].line != state.mshrs.none, "is not an allocated miss");
        });
    };
    for (std::uint32_t i = 0; i < state.asking.size(); ++i) in_use("asking", state.asking[i]);
    for (std::uint32_t i = 0; i < state.ready.size(); ++i) in_use("ready", state.ready[i]);
    state.missing.all([&](std::uint64_t, std::uint32_t mshr) {
        in_use("missing", mshr);
        return true;
    });
    for (const Passing& p : state.passing) l.bits("passing.drains", p.drains, state.drains.size());
    std::uint32_t live = 0;
    for (const Drain& d : state.drains) live += d.live;
    l.within("draining",
             [&] { l.check(live == state.draining, "disagrees with the number of drains"); });
}

void Tlb::waits_on(WaitReport& report) const {
    if (state.mshrs.size())
        report.add(path() + " waits for the translation of " + std::to_string(state.mshrs.size()) +
                   " pages from " + port.mmu_side.neighbour_path());
    for (const Drain& d : state.drains)
        if (d.live)
            report.add(path() + " executes a shoot-down and waits for " +
                       std::to_string(d.waits_for) +
                       " responses to requests translated by its pages");
}

std::optional<std::string> Tlb::imbalance() const {
    if (state.mshrs.size()) return std::to_string(state.mshrs.size()) + " pages did not arrive";
    if (state.draining) return std::to_string(state.draining) + " shoot-downs were not confirmed";
    if (state.free.size() != state.passing.size())
        return std::to_string(state.passing.size() - state.free.size()) +
               " requests were not answered";
    return {};
}

} // namespace memsim::gpu
