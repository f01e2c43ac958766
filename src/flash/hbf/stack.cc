#include "flash/hbf/stack.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"

#include <algorithm>

namespace memsim::flash {

using protocol::Command;
using protocol::FlashOp;
using protocol::FlashRequest;
using protocol::MemRequest;
using Work = HbfBank::Work;

static const Registration<HbfStack> hbf_stack {
    "A stack of High Bandwidth Flash: small reads over senses of whole pages; the host programs."};
static const Stage page_sense {"sense"};

namespace {

/// Why a request cannot be served, as the end of a sentence; empty if it can.
std::string fault_of(const MemRequest& r, std::uint64_t address, const HbfGeometry& g) {
    if (r.command != Command::read && !r.is_hint())
        return "is no read: the host programs whole pages through `host`; put what is written "
               "into another memory";
    if (r.bytes == 0 || address % g.page_bytes + r.bytes > g.page_bytes)
        return "does not lie within one page of " + std::to_string(g.page_bytes) + "B";
    if (address >= g.bytes())
        return "lies behind the last of " + std::to_string(g.bytes()) +
               "B: give the stack more blocks";
    return {};
}

std::string fault_of(const FlashRequest& r, const HbfGeometry& g) {
    if (!g.has(r.place))
        return "names a place that the stack does not have: give both the same geometry";
    if (r.bytes > g.page_bytes)
        return "names " + std::to_string(r.bytes) + "B, more than a page of " +
               std::to_string(g.page_bytes) + "B";
    return {};
}

/// Whether a page of the bank is being sensed, or one of these reads waits for that.
bool is_coming(const HbfBank& bank, std::uint64_t page, const std::vector<HbfStack::Read>& reads,
               const HbfGeometry& g) {
    bool found = bank.senses(page);
    for (std::uint32_t i = 0; i < bank.reads.size() && !found; ++i)
        found = g.page_number(reads[bank.reads[i]].place) == page;
    return found;
}

/// Of a loaded bank or place.
void check_bank(Loader& l, const HbfBank& bank, std::size_t reads, std::size_t commands) {
    l.indices("banks.reads", bank.reads, reads);
    l.indices("banks.joined", bank.joined, reads);
    l.indices("banks.commands", bank.commands, commands);
    l.index("banks.buffer", bank.buffer, std::size_t {HbfBank::page_buffers});
    if (bank.command != HbfBank::none) l.index("banks.command", bank.command, commands);
}
void check_place(Loader& l, std::string_view field, const HbfPlace& at, const HbfGeometry& g) {
    l.index(field, at.channel, g.channels);
    l.index(field, at.bank, g.all_banks());
    l.index(field, at.block, g.blocks);
    l.index(field, at.page, g.pages);
}

} // namespace

void HbfStack::init() {
    const HbfShape& s = params.shape;
    geometry_ = {s.channels(), s.dies(),  s.banks(),
                 s.blocks(),   s.pages(), static_cast<std::uint32_t>(s.page->raw)};
    const std::uint32_t banks = geometry_.all_banks();
    if (banks > 65536)
        refuse("banks", "there are " + std::to_string(banks) +
                            " banks: channels x dies x banks is at most 65536");
    if (params.buffer->raw && params.buffer() < s.page())
        refuse("buffer", params.buffer.text() + " holds no page of " + s.page.text() +
                             ": set it to at least a page, or to 0B for none");
    if (port.host.size() > s.channels())
        refuse("channels", "ports `host` are those of " + std::to_string(port.host.size()) +
                               " channels, of which the stack has " + s.channels.text());
    if (port.cpu_side) dealt_ = interleave_of(params.share, *port.cpu_side);
    state.banks.assign(banks, {});
    state.reads.assign(params.requests(), {});
    for (std::uint32_t i = params.requests(); i-- > 0;) state.free_reads.push_back(i);
    state.commands.assign(params.commands(), {});
    for (std::uint32_t i = params.commands(); i-- > 0;) state.free_commands.push_back(i);
    state.base.resize(static_cast<std::uint32_t>(params.buffer->raw / s.page->raw));
    wires_.emplace(params.times.rate(), params.energies.wire_energy(), s.channels(), stat.wires,
                   state.wires);
    cells_.emplace(HbfCells::Config {geometry_, params.times, params.reliability, params.energies,
                                     params.written(), sim().contents().enabled(),
                                     bool {port.refreshes}, path()},
                   stat.cells, state.cells);
    set(stat.figures, s, params.times, params.reliability.endurance());
}

void HbfStack::wake() {
    std::sort(state.due.begin(), state.due.end());
    for (const std::uint32_t bank : state.due) {
        device_parts::named(state.banks, bank).due = false;
        advance_bank(bank);
    }
    state.due.clear();
    for (bool taken = true; taken;) {
        taken = port.cpu_side && take_read();
        for (std::uint32_t c = 0; c < port.host.size(); ++c) taken |= take_command(c);
    }
    report_refreshes();
}

// ---- acceptance --------------------------------------------------------------------------------

bool HbfStack::take_read() {
    auto& in = *port.cpu_side;
    if (in.empty()) return false;
    const MemRequest r = in.front();
    if (protocol::for_a_cache(r.command)) { // a memory has nothing to do for it
        in.pop();
        if (!r.posted) in.send(protocol::answer(r));
        return true;
    }
    const HbfPlace at = place_of(r);
    const std::uint64_t page = geometry_.page_number(at);
    HbfBank& bank = state.banks[at.bank];
    HbfPageBuffer* const open = bank.open(page);
    const bool here = open || state.base.has(page);
    if (r.is_hint() &&
        (here || state.free_reads.empty() || is_coming(bank, page, state.reads, geometry_))) {
        in.pop();
        ++stat.dropped_hints;
        return true;
    }
    if (here) {
        in.pop();
        const Tick done = deliver(r, at, now());
        ++(open ? stat.buffer_hits : stat.base_hits);
        if (open) open->used_at = now(), open->free_at = std::max(open->free_at, done);
        return true;
    }
    if (state.free_reads.empty()) return stall();
    in.pop();
    state.stalled = false;
    stat.hints += r.is_hint();
    stat.joined += bank.senses(page);
    const std::uint32_t slot = state.free_reads.back();
    state.free_reads.pop_back();
    state.reads[slot] = {r, at, now()};
    (bank.senses(page) ? bank.joined : bank.reads).push(slot);
    advance_bank(at.bank);
    return true;
}

bool HbfStack::take_command(std::uint32_t channel) {
    auto& in = port.host[channel];
    if (in.empty()) return false;
    if (state.free_commands.empty()) return stall();
    state.stalled = false;
    const FlashRequest r = in.pop();
    if (const std::string fault = fault_of(r, geometry_); !fault.empty())
        throw ConfigError(path() + ": a command of the host " + fault);
    const HbfPlace at = geometry_.place(channel, r.place);
    if (r.written_before) cells_->written_before(at, r.written_before);
    const std::uint32_t slot = state.free_commands.back();
    state.free_commands.pop_back();
    state.commands[slot] = {r, at, now()};
    state.banks[at.bank].commands.push(slot);
    advance_bank(at.bank);
    return true;
}

bool HbfStack::stall() {
    if (!std::exchange(state.stalled, true)) ++stat.stalls;
    return false;
}

HbfPlace HbfStack::place_of(const MemRequest& r) const {
    if (dealt_) check_own(params.share, *dealt_, r.address, *this);
    const std::uint64_t address = within(r.address);
    if (const std::string fault = fault_of(r, address, geometry_); !fault.empty())
        throw ConfigError(path() + ".cpu_side: a request of " + std::to_string(r.bytes) +
                          "B at address " + std::to_string(r.address) + " " + fault);
    return geometry_.place(address);
}

// ---- banks -------------------------------------------------------------------------------------

/// Ends and begins what can be, and arms the event at which the bank has something to do.
void HbfStack::advance_bank(std::uint32_t number) {
    HbfBank& bank = state.banks[number];
    if (bank.work != Work::none && bank.until <= now()) finish_work(bank);
    if (bank.work == Work::none) begin_work(bank);
    if (bank.due) return;
    if (bank.work == Work::none && !bank.waiting()) return;
    const Tick at = bank.work == Work::none ? bank.buffer_free_at() : bank.until;
    bank.due = true;
    after<&HbfStack::bank_due>(Time {std::max<Tick>(1, at - now())}, {number});
}

/// Gives the array the oldest work that waits, if a page buffer for it is free.
void HbfStack::begin_work(HbfBank& bank) {
    if (!bank.waiting()) return;
    const std::uint8_t buffer = bank.free_buffer(now());
    const bool read = !bank.reads.empty() &&
                      (bank.commands.empty() || state.reads[bank.reads.front()].since <=
                                                    state.commands[bank.commands.front()].since);
    const FlashOp op = read ? FlashOp::read : state.commands[bank.commands.front()].request.op;
    if (op != FlashOp::erase && buffer == HbfBank::page_buffers) return;
    bank.command = read ? HbfBank::none : bank.commands.pop();
    if (op == FlashOp::erase)
        begin_erase(bank, state.commands[bank.command]);
    else if (op == FlashOp::program)
        begin_program(bank, state.commands[bank.command], buffer);
    else
        begin_sense(
            bank, read ? state.reads[bank.reads.front()].place : state.commands[bank.command].place,
            buffer);
}

void HbfStack::begin_sense(HbfBank& bank, const HbfPlace& at, std::uint8_t buffer) {
    const std::uint64_t page = geometry_.page_number(at);
    bank.work = Work::sense;
    bank.buffer = buffer;
    bank.buffers[buffer].page = page;
    bank.until = now() + cells_->sense(at, now());
    for (std::uint32_t n = bank.reads.size(); n-- > 0;) {
        const std::uint32_t slot = bank.reads.pop();
        const bool joins = geometry_.page_number(state.reads[slot].place) == page;
        (joins ? bank.joined : bank.reads).push(slot);
    }
    stat.joined += bank.joined.size() - (bank.command == HbfBank::none); // the read that senses
}

void HbfStack::begin_program(HbfBank& bank, const HostCommand& c, std::uint8_t buffer) {
    const Contents::Id data = c.request.contents;
    const Tick time = cells_->program(c.place, data ? &sim().contents()[data] : nullptr);
    if (data) sim().contents().release(data);
    bank.work = Work::program;
    bank.buffer = buffer;
    bank.until = wires_->from_host(c.place.channel, geometry_.page_bytes, now()) + time;
    bank.buffers[buffer] = {HbfPageBuffer::none, bank.until, now()};
}

void HbfStack::begin_erase(HbfBank& bank, const HostCommand& c) {
    const std::uint64_t first = geometry_.block_number(c.place) * geometry_.pages;
    bank.work = Work::erase;
    bank.until = now() + cells_->erase(c.place, now());
    bank.forget(first, geometry_.pages);
    state.base.forget(first, geometry_.pages);
}

void HbfStack::finish_work(HbfBank& bank) {
    const Work work = std::exchange(bank.work, Work::none);
    Tick last = now();
    if (work == Work::sense) {
        HbfPageBuffer& buffer = bank.buffers[bank.buffer];
        while (!bank.joined.empty()) {
            const std::uint32_t slot = bank.joined.pop();
            const Read& read = state.reads[slot];
            if (!read.request.is_hint())
                last = std::max(last, deliver(read.request, read.place, read.since));
            state.free_reads.push_back(slot);
        }
        state.base.insert(buffer.page);
        if (bank.command != HbfBank::none) {
            const HostCommand& c = state.commands[bank.command];
            last = std::max(last, wires_->to_host(c.place.channel, c.request.bytes, now()));
        }
        buffer.used_at = now(), buffer.free_at = last;
    }
    if (bank.command != HbfBank::none)
        answer_command(std::exchange(bank.command, HbfBank::none), last - now());
}

/// Sends a read's bytes over the wires and answers it; returns when the last byte has left.
Tick HbfStack::deliver(const MemRequest& r, const HbfPlace& at, Tick since) {
    const std::uint32_t moved = moved_bytes(r);
    const Tick done = wires_->to_host(at.channel, moved, now());
    ++stat.reads;
    stat.bytes += r.payload();
    stat.read_latency.sample(Time {done - since});
    protocol::MemResponse answer = protocol::answer(r);
    sim().stamps().mark(answer.stamps, page_sense, now());
    sim().stamps().mark(answer.stamps, protocol::Stage::channel, done + params.times.latency->raw);
    if (sim().contents().enabled()) answer.contents = data_of(r, at);
    port.cpu_side->send_ahead(answer, Time {done - now()});
    return done;
}

void HbfStack::answer_command(std::uint32_t command, Tick delay) {
    const HostCommand c = state.commands[command];
    Contents::Id contents;
    if (c.request.op == FlashOp::read && sim().contents().enabled()) {
        contents = sim().contents().create();
        cells_->read(c.place, sim().contents(), contents);
    }
    port.host[c.place.channel].send_ahead({contents, c.request.tag, c.request.op}, Time {delay});
    state.free_commands.push_back(command);
}

// ---- what the pages hold -----------------------------------------------------------------------

Contents::Id HbfStack::data_of(const MemRequest& r, const HbfPlace& at) {
    Contents& contents = sim().contents();
    const Contents::Id id = contents.create();
    const auto first =
        static_cast<std::uint32_t>(within(r.address) % geometry_.page_bytes / SectorBytes::size);
    for_each_sector(r, [&](std::uint64_t, std::uint32_t i) {
        contents[id].pieces.push_back({i, cells_->read(at, first + i)});
    });
    return id;
}

void HbfStack::functional(const PortBase& at, FunctionalAccess& access) {
    FunctionalAccess in_page = access;
    HbfPlace place;
    if (port.cpu_side && &at == &*port.cpu_side) {
        const std::uint64_t address = within(access.address);
        place = geometry_.place(address);
        in_page.address = address % geometry_.page_bytes;
    } else {
        std::uint32_t channel = 0;
        while (&port.host[channel] != &at) ++channel;
        place = geometry_.place(channel, static_cast<protocol::FlashAccess&>(access).place);
    }
    cells_->functional(place, in_page);
    access.data = in_page.data;
}

// ---- reports -----------------------------------------------------------------------------------

void HbfStack::report_refreshes() {
    if (!port.refreshes) return;
    while (cells_->refresh_due() && port.refreshes->can_send()) {
        const HbfPlace at = cells_->next_refresh();
        port.refreshes->send({geometry_.command_place(at), static_cast<std::uint16_t>(at.channel),
                              cells_->senses_of(at)});
    }
}

protocol::FlashTimes HbfStack::flash_times() const {
    return {params.times.t_read->raw, params.times.t_program->raw, params.times.t_erase->raw};
}

void HbfStack::waits_on(WaitReport& report) const {
    if (pending())
        report.add(path() + ": " + std::to_string(under_way()) + " requests wait for a bank");
}

std::optional<std::string> HbfStack::imbalance() const {
    if (pending()) return std::to_string(under_way()) + " requests were not answered";
    return {};
}

void HbfStack::check_loaded(Loader& l) const {
    for (const HbfBank& bank : state.banks) // without a port nothing waits
        check_bank(l, bank, port.cpu_side ? state.reads.size() : 0,
                   port.host.size() ? state.commands.size() : 0);
    for (const Read& r : state.reads) {
        check_place(l, "reads.place", r.place, geometry_);
        l.index("reads.request", r.request.bytes, geometry_.page_bytes + 1);
    }
    for (const HostCommand& c : state.commands) {
        check_place(l, "commands.place", c.place, geometry_);
        l.index("commands.place", c.place.channel, std::max(1u, port.host.size()));
    }
    l.indices("due", state.due, state.banks.size());
    cells_->check_loaded(l);
    wires_->check_loaded(l);
    state.base.check_loaded(l);
}

} // namespace memsim::flash
