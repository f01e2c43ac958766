#include "parts/tag_policies/fifo.hh"

namespace memsim::parts {

static const PolicyRegistration<FifoOrder> fifo {"fifo", "The line filled longest ago makes room."};

} // namespace memsim::parts
