#include "parts/tag_policies/fifo.hh"

namespace memsim::parts {

static const PolicyRegistration<FifoOrder> fifo {"fifo",
                                                 "The line that was filled first is evicted."};

} // namespace memsim::parts
