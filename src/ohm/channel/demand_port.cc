#include "ohm/channel/demand_port.hh"

namespace memsim::ohm {

void DemandPort::refuse(const protocol::MemRequest& r, const std::string& why) const {
    throw ConfigError(owner_.path() + ": address " + std::to_string(r.address) + " " + why);
}

void DemandPort::check_block(const protocol::MemRequest& r) const {
    if (r.bytes == 0 || r.address / block_bytes != (r.address + r.bytes - 1) / block_bytes)
        throw ConfigError(owner_.path() + ": a request of " + std::to_string(r.bytes) +
                          " bytes at " + std::to_string(r.address) +
                          " does not lie within 128 aligned bytes");
}

void DemandPort::answer(const protocol::MemRequest& r, Tick accepted, Stage stage,
                        Contents::Id contents) {
    const bool read = r.command == protocol::Command::read;
    (read ? stats_.read_latency : stats_.write_latency).sample(Time {owner_.now() - accepted});
    owner_.sim().stamps().mark(r.stamps, stage, owner_.now() + port_.latency().raw);
    if (!r.needs_response()) return owner_.sim().contents().release(contents);
    protocol::MemResponse answer = protocol::answer(r);
    answer.contents = contents;
    port_.send(answer);
}

} // namespace memsim::ohm
