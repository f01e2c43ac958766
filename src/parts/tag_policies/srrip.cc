#include "parts/tag_policies/srrip.hh"

namespace memsim::parts {

static const PolicyRegistration<Srrip> srrip {
    "srrip", "Re-reference interval prediction: the line expected farthest off makes room."};

} // namespace memsim::parts
