#include "cxl/endpoint/device_port.hh"

#include "core/kernel/registry.hh"
#include "cxl/flit/lines.hh"
#include "device_parts/named.hh"

namespace memsim::cxl {

using protocol::Command;
using protocol::MemResponse;

static const Registration<DevicePort> device_port {
    "The port of a CXL.mem device, in front of its medium."};

void DevicePort::init() {
    link_.emplace(*this, params.link, stat.link, state.link, port.flits_in, port.flits_out, true);
    link_->init();
    state.asked.resize(params.outstanding());
    for (std::uint32_t tag = params.outstanding(); tag-- > 0;) state.free_tags.push_back(tag);
}

void DevicePort::wake() {
    link_->receive();
    if (port.medium_load)
        while (!port.medium_load->empty()) state.medium = port.medium_load->pop().load;
    take_answers(); // frees space for requests
    do fill_ingress();
    while (send_requests());
    stat.ingress.set(now(), state.ingress.size() + params.outstanding() - state.free_tags.size());
    link_->send();
    state.egress.set(now(), link_->blocked(), params.window->raw);
}

void DevicePort::fill_ingress() {
    while (link_->arrived() && state.ingress.size() < params.ingress()) {
        state.ingress.push(link_->pop());
        link_->give_place(credit_class_of(state.ingress.back().opcode));
    }
}

/// Returns true if a message has left the ingress queue.
bool DevicePort::send_requests() {
    auto& out = port.mem_side;
    bool sent = false;
    for (; !state.ingress.empty(); state.ingress.drop(), sent = true) {
        Message& m = state.ingress.front();
        if (m.opcode == Opcode::mem_spec_rd) {
            const bool taken = out.offer(protocol::hint(m.address, m.announced()));
            ++(taken ? stat.hints : stat.hints_dropped);
            continue;
        }
        if (state.free_tags.empty() || !out.can_send()) break;
        MemRequest r = request_of(m);
        if (r.contents) copy_values(m, sim().contents()[r.contents]);
        r.tag = state.free_tags.back();
        state.free_tags.pop_back();
        state.asked[r.tag] = {true, m.tag, m.half};
        sim().stamps().mark(r.stamps, protocol::Stage::queue, link_->delivered(now()));
        ++(r.command == Command::read ? stat.reads : stat.writes);
        out.send(r);
    }
    return sent;
}

void DevicePort::take_answers() {
    while (!port.mem_side.empty()) {
        const MemResponse r = port.mem_side.pop();
        Asked& asked = device_parts::named(state.asked, r.tag);
        MEMSIM_ASSERT(asked.live, "the medium answers a request that was not sent");
        Message m;
        m.opcode = r.command == Command::write ? Opcode::cmp : Opcode::mem_data;
        m.tag = asked.tag;
        m.half = asked.half && m.has_data();
        m.load = load();
        m.aside = {r.contents, r.stamps};
        if (r.contents) copy_values(sim().contents()[r.contents], m);
        link_->push(m);
        ++stat.loads[m.load];
        asked = {};
        state.free_tags.push_back(r.tag);
    }
}

DevLoad DevicePort::load() const {
    return std::max({state.medium, load_of(state.ingress.size(), params.ingress()),
                     state.egress.load(now(), params.window->raw, params.moderate, params.severe)});
}

bool DevicePort::pending() const {
    return !state.ingress.empty() || port.mem_side.outstanding() || !link_->idle();
}

void DevicePort::waits_on(WaitReport& report) const {
    link_->waits_on(report);
    if (!state.ingress.empty())
        report.add(path() + " holds " + std::to_string(state.ingress.size()) + " messages for " +
                   port.mem_side.neighbour_path());
}

std::optional<std::string> DevicePort::imbalance() const {
    if (!state.ingress.empty()) return "messages remain in the ingress queue";
    return link_->imbalance();
}

void DevicePort::functional(const PortBase&, FunctionalAccess& access) {
    look_through(port.mem_side, access);
}

} // namespace memsim::cxl
