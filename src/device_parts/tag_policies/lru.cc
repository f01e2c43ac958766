#include "device_parts/tag_policies/lru.hh"

namespace memsim::device_parts {

static const PolicyRegistration<Lru> lru {"lru", "The least recently used line is evicted."};

} // namespace memsim::device_parts
