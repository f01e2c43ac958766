#pragma once

#include "core/contents.hh"
#include "core/port.hh"
#include "core/stamps.hh"
#include "protocol/sectors.hh"

/// The memory request: what SMs, caches, crossbars and memory controllers say to each other.
namespace memsim::protocol {

/// The stages of a request's way that components have in common.
struct Stage {
    static inline const memsim::Stage sm {"sm"}, l1 {"l1"}, network {"network"}, l2 {"l2"},
        queue {"queue"}, dram {"dram"}, xpoint {"xpoint"}, channel {"channel"},
        response {"response"};
};

/// `hint` is a prefetch or a speculative read: never answered, and dropped wherever there is no
/// room or nobody takes hints (Requester::offer()); it goes wherever requests do.
/// The last three are for the cache that they come to and go no further. `invalidate` empties it
/// of clean lines (the end of a kernel, for an L1). `flush` writes back what is dirty of one
/// application's lines, or of everybody's, and empties them; it is answered when the level below
/// has all. `reserve` keeps `bytes` ways of every set for lines that are written.
enum class Command : std::uint8_t { read, hint, write, atomic, invalidate, flush, reserve };
constexpr bool has_data(Command c) { return c == Command::write || c == Command::atomic; }
constexpr bool for_a_cache(Command c) { return c >= Command::invalidate; }
inline constexpr std::uint16_t every_application = 0xffff;

struct MemRequest {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    Command command = Command::read;
    bool posted = false;      ///< a write that nobody waits for, or a hint
    std::uint16_t source = 0; ///< set by a crossbar: the input it came from
    std::uint32_t tag = 0;    ///< the sender's own; comes back in the response
    std::uint32_t pc = 0;     ///< of the load or store; 0 when unknown
    std::uint16_t warp = 0;   ///< the warp that caused it, for predictors and prefetchers
    std::uint16_t application = 0;
    std::uint16_t sectors = 0; ///< which of its 32-byte sectors: see protocol/sectors.hh
    std::uint16_t partial = 0; ///< those of them that a write does not cover whole
    Stamps::Id stamps;
    Contents::Id contents; ///< what a write or atomic leaves there, where a machine carries it

    static constexpr std::uint32_t header_bytes = 8; ///< assumption: address, command, tag, sectors
    static constexpr std::uint32_t largest_wire_bytes = header_bytes + 128;
    bool needs_response() const { return !posted; }
    bool is_hint() const { return command == Command::hint; }
    /// The bytes that it is about: those of its sectors.
    std::uint32_t payload() const { return protocol::payload(*this); }
    std::uint32_t wire_bytes() const { return header_bytes + (has_data(command) ? payload() : 0); }
};

struct MemResponse {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    Command command = Command::read;
    std::uint16_t source = 0;
    std::uint32_t tag = 0;
    std::uint16_t sectors = 0; ///< as in the request
    Stamps::Id stamps;
    Contents::Id contents; ///< what a read found, where a machine carries it

    static constexpr std::uint32_t header_bytes = 8;
    static constexpr std::uint32_t largest_wire_bytes = header_bytes + 128;
    std::uint32_t payload() const { return protocol::payload(*this); }
    std::uint32_t wire_bytes() const {
        const bool data = command == Command::read || command == Command::atomic;
        return header_bytes + (data ? payload() : 0);
    }
};

/// The answer to `r`; tag and source go back as they came. It has no contents yet: those of a
/// write belong to whoever has performed it.
inline MemResponse answer(const MemRequest& r) {
    return {r.address, r.bytes, r.command, r.source, r.tag, r.sectors, r.stamps, {}};
}

struct Mem : MessageFamily<MemRequest, MemResponse> {};

/// A prefetch or speculative read: may be dropped anywhere, never answered.
struct Hint {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::uint32_t pc = 0;
    std::uint32_t warp = 0;
    std::uint16_t application = 0;

    static constexpr bool is_hint = true;
    static constexpr std::uint32_t largest_wire_bytes = 16;
};

} // namespace memsim::protocol
