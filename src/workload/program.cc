#include "workload/program.hh"

#include "core/registry.hh"

namespace memsim::workload {

static const Registration<Program> registered {
    "An application by the name that the papers' tables give it, on a file or a generated input."};

protocol::KernelSource& Program::kernels() {
    if (state.function.source) return *state.function.source;
    Options options;
    options.input = params.input();
    options.generator =
        std::string(names_of(Generator {})[static_cast<std::size_t>(params.generator())]);
    options.size = params.size();
    options.degree = params.degree();
    options.seed = params.seed();
    if (params.source() >= 0) options.source = static_cast<u32>(params.source());
    options.iterations = params.iterations();
    options.threads_per_block = params.threads_per_block();
    try {
        state.function.source = make_workload(params.name(), options);
    } catch (const BadOption& bad) {
        refuse(bad.option, bad.what());
    }
    return *state.function.source;
}

void Program::wake() {
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
