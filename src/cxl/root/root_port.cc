#include "cxl/root/root_port.hh"

#include "core/kernel/registry.hh"
#include "cxl/flit/lines.hh"
#include "device_parts/named.hh"
#include "device_parts/record_part.hh"

namespace memsim::cxl {

using protocol::Command;

static const Registration<RootPort> root_port {"A CXL root port: the host's end of a link."};

void RootPort::init() {
    link_.emplace(*this, params.link, stat.link, state.link, port.flits_in, port.flits_out, false);
    link_->init();
    state.asked.resize(params.outstanding());
    for (std::uint32_t tag = params.outstanding(); tag-- > 0;) state.free_tags.push_back(tag);
}

void RootPort::wake() {
    link_->receive();
    while (link_->arrived()) take_response(link_->pop());
    take_requests();
    link_->send();
    while (take_requests()) link_->send(); // packing has freed space
}

/// Returns true if a request was accepted.
bool RootPort::take_requests() {
    auto& in = port.cpu_side;
    bool taken = false;
    for (; !in.empty(); in.pop(), taken = true) {
        const MemRequest& r = in.front();
        if (r.is_hint()) {
            take_hint(r);
            continue;
        }
        MEMSIM_ASSERT(r.command <= Command::atomic, "a request that a memory does not support");
        const std::uint32_t lines = lines_to_send(r);
        if (state.free_tags.size() < lines || link_->waiting() + lines > params.buffer()) break;
        take_request(r);
    }
    return taken;
}

/// Number of messages for a request, one per line. Refuses a request that can never be accepted.
std::uint32_t RootPort::lines_to_send(const MemRequest& r) const {
    const std::uint32_t most = std::min(params.outstanding(), params.buffer());
    const std::uint32_t lines = r.bytes / line_bytes > most ? r.bytes / line_bytes : lines_of(r);
    if (lines > most)
        refuse("buffer", "a request of " + std::to_string(r.bytes) + " bytes needs more than " +
                             std::to_string(most) +
                             " messages of 64 bytes, the maximum that can wait at the same time: "
                             "make buffer and outstanding larger");
    return lines;
}

/// Sends one line, or units of 256 bytes up to the maximum of one message.
void RootPort::take_hint(const MemRequest& r) {
    if (link_->waiting() >= params.buffer()) {
        ++stat.hints_dropped;
        return;
    }
    Message m;
    m.opcode = Opcode::mem_spec_rd;
    const std::uint64_t end = r.address + r.bytes;
    m.address = r.address / line_bytes * line_bytes;
    if (end > m.address + line_bytes) {
        m.address = r.address / spec_unit * spec_unit;
        const std::uint64_t units = (end - m.address + spec_unit - 1) / spec_unit;
        m.units = static_cast<std::uint8_t>(std::min<std::uint64_t>(units, most_spec_units));
    }
    link_->push(m);
    ++stat.speculative_reads;
}

void RootPort::take_request(const MemRequest& r) {
    Contents& contents = sim().contents();
    const std::uint32_t lines = lines_of(r);
    const std::uint32_t head = state.free_tags.back();
    Asked& asked = state.asked[head];
    asked.unanswered = lines;
    asked.posted = r.posted;
    asked.since = now();
    asked.answer = protocol::answer(r);
    for_each_line(r, [&](const Line& line) {
        const std::uint32_t tag = state.free_tags.back();
        state.free_tags.pop_back();
        state.asked[tag].head = head;
        state.asked[tag].first = line.first;
        Message m;
        m.tag = static_cast<std::uint16_t>(tag);
        m.address = line.address;
        m.half = line.half;
        if (tag == head) m.aside.stamps = r.stamps;
        if (r.command == Command::read) {
            m.opcode = Opcode::mem_rd;
            ++stat.reads;
        } else {
            const bool whole = r.command == Command::write && writes_whole(r, line);
            m.opcode = whole                          ? Opcode::mem_wr
                       : r.command == Command::atomic ? Opcode::atomic
                                                      : Opcode::mem_wr_ptl;
            ++(whole ? stat.writes : stat.partial_writes);
            if (!whole)
                m.enables = enables_of(r, line, r.contents ? &contents[r.contents] : nullptr);
            if (r.contents) {
                m.aside.contents = lines == 1
                                       ? r.contents
                                       : device_parts::part_of(contents, r.contents, line.first,
                                                               line.half ? 1 : 2);
                copy_values(contents[m.aside.contents], m);
            }
        }
        link_->push(m);
    });
    if (r.contents && lines > 1) contents.release(r.contents);
}

void RootPort::take_response(const Message& m) {
    link_->give_place(credit_class_of(m.opcode));
    ++stat.loads[m.load];
    for (std::uint32_t i = 0; i < port.telemetry.size(); ++i) {
        if (port.telemetry[i].can_send())
            port.telemetry[i].send({m.load});
        else
            ++stat.lost_telemetry;
    }
    const Asked asked = device_parts::named(state.asked, m.tag);
    MEMSIM_ASSERT(asked.head != none, "a message is answered that was not sent");
    Asked& request = state.asked[asked.head];
    Contents& contents = sim().contents();
    if (m.aside.contents) {
        copy_values(m, contents[m.aside.contents]);
        Contents::Id& whole = request.answer.contents;
        if (request.unanswered == 1 && !whole && asked.first == 0)
            whole = m.aside.contents;
        else {
            if (!whole) whole = contents.create();
            device_parts::add_part(contents, whole, asked.first, m.aside.contents);
        }
    }
    if (m.tag != asked.head) {
        state.asked[m.tag].head = none;
        state.free_tags.push_back(m.tag);
    }
    if (--request.unanswered) return;
    if (request.answer.contents) device_parts::sort_parts(contents, request.answer.contents);
    stat.round_trip.sample(Time {now() - request.since});
    // After the stages of the first message, the request waited for its last message.
    sim().stamps().mark(request.answer.stamps, LinkStage::wires, link_->delivered(now()));
    if (!request.posted) port.cpu_side.send(request.answer);
    request.head = none;
    request.answer = {};
    state.free_tags.push_back(asked.head);
}

bool RootPort::pending() const { return busy_tags() != 0 || !link_->idle(); }

void RootPort::waits_on(WaitReport& report) const {
    link_->waits_on(report);
    if (busy_tags())
        report.add(path() + " has sent " + std::to_string(busy_tags()) + " messages that " +
                   port.flits_out.neighbour_path() + " has not answered");
}

std::optional<std::string> RootPort::imbalance() const {
    if (busy_tags()) return std::to_string(busy_tags()) + " messages were not answered";
    return link_->imbalance();
}

void RootPort::check_loaded(Loader& l) const {
    for (const Asked& a : state.asked)
        if (a.head != none) l.index("asked", a.head, state.asked.size());
    link_->check_loaded(l);
}

void RootPort::functional(const PortBase&, FunctionalAccess& access) {
    look_through(port.flits_out, access);
}

} // namespace memsim::cxl
