#pragma once

#include "core/kernel/component.hh"
#include "protocol/dispatch.hh"
#include "workload/simt/functional_state.hh"

/// Common parts of application hosts, which differ in the source of their kernels.
namespace memsim::workload {

using namespace memsim::literals;

struct HostParams {
    using group = void;
    Param<Time> launch_latency {
        1_fs,
        {1_fs, 1_s},
        "Time from the end of a launch to the start of the next (1fs: a memory system without "
        "its host; a real host needs 5 us)",
        assumed("a memory system is measured without the host")};
};

/// Requires that `Params` contains the parameters as `host`.
template <class Params>
struct HostPorts {
    Responder<protocol::Launches> dispatcher {
        {.depth = [](const void*) { return 1u; },
         .latency = from<&Params::host, &HostParams::launch_latency>},
        "The dispatcher, which requests launches"};
};

struct HostStats {
    Counter launches {Unit::count, "Launches sent to the dispatcher"};
};

struct HostState {
    FunctionalState function;
    std::uint32_t launches = 0;
    std::string kernel; ///< of the last launch
};

/// The wake of a host: answers each request for a launch with the next launch of the stream, or
/// with its end. Before that, calls the host's before_launch() if it has one.
template <class Host>
void serve_launches(Host& host) {
    auto& in = host.port.dispatcher;
    while (!in.empty() && in.can_send()) {
        const protocol::LaunchRequest request = in.pop();
        if constexpr (requires { host.before_launch(); }) host.before_launch();
        gpu_program::Launch launch;
        protocol::LaunchReply reply;
        reply.stream = request.stream;
        if (host.kernels().stream(request.stream).next_launch(launch)) {
            ++host.stat.launches;
            host.state.kernel = launch.kernel;
            reply = {false,
                     request.stream,
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
