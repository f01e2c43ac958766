#include "ohm/channel/xpoint_module.hh"

#include "core/kernel/registry.hh"
#include "device_parts/stall.hh"

namespace memsim::ohm {

static const Registration<XpointModule> xpoint_module {
    "An XPoint module that snarfs lines of DRAM and swaps pages with the DRAM."};

void XpointModule::init() {
    if (const auto wrong = xpoint::Device::wrong(params.device, params.media))
        refuse(wrong->first, wrong->second);
    device_.emplace(params.device, params.media, stat.device, stat.media, stat.wear, state.device,
                    sim().contents(), [this](std::uint32_t load) { loaded(load); });
    device_->init();
    state.swapper.jobs.resize(params.swaps());
    if (params.swaps()) swapper_.emplace(*device_, port.dram[0], sim().contents(), state.swapper);
}

void XpointModule::wake() {
    device_->finish(now());
    take_grants();
    device_->send_granted(port.device.transfers, now());
    if (swapper_) swapper_->take_answers();
    stat.device.stalls +=
        device_parts::take_in_order(port.device.commands, now(), state.device.stalled_since,
                                    stat.device.stall_time, [this](const protocol::DdrtCommand& c) {
                                        empty_register(); // frees the register first, so that later
                                                          // commands need not wait for it
                                        return accept(c);
                                    });
    empty_register();
    if (swapper_)
        swapper_->run(now(), [this](std::uint32_t id) {
            ++stat.swaps;
            port.device.commands.send({id});
        });
    device_->start(now());
    if (device_->next() != never) arm(state.next, device_->next());
}

void XpointModule::take_grants() {
    while (!port.device.transfers.empty()) {
        const protocol::DdrtGrant g = port.device.transfers.pop();
        if (g.confirm && swapper_)
            swapper_->confirm(g.id);
        else
            device_->grant(g);
    }
}

bool XpointModule::accept(const protocol::DdrtCommand& c) {
    device_->check_address(path(), c);
    if (c.swap) {
        if (swapper_) return swapper_->accept(c);
        throw ConfigError(path() + ".swaps: it is 0, but a swap was requested");
    }
    if (c.snarf) return snarf(c), true;
    if (state.snarfed.has(c.address / xpoint::line_bytes))
        return false; // snarfed lines precede the command
    return device_->accept(c, now());
}

/// Data of a load has arrived: for a swap of the module, or for the memory controller.
void XpointModule::loaded(std::uint32_t load) {
    if (swapper_ && PageSwapper::owns(device_->load(load))) {
        swapper_->line_read(device_->load(load));
        device_->release(load);
    } else
        device_->say_ready(load, port.device.commands, now());
}

// ---- auto-read/write -------------------------------------------------------------------------

void XpointModule::snarf(const protocol::DdrtCommand& c) {
    ++stat.snarfs;
    if (!state.snarfed.snarf(c, static_cast<std::uint64_t>(params.snarf_register->raw)))
        return sim().contents().release(c.contents);
    ++stat.snarfed;
    stat.in_register.set(now(), state.snarfed.lines.size());
}

/// Moves lines to the write buffer while it has room and no read of the line is outstanding.
void XpointModule::empty_register() {
    auto& lines = state.snarfed.lines;
    while (!lines.empty() && device_->accept(lines.front(), now())) {
        port.device.commands.send({lines.front().id, true});
        lines.pop();
        stat.in_register.set(now(), lines.size());
    }
}

// ---- reports ---------------------------------------------------------------------------------

void XpointModule::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t line = access.address / xpoint::line_bytes;
    const std::uint64_t sector = access.address / SectorBytes::size;
    SectorBytes all;
    if (access.write)
        device_->copy_in(line, sector % xpoint::line_sectors, access.data);
    else
        all = device_->newest(line, sector % xpoint::line_sectors);
    state.snarfed.for_each_of(sector, sim().contents(), [&](SectorBytes& held) {
        if (access.write)
            held.store(access.data);
        else
            all = held;
    });
    if (!access.write) access.data.fill(all);
}

bool XpointModule::pending() const {
    return device_->pending() || (swapper_ && swapper_->pending()) || !state.snarfed.lines.empty();
}

void XpointModule::check_loaded(Loader& l) const {
    device_->check_loaded(l);
    if (swapper_) swapper_->check_loaded(l);
}

void XpointModule::waits_on(WaitReport& report) const {
    device_->waits_on(path(), report);
    if (swapper_) swapper_->waits_on(path(), report);
    if (!state.snarfed.lines.empty())
        report.add(path() + ": " + std::to_string(state.snarfed.lines.size()) +
                   " snarfed lines wait for the write buffer");
}

} // namespace memsim::ohm
