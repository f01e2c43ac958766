// expect: a message must be checkpointable
#include "core/kernel/port.hh"

using namespace memsim;

struct Message {
    const int* at = nullptr;
    static constexpr std::uint32_t largest_wire_bytes = 8;
};
Link<Message> wire;
