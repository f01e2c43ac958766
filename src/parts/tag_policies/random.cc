#include "parts/tag_policies/random.hh"

namespace memsim::parts {

static const PolicyRegistration<RandomOrder> random_order {"random", "A random line is evicted."};

} // namespace memsim::parts
