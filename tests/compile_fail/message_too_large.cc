// expect: at most 64 bytes
#include "core/kernel/port.hh"

using namespace memsim;

struct Message {
    std::array<char, 65> bytes {};
    static constexpr std::uint32_t largest_wire_bytes = 8;
};
Link<Message> wire;
