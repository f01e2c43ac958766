#include "cxl/flit/packer256.hh"

namespace memsim::cxl {

namespace {

constexpr Field format_field {0, Encoding256::format_bits};
constexpr std::uint32_t bits_of_response = Encoding256::response_bits;

std::size_t index(Channel c) { return static_cast<std::size_t>(c); }

} // namespace

/// A flit being filled.
struct Packer256::Filling {
    Asides256& asides;
    Credits& credits;
    std::array<std::uint32_t, 4> in_half {}; ///< headers by Channel
    bool ndr = false;                        ///< the flit contains an NDR
};

void Packer256::fill(Flit256& flit, Asides256& asides, Credits& credits) {
    Filling f {asides, credits};
    for (std::uint32_t s = 0; s < Flit256::slots; ++s) {
        if (s == Flit256::hs_slot) f.in_half = {};
        const bool data = !layout_.header_only(s) && !state_.chunks.empty();
        flit.set_slot(s, data ? state_.chunks.pop() : headers(f, s));
        if (s + 1 == layout_.first_slots()) asides.first = asides.size;
    }
    overdue_ = !state_.responses.empty() && !f.ndr;
}

/// Number of messages of a channel that may be sent now.
std::uint32_t Packer256::ready(const Filling& f, Channel channel) const {
    const Fifo<Message>& queue = channel == Channel::ndr ? state_.responses : state_.first;
    if (queue.empty() || queue.front().channel() != channel) return 0;
    if (queue.front().has_data() && state_.chunks.size() >= most_pending) return 0;
    const CreditClass c = credit_class_of(queue.front().opcode);
    return std::min({queue.size(), f.credits.left[static_cast<std::size_t>(c)],
                     most[index(channel)] - f.in_half[index(channel)]});
}

/// The headers of a slot, after its format; 0 for an empty slot.
SlotBits Packer256::headers(Filling& f, std::uint32_t slot) {
    const bool small = layout_.header_only(slot), hs = small && slot == Flit256::hs_slot;
    if (ready(f, Channel::req))
        return format_field.put(Encoding256::req) | take(f, state_.first)
                                                        << Encoding256::format_bits;
    if (!hs && ready(f, Channel::rwd))
        return format_field.put(Encoding256::rwd) | take(f, state_.first)
                                                        << Encoding256::format_bits;
    const std::uint32_t room = small ? 2 : 3;
    const std::uint32_t ndr = ready(f, Channel::ndr), drs = ready(f, Channel::drs);
    if (ndr && (!drs || (small && (ndr >= room || overdue_))))
        return responses(f, Channel::ndr, std::min(ndr, room));
    return drs ? responses(f, Channel::drs, std::min(drs, room)) : 0;
}

SlotBits Packer256::responses(Filling& f, Channel channel, std::uint32_t n) {
    const bool ndr = channel == Channel::ndr;
    SlotBits bits = 0;
    for (std::uint32_t i = 0; i < n; ++i)
        bits |= take(f, ndr ? state_.responses : state_.first) << bits_of_response * i;
    f.ndr |= ndr;
    return bits << Encoding256::format_bits |
           format_field.put(ndr ? Encoding256::ndr : Encoding256::drs);
}

SlotBits Packer256::take(Filling& f, Fifo<Message>& queue) {
    const Message m = Encoding256::as_sent(queue.pop());
    f.credits.use(credit_class_of(m.opcode));
    f.asides.of[f.asides.size++] = m.aside;
    ++f.in_half[index(m.channel())];
    if (m.has_data()) state_.push_chunks(m, Encoding256::data_chunks);
    return Encoding256::encode(m);
}

void Unpacker256::take(const Flit256& flit, std::uint32_t begin, std::uint32_t end,
                       std::span<const Aside> asides) {
    std::size_t next = 0;
    const auto header = [&](Channel channel, SlotBits bits) {
        if (!valid_bit.get(bits)) return;
        Message m = Encoding256::decode(channel, bits);
        MEMSIM_ASSERT(next < asides.size(), "a flit has more headers than were sent");
        m.aside = asides[next++];
        state_.add(m, Encoding256::chunks(m));
    };
    for (std::uint32_t s = begin; s < end; ++s) {
        if (state_.missing && !layout_.header_only(s)) {
            MessagesIn::Part& part = state_.take_chunk(flit.slot(s));
            if (part.missing == 0) Encoding256::restore(part.message);
            continue;
        }
        const SlotBits bits = flit.slot(s) >> Encoding256::format_bits;
        switch (format_field.get(flit.slot(s))) {
        case Encoding256::none:
            break;
        case Encoding256::req:
            header(Channel::req, bits);
            break;
        case Encoding256::rwd:
            header(Channel::rwd, bits);
            break;
        default:
            const bool ndr = format_field.get(flit.slot(s)) == Encoding256::ndr;
            for (std::uint32_t i = 0; i < 3; ++i)
                header(ndr ? Channel::ndr : Channel::drs,
                       bits >> bits_of_response * i & ((SlotBits {1} << bits_of_response) - 1));
        }
    }
}

} // namespace memsim::cxl
