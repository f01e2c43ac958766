#include "device_parts/tag_policies/lru_random.hh"

namespace memsim::device_parts {

static const PolicyRegistration<LruRandom> lru_random {
    "lru_random", "A random line of those used longest ago is evicted."};

} // namespace memsim::device_parts
