#include "workload/invariant.hh"

#include "core/kernel/registry.hh"

namespace memsim::workload {

static const Registration<Invariant> invariant {
    "A proportion of the paper's machine and its value in this one, for the record."};

} // namespace memsim::workload
