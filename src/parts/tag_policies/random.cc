#include "parts/tag_policies/random.hh"

namespace memsim::parts {

static const PolicyRegistration<RandomOrder> random_order {"random", "Any line makes room."};

} // namespace memsim::parts
