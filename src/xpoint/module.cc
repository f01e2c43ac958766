#include "xpoint/module.hh"

#include "core/kernel/registry.hh"
#include "device_parts/stall.hh"

namespace memsim::xpoint {

static const Registration<Module> module {
    "A 3D XPoint module: partitioned media, Start-Gap, read and persistent write buffer, DDR-T."};

void Module::init() {
    if (const auto wrong = Device::wrong(params.device, params.media))
        refuse(wrong->first, wrong->second);
    device_.emplace(params.device, params.media, stat.device, stat.media, stat.wear, state.device,
                    sim().contents(), [this](std::uint32_t load) {
                        device_->say_ready(load, port.device.commands, now());
                    });
    device_->init();
}

void Module::wake() {
    device_->finish(now());
    while (!port.device.transfers.empty()) device_->grant(port.device.transfers.pop());
    device_->send_granted(port.device.transfers, now());
    stat.device.stalls += device_parts::take_in_order(
        port.device.commands, now(), state.device.stalled_since, stat.device.stall_time,
        [this](const protocol::DdrtCommand& c) {
            if (c.swap || c.snarf)
                throw ConfigError(path() +
                                  ": does not support swap and snarf: use an ohm.XpointModule");
            device_->check_address(path(), c);
            return device_->accept(c, now());
        });
    device_->start(now());
    if (device_->next() != never) arm(state.next, device_->next());
}

void Module::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t line = access.address / line_bytes;
    const std::uint64_t sector = access.address % line_bytes / protocol::sector_bytes;
    if (access.write)
        device_->copy_in(line, sector, access.data);
    else
        access.data.fill(device_->newest(line, sector));
}

} // namespace memsim::xpoint
