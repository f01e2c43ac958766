#include "cxl/endpoint/endpoint.hh"

#include "core/kernel/former_state.hh"

namespace memsim::cxl {

using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<Endpoint> endpoint {
    "A CXL memory device: its configuration space and the decoding of addresses."};
static const Stage in_endpoint {"endpoint"};

namespace {
struct FormerEndpoint { // state from when firmware polled until the memory was active
    HdmCapability hdm;
};
const FormerState<Endpoint, FormerEndpoint> former {
    [](const FormerEndpoint& was, Endpoint::State& now) { carry(was, now); }};
} // namespace

void Endpoint::init() {
    state.hdm.entries.resize(1);
    firmware_ = &port.config.interface<const PlansAddresses>();
}

void Endpoint::wake() {
    answer_config();
    while (!port.mem_side.empty() && port.cpu_side.can_send()) {
        MemResponse r = port.mem_side.pop();
        r.address = decoder().hpa(decoder().position, r.address);
        sim().stamps().mark(r.stamps, in_endpoint, now() + params.latency->raw);
        port.cpu_side.send(r);
    }
    if (!state.hdm.enabled || !state.hdm.entries[0].committed) return;
    for (auto& in = port.cpu_side; !in.empty();)
        if (in.front().is_hint())
            forward_hint(in.pop());
        else if (port.mem_side.can_send())
            forward(in.pop());
        else
            break;
}

void Endpoint::answer_config() {
    auto& in = port.config;
    while (!in.empty() && in.can_send()) {
        if (too_early(in.front())) return arm(state.active, params.media_ready->raw);
        const CxlConfigRequest r = in.pop();
        if (r.write) state.hdm.write(r, {.share = capacity()});
        in.send({read(r), r.tag});
    }
}

/// Firmware that reads an inactive size would poll.
bool Endpoint::too_early(const CxlConfigRequest& r) const {
    return !r.write && r.reg == CxlRegister::memory_size && now() < params.media_ready->raw;
}

std::uint64_t Endpoint::read(const CxlConfigRequest& r) const {
    switch (r.reg) {
    case CxlRegister::id:
        return params.vendor() | params.device() << 16;
    case CxlRegister::dvsec:
        return cxl_vendor_id;
    case CxlRegister::memory_size:
        return capacity() | memory_info_valid | memory_active;
    case CxlRegister::decoder_count:
        return state.hdm.entries.size();
    default:
        return state.hdm.read(r);
    }
}

/// The device's bytes in a range of host addresses are contiguous.
void Endpoint::forward_hint(MemRequest hint) {
    const HdmDecoder& d = decoder();
    const std::uint64_t end = hint.address + hint.bytes;
    bool sent = false;
    if (d.holds(hint.address) && d.holds(end - 1)) {
        hint.address = d.dpa_from(d.position, hint.address);
        hint.bytes = static_cast<std::uint32_t>(d.dpa_from(d.position, end) - hint.address);
        sent = hint.bytes != 0 && port.mem_side.offer(hint);
    }
    ++(sent ? stat.hints : stat.hints_dropped);
}

void Endpoint::forward(MemRequest r) {
    const HdmDecoder& d = decoder();
    if (!d.holds(r.address, r.bytes) || d.way(r.address) != d.position)
        refuse("capacity", "a request of " + std::to_string(r.bytes) + "B for host address " +
                               std::to_string(r.address) + " is outside the range of its decoder");
    r.address = d.dpa(r.address);
    sim().stamps().mark(r.stamps, in_endpoint, now() + params.latency->raw);
    ++(r.command == protocol::Command::read ? stat.reads : stat.writes);
    port.mem_side.send(r);
}

void Endpoint::waits_on(WaitReport& report) const {
    if (!state.hdm.enabled) report.add(path() + " waits for firmware to commit its decoder");
}

void Endpoint::functional(const PortBase&, FunctionalAccess& access) {
    const HdmDecoder d = firmware_->plan().of_port(firmware_->port_of(port.config));
    const std::uint64_t address = access.address;
    if (!d.holds(address))
        refuse("capacity", "functional access to host address " + std::to_string(address) +
                               " is outside the range of its decoder");
    access.address = d.dpa(address);
    look_through(port.mem_side, access);
    access.address = address;
}

} // namespace memsim::cxl
