#include "workload/traces/trace_program.hh"

#include "core/kernel/registry.hh"

namespace memsim::workload {

static const Registration<TraceProgram> trace_program {
    "A traced application: the kernels of an Accel-Sim trace."};

gpu_program::KernelSource& TraceProgram::kernels() {
    if (state.function.source) return *state.function.source;
    const auto raw = [](Bytes b) { return static_cast<std::uint64_t>(b.raw); };
    if (params.trace->empty())
        refuse("trace", "no trace is given: set it to a kernelslist.g or .traceg file");
    state.function.source = std::make_unique<TraceSource>(
        params.trace(),
        TraceSourceOptions {raw(params.page()), raw(params.memory()), params.repeat(),
                            raw(params.local_memory()), params.outside(), params.stream(),
                            params.arithmetic()});
    return *state.function.source;
}

} // namespace memsim::workload
