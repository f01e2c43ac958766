#pragma once

#include "core/kernel/contents.hh"
#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"
#include "protocol/sectors.hh"

/// The memory request, used between SMs, caches, crossbars and memory controllers.
namespace memsim::protocol {

/// The latency stages of a request that several components share.
struct Stage {
    static inline const memsim::Stage sm {"sm"}, l1 {"l1"}, network {"network"}, l2 {"l2"},
        queue {"queue"}, dram {"dram"}, xpoint {"xpoint"}, channel {"channel"},
        response {"response"};
};

/// `hint`: a prefetch or a speculative read. It has no response, and is dropped if there is no
/// space or the receiver does not accept hints (Requester::offer()); it follows the path of
/// requests. `victim` and `claim` are sent only to components that accept victims
/// (protocol/victims.hh): `victim` offers clean sectors of an evicted line; `claim` reports that
/// sectors were written above and stay there, so that copies are stale. The last three address the
/// receiving cache and are not forwarded: `invalidate` drops its clean lines (at the end of a
/// kernel, for an L1). `flush` writes back and drops the lines of one application, or of all; it is
/// answered when the level below has all data. `reserve` reserves `bytes` ways of every set for
/// written lines.
enum class Command : std::uint8_t {
    read,
    hint,
    write,
    atomic,
    victim,
    claim,
    invalidate,
    flush,
    reserve
};
constexpr bool has_data(Command c) { return c >= Command::write && c <= Command::victim; }
constexpr bool for_a_cache(Command c) { return c >= Command::invalidate; }
inline constexpr std::uint16_t every_application = 0xffff;

/// The size of a message's data on a wire, if it differs from the payload because they are
/// compressed. In words of 4 bytes, to save space in the message; 0: the payload.
struct PackedSize {
    std::uint8_t words = 0;

    static constexpr std::uint32_t word_bytes = 4, most_bytes = 255 * word_bytes;
    constexpr void set(std::uint32_t bytes) {
        MEMSIM_ASSERT(bytes > 0 && bytes <= most_bytes, "packed data must have 1 to 1020 bytes");
        words = static_cast<std::uint8_t>((bytes + word_bytes - 1) / word_bytes);
    }
    constexpr std::uint32_t bytes(std::uint32_t payload) const {
        return words ? words * word_bytes : payload;
    }
};

struct MemRequest {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    Command command = Command::read;
    bool posted = false;      ///< a write without response, or a hint
    std::uint16_t source = 0; ///< set by a crossbar: the input
    std::uint32_t tag = 0;    ///< chosen by the sender, returned in the response
    std::uint32_t pc = 0;     ///< of the load or store; 0 if unknown
    std::uint8_t warp = 0;    ///< in its SM; for predictors and prefetchers
    PackedSize packed;        ///< of the data of a write or atomic, or of a read's response
    std::uint16_t application = 0;
    std::uint16_t sectors = 0; ///< mask of 32-byte sectors: see protocol/sectors.hh
    std::uint16_t partial = 0; ///< sectors that a write covers partly
    Stamps::Id stamps;
    Contents::Id contents; ///< data of a write or atomic, if the machine carries contents

    static constexpr std::uint32_t header_bytes = 8; ///< assumption: address, command, tag, sectors
    static constexpr std::uint32_t largest_wire_bytes = header_bytes + 128;
    bool needs_response() const { return !posted; }
    bool is_hint() const { return command == Command::hint; }
    /// The bytes requested, in its sectors.
    std::uint32_t payload() const { return protocol::payload(*this); }
    /// The bytes of data in the message.
    std::uint32_t data_bytes() const { return has_data(command) ? packed.bytes(payload()) : 0; }
    std::uint32_t wire_bytes() const { return header_bytes + data_bytes(); }
};

static_assert(sizeof(MemRequest) == 40);

struct MemResponse {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    Command command = Command::read;
    std::uint16_t source = 0;
    std::uint32_t tag = 0;
    std::uint16_t sectors = 0; ///< as in the request
    PackedSize packed;         ///< of the data of a read or atomic
    Stamps::Id stamps;
    Contents::Id contents; ///< data read, if the machine carries contents

    static constexpr std::uint32_t header_bytes = 8;
    static constexpr std::uint32_t largest_wire_bytes = header_bytes + 128;
    std::uint32_t payload() const { return protocol::payload(*this); }
    std::uint32_t data_bytes() const {
        const bool data = command == Command::read || command == Command::atomic;
        return data ? packed.bytes(payload()) : 0;
    }
    std::uint32_t wire_bytes() const { return header_bytes + data_bytes(); }
};

static_assert(sizeof(MemResponse) == 32);

/// The response to `r`, with its tag and source. It has no contents yet; those of a write belong to
/// the component that performed it.
inline MemResponse answer(const MemRequest& r) {
    return {r.address, r.bytes, r.command, r.source, r.tag, r.sectors, r.packed, r.stamps, {}};
}

/// A hint that these bytes may be requested soon; a receiver reduces it to its own unit.
inline MemRequest hint(std::uint64_t address, std::uint32_t bytes) {
    MemRequest r;
    r.address = address;
    r.bytes = bytes;
    r.command = Command::hint;
    r.posted = true;
    return r;
}

struct Mem : MessageFamily<MemRequest, MemResponse> {};

} // namespace memsim::protocol

/// Templates used by every memory port are compiled once, in mem.cc.
namespace memsim {
extern template class Link<protocol::MemRequest>;
extern template class Link<protocol::MemResponse>;
extern template class Requester<protocol::Mem>;
extern template class Responder<protocol::Mem>;
extern template std::string shape<protocol::MemRequest>();
extern template std::string shape<protocol::MemResponse>();
extern template void Saver::operator()(const protocol::MemRequest&);
extern template void Saver::operator()(const protocol::MemResponse&);
extern template void Loader::operator()(protocol::MemRequest&);
extern template void Loader::operator()(protocol::MemResponse&);
extern template void Shower::operator()(const protocol::MemRequest&);
extern template void Shower::operator()(const protocol::MemResponse&);
} // namespace memsim
