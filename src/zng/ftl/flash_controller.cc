#include "zng/ftl/flash_controller.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"
#include "protocol/traffic.hh"
#include "zng/network/line_packet.hh"
#include "zng/network/mesh.hh"

namespace memsim::zng {

using protocol::Command;
using protocol::MemRequest;
using protocol::Stage;

static const Registration<FlashController> flash_controller {
    "ZnG's flash controller: turns requests of L2 slices into flash network packets."};
static const memsim::Stage controlling {"flash_controller"};

void FlashController::init() {
    flash_ = params.geometry.flash(path());
    addresses_ = PacketAddresses(flash_, {params.first_package(), params.ports()});
    first_logs_ = params.geometry.log_blocks(path(), 0);
    if (const std::string wrong = wrong_endpoint(port.input, params.endpoint()); !wrong.empty())
        refuse("endpoint", wrong);
    check_packages();
    for (unsigned i = 0; i < port.mem.size(); ++i) {
        protocol::check_block(port.mem[i], flash_line_bytes, port.mem[i].name());
        protocol::check_chunk(port.mem[i], page_bytes, port.mem[i].name());
    }
    if (params.thrash_low->raw > params.thrash_high->raw)
        refuse("thrash_low", "it exceeds thrash_high");
    const auto share = [&](Fraction f) {
        return static_cast<std::uint32_t>(std::uint64_t {params.thrash_window()} *
                                          static_cast<std::uint64_t>(f.raw) /
                                          static_cast<std::uint64_t>((100_pct).raw));
    };
    high_ = share(params.thrash_high()), low_ = share(params.thrash_low());
    if (port.collector) tables_ = &port.collector->interface<HasLogBlocks>();
    state.slots.resize(params.requests() + reserved_slots());
    for (auto i = static_cast<std::uint32_t>(state.slots.size()); i-- > 0;) state.free.push_back(i);
    state.waiting.resize(params.geometry.packages());
    state.out.assign(params.geometry.packages(), 0);
    state.pinned.assign(params.pins(), 0);
}

/// A package with another geometry would decode packets to wrong places.
void FlashController::check_packages() const {
    const auto* network = port.output.find_interface<const HasEndpoints>();
    for (unsigned e = 0; network && e < network->endpoints(); ++e) {
        const PortBase& to = network->output(e);
        const auto* package = to.find_interface<const HasPackageGeometry>();
        if (!package) continue;
        check_same_geometry(path(), params.geometry.package, to.neighbour_path(),
                            package->package_geometry());
        if (package->network_ports() != params.ports())
            refuse("ports", params.ports.text() + ", but " + to.neighbour_path() + " has " +
                                std::to_string(package->network_ports()) + ": give both the same");
    }
}

void FlashController::wake() {
    do {
        while (!port.input.empty() && receive(port.input.front())) port.input.pop();
        take_requests();
        send(); // may free room for copies
    } while (!port.input.empty() && state.copies.size() < params.copy_buffer());
    for (unsigned i = 0; i < params.pins(); ++i)
        while (!port.pin[i].empty()) port.pin[i].pop();
    send_reservations();
    while (!state.low_logs.empty() && port.log_low->can_send())
        port.log_low->send(state.low_logs.pop());
}

/// Serves the ports in turn, while there is room.
void FlashController::take_requests() {
    while (port.collector && !port.collector->empty()) accept(port.collector->pop());
    const unsigned ports = port.mem.size();
    for (unsigned idle = 0; idle < ports && state.requests < params.requests();) {
        state.last_port = state.last_port + 1 == ports ? 0 : state.last_port + 1;
        auto& p = port.mem[state.last_port];
        idle = p.empty() ? idle + 1 : 0;
        if (!p.empty()) accept(p.pop(), state.last_port);
    }
}

std::uint32_t FlashController::take_slot() {
    const std::uint32_t i = state.free.back();
    state.free.pop_back();
    state.slots[i] = {};
    state.slots[i].accepted = now();
    state.slots[i].next = none;
    state.slots[i].last = i;
    stat.held.set(now(), ++state.held);
    return i;
}

void FlashController::accept(const MemRequest& r, unsigned from_port) {
    if (r.address % line_bytes + r.bytes > line_bytes || r.bytes == 0)
        throw ConfigError(path() + ": a request of " + std::to_string(r.bytes) +
                          " bytes at address " + std::to_string(r.address) +
                          " is not within a line of 128 bytes: put a cache of such lines in front");
    const std::uint64_t end = tables_ ? flash_.capacity()
                                      : std::uint64_t {params.geometry.package.data_blocks()} *
                                            flash_.groups() * flash_.block_bytes();
    if (r.address >= end)
        throw ConfigError(path() + ": address " + std::to_string(r.address) +
                          " lies beyond the flash, which holds " + std::to_string(end) + " bytes");
    MEMSIM_ASSERT(!protocol::for_a_cache(r.command), "a cache's command comes to the flash");
    const std::uint32_t s = take_slot();
    ++state.requests;
    Slot& slot = state.slots[s];
    slot.request = r;
    slot.from_port = static_cast<std::uint16_t>(from_port);
    slot.package = flash_.package_of(flash_.block_of(r.address), flash_.page_of(r.address));
    ++(r.command == Command::read    ? stat.reads
       : r.command == Command::write ? stat.writes
                                     : stat.atomics);
    if (r.command != Command::write) stat.read_bytes += r.payload();
    if (r.command != Command::read) stat.write_bytes += r.payload();
    const std::uint64_t line = r.address / line_bytes;
    std::uint32_t* const last = state.line.find(line);
    if (!last) {
        state.line[line] = s;
        return queue_request(s);
    }
    ++stat.followed;
    state.slots[*last].next = s;
    *last = s;
}

void FlashController::accept(const CollectRequest& r) {
    const std::uint32_t s = take_slot();
    Slot& slot = state.slots[s];
    slot.collects = true;
    slot.collect = r;
    slot.package = flash_.package_of(r.data, r.page);
    MEMSIM_ASSERT(r.op == CollectOp::erase || flash_.package_of(r.to, r.page) == slot.package,
                  "a collector moves a page or extends a log block across packages");
    state.collecting.push(s);
}

void FlashController::queue_request(std::uint32_t slot) {
    state.waiting[state.slots[slot].package].push(slot);
    ++state.queued;
}

/// Copies first, because planes wait for them; then requests of the collector, then packages in
/// turn.
void FlashController::send() {
    while (!state.copies.empty() && port.output.can_send()) port.output.send(state.copies.pop());
    while (!state.collecting.empty() && port.output.can_send())
        port.output.send(packet(state.collecting.pop()));
    const auto packages = static_cast<std::uint32_t>(state.waiting.size());
    for (std::uint32_t idle = 0; state.queued && idle < packages;) {
        if (!port.output.can_send()) {
            stat.full += !state.blocked;
            state.blocked = true;
            return;
        }
        state.blocked = false;
        std::uint32_t& p = state.last_package;
        p = p + 1 == packages ? 0 : p + 1;
        if (state.waiting[p].empty() || state.out[p] == params.window()) {
            ++idle;
            continue;
        }
        idle = 0;
        --state.queued;
        ++state.out[p];
        port.output.send(packet(state.waiting[p].pop()));
    }
}

FlashPacket FlashController::packet(std::uint32_t slot) {
    Slot& s = state.slots[slot];
    FlashPacket p;
    p.tag = slot;
    p.source = static_cast<std::uint16_t>(params.endpoint());
    if (s.collects)
        addresses_.collect(p, s.collect);
    else
        fill_packet(p, slot);
    return p;
}

/// Names the line of a physical address and its package.
void FlashController::name_line(FlashPacket& p, std::uint64_t address) const {
    const LogBlocks& logs = tables_ ? tables_->log_blocks() : first_logs_;
    addresses_.line(p, address, logs.log_of(flash_.block_of(address)));
}

/// Fills a packet from a request. A write's packet also carries the writes that wait behind it.
void FlashController::fill_packet(FlashPacket& p, std::uint32_t slot) {
    Slot& s = state.slots[slot];
    LinePacket line(p, sim().contents());
    const auto leave = [&](MemRequest& r) {
        sim().stamps().mark(r.stamps, static_cast<std::size_t>(Stage::queue), now());
        sim().stamps().mark(r.stamps, controlling, now() + params.decode->raw);
    };
    name_line(p, s.request.address);
    leave(s.request);
    p.stamps = s.request.stamps;
    if (s.request.command != Command::write && !s.was_read) return line.read(s.request);
    line.write(s.request);
    for (std::uint32_t i = s.next; i != none && params.combine(); i = state.slots[i].next) {
        MemRequest& r = state.slots[i].request;
        if (r.command != Command::write && !(s.was_read && r.command == Command::atomic)) break;
        line.write(r);
        leave(r);
        s.last = i;
        ++stat.combined;
    }
}

/// Returns false if the packet must wait in the port.
bool FlashController::receive(const FlashPacket& p) {
    if (p.kind == PacketKind::copy_out) {
        if (state.copies.size() == params.copy_buffer()) return false;
        FlashPacket back = p;
        std::swap(back.source, back.destination);
        back.kind = PacketKind::copy_back;
        state.copies.push(back);
        ++stat.copies;
    } else if (p.kind == PacketKind::log_low) {
        ++stat.log_lows;
        if (!port.log_low) return true;
        state.low_logs.push(addresses_.low(p));
    } else if (p.kind == PacketKind::rest)
        stat.unasked_bytes += p.bytes;
    else if (is_answer(p.kind))
        complete(p.tag, p);
    else
        refuse("first_package",
               "endpoint " + std::to_string(p.destination) +
                   " belongs to a controller, but a request for a package arrived there");
    return true;
}

void FlashController::complete(std::uint32_t slot, const FlashPacket& p) {
    Slot& s = device_parts::named(state.slots, slot);
    if (s.collects) {
        ++(s.collect.op == CollectOp::move    ? stat.moves
           : s.collect.op == CollectOp::erase ? stat.erases
                                              : stat.extensions);
        port.collector->send({s.collect.tag, s.collect.page, s.collect.op});
        return release(slot);
    }
    --state.out[s.package];
    const bool read = p.kind == PacketKind::data;
    if (read) {
        if (s.request.command == Command::atomic) {
            sim().contents().release(p.contents);
            s.was_read = true;
            return queue_request(slot);
        }
    } else {
        const bool hit = p.sectors;
        stat.register_misses += !hit;
        if (state.checker.count_write(hit, params.thrash_window(), high_, low_))
            stat.thrashes += state.checker.thrashing;
    }
    const std::uint64_t line = s.request.address / line_bytes;
    const std::uint32_t last = s.last;
    std::uint32_t next = slot;
    for (bool more = true; more;) { // all requests that the packet carried
        const std::uint32_t i = next;
        const Slot& done = state.slots[i];
        const MemRequest& r = done.request;
        more = i != last, next = done.next;
        (read ? stat.read_latency : stat.write_latency)
            .sample(static_cast<std::uint64_t>(now() - done.accepted));
        sim().stamps().mark(r.stamps, i == slot ? FlashStage::network : Stage::channel, now());
        if (r.needs_response()) {
            sim().stamps().mark(r.stamps, controlling, now() + params.latency->raw);
            protocol::MemResponse answer = protocol::answer(r);
            answer.contents = LinePacket::answer(sim().contents(), r, p.contents);
            port.mem[done.from_port].send(answer);
        }
        --state.requests;
        release(i);
    }
    if (next != none)
        queue_request(next);
    else
        state.line.erase(line);
}

void FlashController::release(std::uint32_t slot) {
    state.free.push_back(slot);
    state.slots[slot].last = slot; // the requests that followed it have left
    stat.held.set(now(), --state.held);
}

void FlashController::send_reservations() {
    const unsigned ways = state.checker.thrashing ? params.pin_ways() : 0;
    for (unsigned i = 0; i < params.pins(); ++i)
        if (state.pinned[i] != ways && port.pin[i].can_send()) {
            MemRequest r;
            r.command = Command::reserve;
            r.bytes = ways;
            port.pin[i].send(r);
            state.pinned[i] = static_cast<std::uint8_t>(ways);
        }
}

void FlashController::functional(const PortBase&, FunctionalAccess& access) {
    FlashPacketAccess a {access, {}};
    name_line(a.packet, access.address);
    a.address = flash_.offset_in_page(access.address);
    look_through(port.output, a);
    access.data = a.data;
}

void FlashController::check_loaded(Loader& l) const {
    const std::size_t slots = state.slots.size(), packages = state.waiting.size();
    for (const Slot& s : state.slots) {
        if (s.next != none) l.index("slots.next", s.next, slots);
        l.index("slots.package", s.package, packages);
        l.index("slots.from_port", s.from_port, port.mem.size());
        if (s.collects) continue;
        l.index("slots.request", s.request.address, flash_.capacity());
    }
    for (std::uint32_t i = 0; i < slots; ++i)
        l.within("slots.last", [&] {
            const std::uint32_t last = state.slots[i].last;
            std::uint32_t at = i;
            for (std::size_t left = slots; at != none && at != last && left; --left)
                at = state.slots[at].next;
            l.check(at == last || last == none, "does not follow its request");
        });
    for (const auto& queue : state.waiting) l.indices("waiting", queue, slots);
    l.indices("collecting", state.collecting, slots);
    state.line.all([&](std::uint64_t, std::uint32_t slot) {
        l.index("line", slot, slots);
        return true;
    });
    l.index("last_package", state.last_package, packages);
    l.index("last_port", state.last_port, std::max(1u, port.mem.size()));
}

void FlashController::waits_on(WaitReport& report) const {
    if (state.held)
        report.add(path() + ": " + std::to_string(state.held) + " requests held, " +
                   std::to_string(state.queued) + " of them not sent");
}

std::optional<std::string> FlashController::imbalance() const {
    if (state.held) return std::to_string(state.held) + " requests were not answered";
    if (!state.copies.empty() || !state.low_logs.empty())
        return "packets of the network were not forwarded";
    return {};
}

} // namespace memsim::zng
