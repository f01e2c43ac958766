#pragma once

#include "core/kernel/contents.hh"
#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"
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
/// `victim` and `claim` go to nobody but who takes victims (protocol/victims.hh). `victim` offers
/// clean sectors that make room; `claim` says that sectors were written above and stay there, so
/// that copies of them are old.
/// The last three are for the cache that they come to and go no further. `invalidate` empties it
/// of clean lines (the end of a kernel, for an L1). `flush` writes back what is dirty of one
/// application's lines, or of everybody's, and empties them; it is answered when the level below
/// has all. `reserve` keeps `bytes` ways of every set for lines that are written.
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

/// How much of a wire a message's data take, where that is not their payload: what is compressed
/// says so. In words of 4 bytes, as a message has no more room; 0: the payload.
struct PackedSize {
    std::uint8_t words = 0;

    static constexpr std::uint32_t word_bytes = 4, most_bytes = 255 * word_bytes;
    constexpr void set(std::uint32_t bytes) {
        MEMSIM_ASSERT(bytes > 0 && bytes <= most_bytes, "packed data are 1 to 1020 bytes");
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
    bool posted = false;      ///< a write that nobody waits for, or a hint
    std::uint16_t source = 0; ///< set by a crossbar: the input it came from
    std::uint32_t tag = 0;    ///< the sender's own; comes back in the response
    std::uint32_t pc = 0;     ///< of the load or store; 0 when unknown
    std::uint8_t warp = 0;    ///< of its SM, which caused it: for predictors and prefetchers
    PackedSize packed;        ///< of what a write or atomic carries, or a read is to bring
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
    /// The bytes of data that travel with it.
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
    PackedSize packed;         ///< of what a read or atomic brings
    Stamps::Id stamps;
    Contents::Id contents; ///< what a read found, where a machine carries it

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

/// The answer to `r`; tag and source go back as they came. It has no contents yet: those of a
/// write belong to whoever has performed it.
inline MemResponse answer(const MemRequest& r) {
    return {r.address, r.bytes, r.command, r.source, r.tag, r.sectors, r.packed, r.stamps, {}};
}

/// A hint that these bytes may be asked for soon; a receiver cuts it to what it deals in.
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

/// What every memory's port needs is compiled once, in mem.cc.
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
