#pragma once

#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"

/// A fault on a page that is not in device memory, sent by the MMU's fault buffer to the driver on
/// the host, and the reply when the page has arrived.
namespace memsim::protocol {

struct PageFault {
    std::uint64_t page = 0;
    std::uint16_t application = 0;
    bool write = false;    ///< the access was a write
    std::uint32_t tag = 0; ///< chosen by the MMU, returned in the reply
    Stamps::Id stamps {};  ///< of a request that waits for the page

    static constexpr std::uint32_t largest_wire_bytes = 32; ///< an entry of the fault buffer
};

/// The page is in `frame`, with its data.
struct PageFaultReply {
    std::uint64_t frame = 0;
    std::uint32_t tag = 0;

    static constexpr std::uint32_t largest_wire_bytes = 32;
};

/// Between the MMU (requester) and the host.
struct Faults : MessageFamily<PageFault, PageFaultReply> {};

} // namespace memsim::protocol
