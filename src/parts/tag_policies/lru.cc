#include "parts/tag_policies/lru.hh"

namespace memsim::parts {

static const PolicyRegistration<Lru> lru {"lru", "The least recently used line is evicted."};

} // namespace memsim::parts
