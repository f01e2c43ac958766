#include "workload/program.hh"

#include "core/kernel/registry.hh"

namespace memsim::workload {

static const Registration<Program> program {
    "An application, by its name in the papers' tables, with an input file or a generated input."};

gpu_program::KernelSource& Program::kernels() {
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

} // namespace memsim::workload
