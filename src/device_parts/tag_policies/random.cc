#include "device_parts/tag_policies/random.hh"

namespace memsim::device_parts {

static const PolicyRegistration<RandomOrder> random_order {"random", "A random line is evicted."};

} // namespace memsim::device_parts
