#include "cxl/root/host_bridge.hh"

#include "core/kernel/registry.hh"

namespace memsim::cxl {

using protocol::MemRequest;

static const Registration<HostBridge> host_bridge {
    "Sends each request to the CXL root port selected by its HDM decoders."};
static const Stage in_bridge {"host_bridge"};

void HostBridge::init() {
    const unsigned ports = port.mem_side.size();
    if (ports == 0)
        refuse("mem_side", "is not connected: a host bridge needs at least one root port");
    state.hdm.entries.resize(params.decoders());
    state.waiting.resize(ports, params.buffer());
    firmware_ = &port.config.interface<const PlansAddresses>();
}

void HostBridge::wake() {
    answer_config();
    const auto passed = [this](Stamps::Id stamps) {
        sim().stamps().mark(stamps, in_bridge, now() + params.latency->raw);
    };
    const auto answered = [&](const protocol::MemResponse& r) { passed(r.stamps); };
    if (!state.hdm.enabled)
        return state.waiting.pass_answers(port.cpu_side, port.mem_side, answered);
    state.waiting.pass(
        port.cpu_side, port.mem_side, [this](const MemRequest& r) { return port_of(r); },
        [this](bool sent) { ++(sent ? stat.hints : stat.hints_dropped); },
        [&](std::uint32_t o, const MemRequest& r) {
            passed(r.stamps);
            ++stat.requests[o];
        },
        answered);
}

void HostBridge::answer_config() {
    auto& in = port.config;
    const std::uint32_t ports = port.mem_side.size();
    for (; !in.empty() && in.can_send();) {
        const CxlConfigRequest r = in.pop();
        if (r.write) state.hdm.write(r, {.targets = ports});
        const std::uint64_t value = r.reg == CxlRegister::decoder_count
                                        ? state.hdm.entries.size() | std::uint64_t {ports} << 8
                                        : state.hdm.read(r);
        in.send({value, r.tag});
    }
}

/// Returns `nowhere` for a hint outside of all ranges.
std::uint32_t HostBridge::port_of(const MemRequest& r) const {
    const HdmEntry* const e = state.hdm.find(r.address);
    if (e && (r.is_hint() || e->decoder.holds(r.address, r.bytes)))
        return e->targets[e->decoder.way(r.address)];
    if (r.is_hint()) return state.waiting.nowhere;
    refuse("decoders", "a request of " + std::to_string(r.bytes) + "B for address " +
                           std::to_string(r.address) +
                           (e ? ", which crosses the edge of an interleaved chunk"
                              : ", which is outside of all ranges that firmware has committed"));
}

void HostBridge::waits_on(WaitReport& report) const {
    if (!state.hdm.enabled) report.add(path() + " waits for firmware to program its decoders");
    if (state.waiting.held)
        report.add(path() + " holds " + std::to_string(state.waiting.held) +
                   " requests for its ports");
}

void HostBridge::functional(const PortBase&, FunctionalAccess& access) {
    for (const HdmEntry& e : firmware_->plan().ranges)
        if (e.decoder.holds(access.address))
            return look_through(port.mem_side[e.targets[e.decoder.way(access.address)]], access);
    refuse("decoders",
           "address " + std::to_string(access.address) +
               " is outside of all ranges that firmware commits: place programs in its window");
}

} // namespace memsim::cxl
