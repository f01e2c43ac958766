#include "device_parts/tag_policies/lru_random.hh"

namespace memsim::device_parts {

static const PolicyRegistration<LruRandom> lru_random {
    "lru_random", "A random one of the lines is evicted that were used longest ago."};

} // namespace memsim::device_parts
