#include "mem/cache/set_hashes/linear.hh"

namespace memsim::mem {

static const PolicyRegistration<LinearSets> linear {
    "linear", "The set is the number of the line modulo the number of sets."};

} // namespace memsim::mem
