#include "cxl/firmware/firmware.hh"

#include "core/kernel/registry.hh"

namespace memsim::cxl {

static const Registration<Firmware> firmware {
    "Enumerates CXL endpoints at start-up and programs the HDM decoders."};

void Firmware::init() {
    const auto& bridge = port.bridge.interface<const HasRootPorts>();
    if (port.endpoints.size() != bridge.root_ports())
        refuse("endpoints", "is connected to " + std::to_string(port.endpoints.size()) +
                                " devices, " + port.bridge.neighbour_path() + " has " +
                                std::to_string(bridge.root_ports()) +
                                " ports: connect the device behind each port, in the same order");
    std::vector<std::uint64_t> sizes;
    for (unsigned i = 0; i < port.endpoints.size(); ++i) {
        sizes.push_back(port.endpoints[i].interface<const HasCapacity>().capacity());
    }
    plan_.emplace(plan_for(sizes));
    if (plan_->ranges.size() > bridge.hdm_decoders())
        refuse("ranges", "there are " + std::to_string(plan_->ranges.size()) + " of them, and " +
                             port.bridge.neighbour_path() + " has " +
                             std::to_string(bridge.hdm_decoders()) + " decoders");
}

AddressPlan Firmware::plan_for(const std::vector<std::uint64_t>& sizes) const {
    return AddressPlan({static_cast<std::uint64_t>(params.window_base->raw),
                        static_cast<std::uint64_t>(params.window->raw), params.ways(),
                        static_cast<std::uint32_t>(params.granularity->raw), params.ranges()},
                       sizes, [this](const char* parameter, const std::string& sentence) {
                           refuse(parameter, sentence);
                       });
}

// ---- steps ------------------------------------------------------------------------------------

void Firmware::enumerate(std::vector<Step>& all) const {
    for (std::uint32_t d = 0; d < port.endpoints.size(); ++d)
        for (const CxlRegister reg :
             {CxlRegister::id, CxlRegister::dvsec, CxlRegister::memory_size})
            all.push_back({d, {.reg = reg}});
}

void Firmware::configure(std::vector<Step>& all, const AddressPlan& plan) const {
    const auto write = [&](std::uint32_t device, std::size_t decoder, CxlRegister reg,
                           std::uint64_t value) {
        all.push_back({device,
                       {.value = value,
                        .decoder = static_cast<std::uint16_t>(decoder),
                        .reg = reg,
                        .write = true}});
    };
    const auto commit = [&](std::uint32_t device, std::size_t i, const HdmDecoder& d) {
        write(device, i, CxlRegister::decoder_base, d.base);
        write(device, i, CxlRegister::decoder_size, d.bytes);
        write(device, i, CxlRegister::decoder_control, d.control() | HdmCapability::commit);
        all.push_back(
            {device,
             {.decoder = static_cast<std::uint16_t>(i), .reg = CxlRegister::decoder_control}});
    };
    const auto bridge = static_cast<std::uint32_t>(port.endpoints.size());
    for (std::uint32_t d = 0; d < bridge; ++d) {
        write(d, 0, CxlRegister::decoder_skip, 0);
        commit(d, 0, plan.of_port(d));
        write(d, 0, CxlRegister::decoder_enable, decoders_on);
    }
    for (std::size_t i = 0; i < plan.ranges.size(); ++i) {
        const auto& targets = plan.ranges[i].targets;
        for (const unsigned first : {0u, 8u}) {
            std::uint64_t eight = 0;
            for (unsigned t = 8; t-- > 0;) eight = eight << 8 | targets[first + t];
            write(bridge, i,
                  first ? CxlRegister::decoder_targets_high : CxlRegister::decoder_targets, eight);
        }
        commit(bridge, i, plan.ranges[i].decoder);
    }
    write(bridge, 0, CxlRegister::decoder_enable, decoders_on);
}

std::vector<Firmware::Step> Firmware::steps() const {
    std::vector<Step> all;
    enumerate(all);
    if (state.sizes.size() == port.endpoints.size())
        configure(all, plan_for({state.sizes.begin(), state.sizes.end()}));
    return all;
}

void Firmware::wake() {
    while (!state.done) {
        const std::vector<Step> all = steps();
        if (state.step == all.size()) return map_window();
        const Step& step = all[state.step];
        auto& device = registers(step.device);
        if (!state.waiting) {
            if (!device.can_send()) return;
            device.send(step.access);
            ++(step.access.write ? stat.writes : stat.reads);
            state.waiting = true;
        }
        if (device.empty()) return;
        state.waiting = false;
        if (accepted(step, device.pop().value)) ++state.step;
    }
}

/// Whether the step is complete; otherwise it is repeated.
bool Firmware::accepted(const Step& step, std::uint64_t value) {
    const auto refuse_device = [&](const std::string& what) {
        refuse(step.device < port.endpoints.size() ? "endpoints" : "bridge",
               registers(step.device).neighbour_path() + what);
    };
    if (step.access.write) return true;
    switch (step.access.reg) {
    case CxlRegister::dvsec:
        if (value != cxl_vendor_id) refuse_device(" has no CXL DVSEC");
        return true;
    case CxlRegister::memory_size:
        if (!(value & memory_active)) return false;
        state.sizes.push_back(value & ~(memory_active | memory_info_valid));
        return true;
    case CxlRegister::decoder_control:
        if (!(value & HdmCapability::committed)) refuse_device(" has not committed its decoder");
        return true;
    default:
        return true;
    }
}

/// The last step: adds the window to the system bus's router.
void Firmware::map_window() {
    if (port.router && !state.waiting) {
        if (!port.router->can_send()) return;
        const auto base = static_cast<std::uint64_t>(params.window_base->raw);
        port.router->send({.base = base,
                           .bytes = plan_->end() - base,
                           .target = static_cast<std::uint16_t>(params.router_target())});
        state.waiting = true;
    }
    if (port.router) {
        if (port.router->empty()) return;
        const protocol::RangeReply reply = port.router->pop();
        if (reply.result != protocol::RangeResult::done)
            refuse("router",
                   "the window was not added to " + port.router->neighbour_path() + ": " +
                       std::string(names_of(reply.result)[static_cast<std::size_t>(reply.result)]));
    }
    state.waiting = false;
    state.done = true;
    stat.mapped += plan_->bytes();
    stat.done.set(now(), 1);
}

std::uint32_t Firmware::port_of(const PortBase& mine) const {
    std::uint32_t i = 0;
    while (i < port.endpoints.size() && port.endpoints[i].peer() != &mine) ++i;
    return i;
}

void Firmware::waits_on(WaitReport& report) const {
    if (!state.done)
        report.add(path() + " is at access " + std::to_string(state.step) + " of its start-up");
}

void Firmware::check_loaded(Loader& l) const {
    l.within("sizes", [&] {
        l.check(state.sizes.size() <= port.endpoints.size(),
                "has more entries than there are endpoints");
        for (std::size_t i = 0; i < state.sizes.size(); ++i)
            l.check(state.sizes[i] == port.endpoints[i].interface<const HasCapacity>().capacity(),
                    "differs from the endpoint's size");
    });
    l.index("step", state.step, steps().size() + 1);
}

} // namespace memsim::cxl
