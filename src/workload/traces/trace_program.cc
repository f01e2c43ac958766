#include "workload/traces/trace_program.hh"

#include "core/registry.hh"
#include "workload/traces/trace_source.hh"

namespace memsim::workload {

static const Registration<TraceProgram> registered {
    "A traced application: the kernels of an Accel-Sim trace."};

protocol::KernelSource& TraceProgram::kernels() {
    if (state.function.source) return *state.function.source;
    const auto raw = [](Bytes b) { return static_cast<std::uint64_t>(b.raw); };
    if (params.trace->empty())
        refuse("trace", "no trace is given: name a kernelslist.g or a .traceg file");
    if (!std::has_single_bit(raw(params.page())))
        refuse("page", params.page.text() + " is no power of two");
    if (raw(params.memory()) % raw(params.page()) != 0)
        refuse("memory",
               params.memory.text() + " is no multiple of the page of " + params.page.text());
    state.function.source = std::make_unique<TraceSource>(
        params.trace(),
        TraceSourceOptions {raw(params.page()), raw(params.memory()), params.repeat()});
    return *state.function.source;
}

void TraceProgram::wake() {
    auto& in = port.dispatcher;
    while (!in.empty() && in.can_send()) {
        in.pop();
        protocol::Launch launch;
        protocol::LaunchReply reply;
        if (kernels().next_launch(launch)) {
            ++stat.launches;
            reply = {false,
                     ++state.launches,
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
