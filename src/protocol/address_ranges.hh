#pragma once

#include "core/kernel/port.hh"

/// Orders of firmware to an address router during a run.
namespace memsim::protocol {

enum class RangeOp : std::uint8_t { add, remove };
constexpr std::array<std::string_view, 2> names_of(RangeOp) { return {"add", "remove"}; }

/// The result of an order. `unknown`: there is no range with this address and size; `busy`:
/// requests to the range are outstanding.
enum class RangeResult : std::uint8_t {
    done,
    empty,
    no_such_target,
    overlaps,
    full,
    unknown,
    busy
};
constexpr std::array<std::string_view, 7> names_of(RangeResult) {
    return {"done", "empty", "no_such_target", "overlaps", "full", "unknown", "busy"};
}

struct RangeOrder {
    static constexpr std::uint32_t largest_wire_bytes = 24;

    std::uint64_t base = 0, bytes = 0;
    std::uint32_t tag = 0;    ///< chosen by the sender, returned in the reply
    std::uint16_t target = 0; ///< of `add`: the router's port for these addresses
    RangeOp op = RangeOp::add;
};
struct RangeReply {
    static constexpr std::uint32_t largest_wire_bytes = 8;

    std::uint32_t tag = 0;
    RangeResult result = RangeResult::done;
};
struct AddressRanges : MessageFamily<RangeOrder, RangeReply> {};

} // namespace memsim::protocol
