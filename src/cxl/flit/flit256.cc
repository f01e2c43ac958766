#include "cxl/flit/flit256.hh"

namespace memsim::cxl {

void Layout256::write(Header256 header, const Flit256& flit, std::uint8_t* bytes) const {
    const std::uint16_t bits = header.bits();
    std::memcpy(bytes, &bits, 2);
    const auto* from = reinterpret_cast<const std::uint8_t*>(flit.words.data());
    for (std::uint32_t s = 0; s < Flit256::slots; ++s)
        for_each_run(s, [&](std::uint32_t at, std::uint32_t in_slot, std::uint32_t n) {
            std::memcpy(bytes + at, from + 16 * s + in_slot, n);
        });
    const Parts& p = parts();
    std::memcpy(bytes + p.credits, &flit.credits, 2);
    if (optimised_) {
        Crc6::write({bytes, first_crc}, bytes + first_crc);
        Crc6::write({bytes + Flit256::half, p.fec - Flit256::half}, bytes + p.crc);
    } else
        Crc8::write({bytes, p.crc}, bytes + p.crc);
    Fec::write(bytes, p.fec);
}

Header256 Layout256::header(const std::uint8_t* bytes) const {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes, 2);
    return Header256::of(bits);
}

Flit256 Layout256::read(const std::uint8_t* bytes) const {
    Flit256 flit;
    auto* to = reinterpret_cast<std::uint8_t*>(flit.words.data());
    for (std::uint32_t s = 0; s < Flit256::slots; ++s)
        for_each_run(s, [&](std::uint32_t at, std::uint32_t in_slot, std::uint32_t n) {
            std::memcpy(to + 16 * s + in_slot, bytes + at, n);
        });
    std::memcpy(&flit.credits, bytes + parts().credits, 2);
    return flit;
}

bool Layout256::passes(const std::uint8_t* bytes, std::uint32_t half) const {
    const Parts& p = parts();
    if (!optimised_) return Crc8::passes({bytes, p.crc}, bytes + p.crc);
    if (half == 0) return Crc6::passes({bytes, first_crc}, bytes + first_crc);
    return Crc6::passes({bytes + Flit256::half, p.fec - Flit256::half}, bytes + p.crc);
}

namespace {

constexpr std::uint64_t of_mem = 16;
constexpr Field credit_field(std::size_t c) { return {static_cast<std::uint32_t>(5 * c), 5}; }

} // namespace

std::uint16_t CreditField::give_back(Credits& from) {
    SlotBits bits = 0;
    for (std::size_t c = 0; c < credit_classes; ++c) {
        std::size_t code = amounts.size() - 1;
        while (amounts[code] > from.owed[c]) --code;
        from.owed[c] -= amounts[code];
        if (code) bits |= credit_field(c).put(of_mem | code);
    }
    return static_cast<std::uint16_t>(bits);
}

void CreditField::take_back(std::uint16_t bits, Credits& to) {
    for (std::size_t c = 0; c < credit_classes; ++c) {
        const std::uint64_t code = credit_field(c).get(bits);
        if (!(code & of_mem)) continue;
        MEMSIM_ASSERT((code & 15) < amounts.size(), "a code of credits that is never sent");
        to.left[c] += amounts[code & 15];
    }
}

namespace {

/// Reserved in CXL: see Encoding256.
constexpr Field rwd_half {82, 1}, rwd_trailer {83, 1}, drs_half {31, 1};

} // namespace

Message Encoding256::as_sent(const Message& m) {
    Message sent = m;
    if (m.half && m.opcode == Opcode::mem_wr) {
        sent.opcode = Opcode::mem_wr_ptl;
        sent.enables = half_enables;
    }
    return sent;
}

void Encoding256::restore(Message& m) {
    if (m.half && m.opcode == Opcode::mem_wr_ptl && m.enables == half_enables) {
        m.opcode = Opcode::mem_wr;
        m.enables = 0;
    }
}

SlotBits Encoding256::encode(const Message& sent) {
    const SlotBits bits = cxl::encode(sent);
    if (sent.channel() == Channel::rwd)
        return bits | rwd_half.put(sent.half) | rwd_trailer.put(sent.has_enables());
    return sent.channel() == Channel::drs ? bits | drs_half.put(sent.half) : bits;
}

Message Encoding256::decode(Channel channel, SlotBits bits) {
    const bool half = (channel == Channel::rwd && rwd_half.get(bits)) ||
                      (channel == Channel::drs && drs_half.get(bits));
    return cxl::decode(channel, bits, half, channel == Channel::rwd && rwd_trailer.get(bits));
}

} // namespace memsim::cxl
