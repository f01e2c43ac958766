#pragma once

#include "protocol/dispatch.hh"

namespace memsim::workload {

/// What a host with kernels does when it wakes: it answers each request for a launch with the next
/// one, or with the end.
template <class Host>
void serve_launches(Host& host) {
    auto& in = host.port.dispatcher;
    while (!in.empty() && in.can_send()) {
        in.pop();
        protocol::Launch launch;
        protocol::LaunchReply reply;
        if (host.kernels().next_launch(launch)) {
            ++host.stat.launches;
            reply = {false,
                     ++host.state.launches,
                     launch.blocks(),
                     launch.threads_per_block(),
                     launch.registers_per_thread,
                     launch.shared_bytes};
        } else {
            reply.ended = true;
        }
        in.send(reply);
    }
}

} // namespace memsim::workload
