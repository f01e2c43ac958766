#include "device_parts/tag_policies/srrip.hh"

namespace memsim::device_parts {

static const PolicyRegistration<Srrip> srrip {
    "srrip",
    "Re-reference interval prediction: the line with the farthest predicted use is evicted."};

} // namespace memsim::device_parts
