#include "cxl/flit/packer.hh"

namespace memsim::cxl {

namespace {

constexpr std::uint32_t most_req = 2, most_rwd = 1, most_ndr = 2, most_drs = 3;

} // namespace

/// A flit being filled.
struct Packer::Filling {
    Flit& flit;
    Asides& asides;
    Credits& credits;
    std::uint32_t headers = 0;
    SlotBits header = 0;
    std::uint32_t reqs = 0, ndrs = 0;
    bool data_header = false; ///< a header with data was added, or a slot of several

    void format(std::uint32_t slot, std::uint32_t code) {
        header |= FlitFields::format[slot].put(code);
    }
};

void Packer::all_data_flit(Flit& to) {
    for (std::uint32_t s = 0; s < slots; ++s) to.set_slot(s, state_.chunks.pop());
}

std::uint32_t Packer::protocol_flit(Flit& to, Asides& asides, Credits& credits) {
    Filling f {to, asides, credits};
    fill_h(f);
    for (std::uint32_t s = 1; s < slots; ++s) {
        if (!state_.chunks.empty())
            to.set_slot(s, state_.chunks.pop()); // format 0
        else
            fill_g(f, s);
    }
    to.words[0] |= static_cast<std::uint64_t>(f.header);
    return f.headers;
}

Message Packer::take(Fifo<Message>& queue, Filling& f) {
    Message m = queue.pop();
    f.credits.use(credit_class_of(m.opcode));
    f.asides[f.headers++] = m.aside;
    f.reqs += m.channel() == Channel::req;
    f.ndrs += m.channel() == Channel::ndr;
    if (m.has_data()) {
        f.data_header = true;
        if (!m.half) f.header |= FlitFields::whole.put(1);
        if (m.has_enables()) f.header |= FlitFields::enables.put(1);
        state_.push_chunks(m, m.bytes() / chunk_bytes);
    }
    return m;
}

/// DRS that may share a slot: 0, or 2 to `most` whole lines with credits.
std::uint32_t Packer::whole_lines(const Filling& f, std::uint32_t most) const {
    std::uint32_t n = 0;
    while (n < most && n < state_.first.size() && state_.first[n].opcode == Opcode::mem_data &&
           !state_.first[n].half && f.credits.has(CreditClass::data, n + 1))
        ++n;
    return n > 1 ? n : 0;
}

std::uint32_t Packer::ready_responses(const Filling& f) const {
    return std::min({state_.responses.size(), most_ndr - f.ndrs,
                     f.credits.left[static_cast<std::size_t>(CreditClass::rsp)]});
}

SlotBits Packer::several_drs(std::uint32_t n, Filling& f) {
    SlotBits bits = 0;
    for (std::uint32_t i = 0; i < n; ++i)
        bits |= encode(take(state_.first, f)) << DrsFields::bits * i;
    return bits;
}

/// One or two NDR from bit `at` on. The DevLoad of the first follows the second.
SlotBits Packer::two_ndr(std::uint32_t at, Filling& f) {
    constexpr Field body {0, 28};
    const SlotBits first = encode(take(state_.responses, f));
    SlotBits bits = static_cast<SlotBits>(body.get(first)) |
                    static_cast<SlotBits>(NdrFields::load.get(first)) << 58;
    if (ready_responses(f)) bits |= encode(take(state_.responses, f)) << 28;
    return bits << at;
}

/// Slot 0, after the flit's header.
void Packer::fill_h(Filling& f) {
    SlotBits bits = 0;
    const std::uint32_t responses = ready_responses(f);
    if (state_.may_send(state_.first, f.credits)) {
        const Channel channel = state_.first.front().channel();
        const bool room_behind = state_.chunks.size() < slots - 1;
        if (channel != Channel::drs) {
            f.format(0, channel == Channel::req ? Format::h_req : Format::h_rwd);
            bits = encode(take(state_.first, f));
        } else if (responses == most_ndr && room_behind && whole_lines(f, most_drs) == most_drs) {
            f.format(0, Format::h_2ndr); // three DRS follow
            bits = two_ndr(0, f);
        } else if (const std::uint32_t n = whole_lines(f, 2)) {
            f.format(0, Format::h_2drs);
            bits = several_drs(n, f);
        } else {
            f.format(0, Format::h_drs_ndr);
            bits = encode(take(state_.first, f));
            if (responses) bits |= encode(take(state_.responses, f)) << DrsFields::bits;
        }
    } else if (responses) {
        f.format(0, Format::h_2ndr);
        bits = two_ndr(0, f);
    }
    f.flit.set_slot(0, bits << h_slot_begins);
}

void Packer::fill_g(Filling& f, std::uint32_t slot) {
    SlotBits bits = 0;
    const std::uint32_t responses = ready_responses(f);
    const bool first = state_.may_send(state_.first, f.credits);
    const Channel channel = first ? state_.first.front().channel() : Channel::ndr;
    if (channel == Channel::req && f.reqs < most_req) {
        f.format(slot, Format::g_req);
        bits = encode(take(state_.first, f));
    } else if (channel == Channel::rwd && !f.data_header) {
        static_assert(most_rwd == 1);
        f.format(slot, Format::g_rwd);
        bits = encode(take(state_.first, f));
    } else if (channel == Channel::drs && !f.data_header) {
        if (const std::uint32_t n = whole_lines(f, most_drs)) {
            f.format(slot, Format::g_3drs);
            bits = several_drs(n, f);
        } else {
            f.format(slot, Format::g_drs_2ndr);
            bits = encode(take(state_.first, f));
            if (responses) bits |= two_ndr(DrsFields::bits, f);
        }
    } else if (responses) {
        f.format(slot, Format::g_2ndr);
        bits = two_ndr(0, f);
    }
    f.flit.set_slot(slot, bits);
}

/// A flit being unpacked.
struct Unpacker::Reading {
    std::span<const Aside> asides;
    bool half, enables;
    std::uint32_t headers = 0;
};

void Unpacker::take_all_data(const Flit& flit) {
    for (std::uint32_t s = 0; s < slots; ++s) state_.take_chunk(flit.slot(s));
}

void Unpacker::take_protocol(const Flit& flit, std::span<const Aside> asides) {
    const SlotBits header = flit.header();
    Reading r {asides, !FlitFields::whole.get(header), FlitFields::enables.get(header) != 0};
    for (std::uint32_t s = 0; s < slots; ++s) {
        const SlotBits bits = s == 0 ? flit.slot(0) >> h_slot_begins : flit.slot(s);
        if (s > 0 && state_.missing) {
            state_.take_chunk(bits);
            continue;
        }
        const std::uint64_t format = FlitFields::format[s].get(header);
        if (!from_device_) {
            if (!valid_bit.get(bits)) continue;
            const bool req = format == (s ? Format::g_req : Format::h_req);
            this->header(req ? Channel::req : Channel::rwd, bits, r);
        } else if (format == Format::h_drs_ndr && s == 0) {
            this->header(Channel::drs, bits, r);
            this->header(Channel::ndr, bits >> DrsFields::bits, r);
        } else if (format == (s ? Format::g_2ndr : Format::h_2ndr)) {
            ndrs(bits, r);
        } else if (format == Format::g_drs_2ndr && s > 0) {
            this->header(Channel::drs, bits, r);
            ndrs(bits >> DrsFields::bits, r);
        } else if (format != Format::data) {
            for (std::uint32_t i = 0; i < (s ? most_drs : most_drs - 1); ++i)
                this->header(Channel::drs, bits >> DrsFields::bits * i, r);
        }
    }
}

void Unpacker::ndrs(SlotBits bits, Reading& r) {
    constexpr Field body {0, 28};
    const SlotBits load = NdrFields::load.put(static_cast<std::uint64_t>(bits >> 58) & 3);
    header(Channel::ndr, body.get(bits) | load, r);
    header(Channel::ndr, bits >> 28, r);
}

void Unpacker::header(Channel channel, SlotBits bits, Reading& r) {
    if (!valid_bit.get(bits)) return;
    Message m = decode(channel, bits, r.half, r.enables);
    MEMSIM_ASSERT(r.headers < r.asides.size(), "a flit has more headers than were sent");
    m.aside = r.asides[r.headers++];
    state_.add(m, m.chunks());
}

} // namespace memsim::cxl
