#pragma once

#include "cxl/flit/credits.hh"
#include "cxl/flit/flit256_check.hh"

#include <cstring>

/// A 256-byte flit (CXL 3.1, 4.3 and 6.2): a header of 2 bytes, 15 slots, 2 bytes of returned
/// credits (CRD), CRC and FEC. The standard flit has a CRC of 8 bytes. The latency-optimised flit
/// consists of two halves of 128 bytes, each with a CRC of 6 bytes; the first half is used as soon
/// as it has arrived without an error. Its slot 7 lies in both halves.
///
///     standard    HDR 2, slot 0 14, slots 1 to 14 16 each, CRD 2, CRC 8, FEC 6
///     optimised   HDR 2, slot 0 14, slots 1 to 6, slot 7's first 10, CRC 6
///                 slot 7's last 6, slot 8 12, slots 9 to 14, CRD 2, FEC 6, CRC 6
namespace memsim::cxl {

/// The contents of the slots as words; 2i has the lowest bits of slot i.
struct Flit256 {
    static constexpr std::uint32_t slots = 15, bytes = 256, half = 128;
    /// H slot, the first: 14 bytes. HS slot of the latency-optimised flit: 12 bytes. Both contain
    /// only headers; the others (G) contain 16 bytes of headers or data.
    static constexpr std::uint32_t h_slot = 0, split_slot = 7, hs_slot = 8;

    std::array<std::uint64_t, 2 * slots> words {};
    std::uint16_t credits = 0;

    SlotBits slot(std::uint32_t i) const {
        return static_cast<SlotBits>(words[2 * i + 1]) << 64 | words[2 * i];
    }
    void set_slot(std::uint32_t i, SlotBits bits) {
        words[2 * i] = static_cast<std::uint64_t>(bits);
        words[2 * i + 1] = static_cast<std::uint64_t>(bits >> 64);
    }
    bool operator==(const Flit256&) const = default;
};

/// The flit's header: 16 bits (as in PCIe 6.0: a command defines the meaning of the number). Unused
/// fields: whether the previous flit was a payload, and the type of a DLLP.
struct Header256 {
    enum class Type : std::uint8_t { nop = 0b00, messages = 0b10 };
    enum class Command : std::uint8_t { own, ack, nak };
    static constexpr Field type {0, 2}, command {4, 2}, number {6, 10};

    Type kind = Type::nop;
    Command role = Command::own;
    std::uint16_t sequence = 0; ///< the flit's own, or that of the last received flit (ack, nak)

    std::uint16_t bits() const {
        return static_cast<std::uint16_t>(type.put(static_cast<std::uint64_t>(kind)) |
                                          command.put(static_cast<std::uint64_t>(role)) |
                                          number.put(sequence));
    }
    static Header256 of(std::uint16_t bits) {
        return {static_cast<Type>(type.get(bits)), static_cast<Command>(command.get(bits)),
                static_cast<std::uint16_t>(number.get(bits))};
    }
    bool operator==(const Header256&) const = default;
};

/// The layout of one of the two variants.
class Layout256 {
  public:
    explicit Layout256(bool optimised) : optimised_(optimised) {}

    bool optimised() const { return optimised_; }
    /// Bytes that are sent and received at a time.
    std::uint32_t piece() const { return optimised_ ? Flit256::half : Flit256::bytes; }
    std::uint32_t size(std::uint32_t slot) const {
        return slot == Flit256::h_slot ? 14 : header_only(slot) ? 12 : 16;
    }
    bool header_only(std::uint32_t slot) const {
        return slot == Flit256::h_slot || (optimised_ && slot == Flit256::hs_slot);
    }
    /// Slots that are readable after the first half.
    std::uint32_t first_slots() const { return optimised_ ? Flit256::split_slot : Flit256::slots; }

    /// All bytes of a flit, including its check bytes.
    void write(Header256 header, const Flit256& flit, std::uint8_t* bytes) const;
    Header256 header(const std::uint8_t* bytes) const;
    /// Slots and credits.
    Flit256 read(const std::uint8_t* bytes) const;
    /// Checks the CRC: of the whole flit if standard, else of one half.
    bool passes(const std::uint8_t* bytes, std::uint32_t half = 0) const;

  private:
    using Crc8 = ByteCrc<8>;
    using Crc6 = ByteCrc<6>;
    struct Parts {
        std::uint32_t credits, fec, crc;
    };
    static constexpr Parts standard {240, 250, 242}, split {242, 244, 250};
    static constexpr std::uint32_t first_crc = 122; ///< of the first half
    const Parts& parts() const { return optimised_ ? split : standard; }
    /// Calls f(offset in the flit, offset in the slot, bytes) for each contiguous part of a slot.
    template <class F>
    void for_each_run(std::uint32_t slot, F&& f) const {
        if (!optimised_ || slot < Flit256::split_slot)
            f(slot ? 16 * slot : 2, 0, size(slot));
        else if (slot == Flit256::split_slot)
            f(112, 0, 10), f(128, 10, 6);
        else
            f(slot == Flit256::hs_slot ? 134 : 146 + 16 * (slot - 9), 0, size(slot));
    }

    bool optimised_;
};

/// Credits in CRD: five bits per class. The top bit marks credits of CXL.mem; the others encode 1,
/// 4, 8, 12 or 16 credits (codes assumed).
struct CreditField {
    static constexpr std::array<std::uint32_t, 6> amounts {0, 1, 4, 8, 12, 16};
    static std::uint16_t give_back(Credits& from);
    static void take_back(std::uint16_t bits, Credits& to);
};

/// The bits of a message's header in a slot: 100 of Req, 104 of RwD, 40 of NDR and of DRS. The
/// fields are at the positions of the 68-byte flit; the rest is reserved. Two reserved bits replace
/// flags of the 68-byte flit's header: byte enables follow the data; and half of the line is meant,
/// which is transferred as the whole line (assumption).
struct Encoding256 {
    static constexpr std::uint32_t format_bits = 4;
    /// Formats of slots (codes assumed).
    enum Format : std::uint8_t { none, req = 4, rwd = 6, drs = 12, ndr = 13 };
    static constexpr std::uint32_t req_bits = 100, rwd_bits = 104, response_bits = 40;

    /// For a message with data.
    static constexpr std::uint32_t data_chunks = line_bytes / chunk_bytes;
    static std::uint32_t chunks(const Message& sent) {
        return sent.has_data() ? data_chunks + sent.has_enables() : 0;
    }

    /// The message as transferred: a write of a half line becomes a partial write of the line.
    static Message as_sent(const Message& m);
    /// The inverse, after all of the message has arrived.
    static void restore(Message& m);
    static SlotBits encode(const Message& sent);
    static Message decode(Channel channel, SlotBits bits);

  private:
    static constexpr std::uint64_t half_enables = 0xffff'ffff;
};

} // namespace memsim::cxl
