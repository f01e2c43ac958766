#include "workload/recorded.hh"

#include "core/kernel/registry.hh"
#include "workload/recording.hh"

namespace memsim::workload {

static const Registration<Recorded> recorded {
    "A program written in Python with numpy, one step over all threads at a time."};

gpu_program::KernelSource& Recorded::kernels() {
    if (state.function.source) return *state.function.source;
    try {
        state.function.source = std::make_unique<Recording>(params.file());
    } catch (const ConfigError& e) {
        refuse("file", e.what());
    }
    return *state.function.source;
}

} // namespace memsim::workload
