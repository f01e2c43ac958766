#include "workload/invariant.hh"

#include "core/kernel/registry.hh"

namespace memsim::workload {

static const Registration<Invariant> invariant {
    "A ratio of the paper's machine and its value in this machine, for the database."};

} // namespace memsim::workload
