#include "cxl/flit/encoding.hh"

namespace memsim::cxl {

namespace {

/// CXL 3.1, tables 3-36, 3-42, 3-50 and 3-53; the reserved code 1101b represents an atomic.
constexpr std::uint64_t code_of(Opcode op) {
    switch (op) {
    case Opcode::mem_rd:
        return 0b0001;
    case Opcode::mem_spec_rd:
        return 0b1000;
    case Opcode::mem_wr:
        return 0b0001;
    case Opcode::mem_wr_ptl:
        return 0b0010;
    case Opcode::atomic:
        return 0b1101;
    case Opcode::cmp:
        return 0b000;
    case Opcode::mem_data:
        break;
    }
    return 0b000;
}
constexpr std::uint64_t meta_no_op = 0b11;

/// The opcode of a channel with this code. The CRC has passed, so an unknown code is a bug of the
/// simulator.
Opcode opcode_of(Channel channel, std::uint64_t code) {
    const auto opcode = [&](auto... of_channel) {
        Opcode found = Opcode::mem_rd;
        const bool any =
            ((code == code_of(of_channel) ? (found = of_channel, true) : false) || ...);
        MEMSIM_ASSERT(any, "a header has an opcode that is never sent");
        return found;
    };
    switch (channel) {
    case Channel::req:
        return opcode(Opcode::mem_rd, Opcode::mem_spec_rd);
    case Channel::rwd:
        return opcode(Opcode::mem_wr, Opcode::mem_wr_ptl, Opcode::atomic);
    case Channel::ndr:
        return opcode(Opcode::cmp);
    case Channel::drs:
        break;
    }
    return opcode(Opcode::mem_data);
}

/// Of 47 bits, that of a MemSpecRd which announces one line.
constexpr std::uint64_t one_line = std::uint64_t {1} << 46;

/// 47 bits: the address in units of 32 bytes, to address half lines. For MemSpecRd: the number of
/// its line, or of its first 256 bytes above two bits of length.
std::uint64_t address_code(const Message& m) {
    if (m.opcode != Opcode::mem_spec_rd) return m.address / half_bytes;
    return m.units ? m.address / spec_unit << 2 | (m.units - 1u)
                   : one_line | m.address / line_bytes;
}

} // namespace

SlotBits encode(const Message& m) {
    const std::uint64_t code = code_of(m.opcode);
    const auto load = static_cast<std::uint64_t>(m.load);
    const SlotBits valid = valid_bit.put(1);
    switch (m.channel()) {
    case Channel::req: {
        using F = ReqFields;
        return valid | F::opcode.put(code) | F::meta_field.put(meta_no_op) | F::tag.put(m.tag) |
               F::address.put(address_code(m)) | F::half.put(m.half);
    }
    case Channel::rwd: {
        using F = RwdFields;
        return valid | F::opcode.put(code) | F::meta_field.put(meta_no_op) | F::tag.put(m.tag) |
               F::address.put(m.address / line_bytes) | F::upper.put(m.address / half_bytes % 2);
    }
    case Channel::ndr: {
        using F = NdrFields;
        return valid | F::opcode.put(code) | F::meta_field.put(meta_no_op) | F::tag.put(m.tag) |
               F::load.put(load);
    }
    case Channel::drs:
        break;
    }
    using F = DrsFields;
    return valid | F::opcode.put(code) | F::meta_field.put(meta_no_op) | F::tag.put(m.tag) |
           F::load.put(load);
}

Message decode(Channel channel, SlotBits bits, bool half, bool enables) {
    Message m;
    switch (channel) {
    case Channel::req: {
        using F = ReqFields;
        m.opcode = opcode_of(channel, F::opcode.get(bits));
        m.tag = static_cast<std::uint16_t>(F::tag.get(bits));
        m.half = F::half.get(bits);
        const std::uint64_t address = F::address.get(bits);
        if (m.opcode == Opcode::mem_spec_rd && address & one_line)
            m.address = (address & ~one_line) * line_bytes;
        else if (m.opcode == Opcode::mem_spec_rd) {
            m.units = static_cast<std::uint8_t>((address & 3) + 1);
            m.address = (address >> 2) * spec_unit;
        } else
            m.address = address * half_bytes;
        return m;
    }
    case Channel::rwd: {
        using F = RwdFields;
        m.opcode = opcode_of(channel, F::opcode.get(bits));
        MEMSIM_ASSERT(m.has_enables() == enables,
                      "byte enables require a write of a whole line or half");
        m.tag = static_cast<std::uint16_t>(F::tag.get(bits));
        m.half = half;
        m.address = F::address.get(bits) * line_bytes + F::upper.get(bits) * half_bytes;
        return m;
    }
    case Channel::ndr: {
        using F = NdrFields;
        m.opcode = opcode_of(channel, F::opcode.get(bits));
        m.tag = static_cast<std::uint16_t>(F::tag.get(bits));
        m.load = static_cast<DevLoad>(F::load.get(bits));
        return m;
    }
    case Channel::drs:
        break;
    }
    using F = DrsFields;
    m.opcode = opcode_of(channel, F::opcode.get(bits));
    m.tag = static_cast<std::uint16_t>(F::tag.get(bits));
    m.load = static_cast<DevLoad>(F::load.get(bits));
    m.half = half;
    return m;
}

} // namespace memsim::cxl
