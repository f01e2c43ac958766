#include "device_parts/tag_policies/fifo.hh"

namespace memsim::device_parts {

static const PolicyRegistration<FifoOrder> fifo {"fifo",
                                                 "The line that was filled first is evicted."};

} // namespace memsim::device_parts
