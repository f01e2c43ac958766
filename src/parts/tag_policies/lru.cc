#include "parts/tag_policies/lru.hh"

namespace memsim::parts {

static const PolicyRegistration<Lru> lru {"lru", "The line used longest ago makes room."};

} // namespace memsim::parts
