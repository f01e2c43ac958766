#pragma once

#include "cxl/flit/flit256.hh"
#include "cxl/flit/link_messages.hh"

#include <span>

namespace memsim::cxl {

/// The asides of the headers of one 256-byte flit, in order.
struct Asides256 {
    static constexpr std::uint32_t most = 2 * (3 + 6); ///< DRS and NDR of both halves
    std::array<Aside, most> of {};
    std::uint32_t size = 0;
    std::uint32_t first = 0; ///< number in slots that the first piece completes

    std::span<const Aside> of_first() const { return std::span(of).first(first); }
    std::span<const Aside> of_rest() const { return std::span(of).subspan(first, size - first); }
    void check_loaded(Loader& l) const {
        l.index("size", size, most + 1);
        l.index("first", first, size + 1);
    }
};

/// Fills 256-byte flits. Data follow their header in the next G slots and continue in the next
/// flit; beyond `most_pending` chunks no further header with data is added. A slot contains headers
/// of one class: one Req or RwD; two NDR or two DRS in an H or HS slot, three in a G slot. An HS
/// slot has no space for a RwD. Each half of 128 bytes has at most 4 Req, 2 RwD, 6 NDR and 3 DRS
/// (assumption). Messages to the device stay in order. Two NDR precede DRS in H and HS slots; DRS
/// precede NDR in G slots. A single NDR waits at most one flit for a second.
class Packer256 {
  public:
    static constexpr std::array<std::uint32_t, 4> most {4, 2, 6, 3}; ///< by Channel
    /// G slots of a flit: with this number of pending chunks no header with data is added.
    static constexpr std::uint32_t most_pending = 14;

    Packer256(MessagesOut& state, bool& overdue, Layout256 layout)
        : state_(state), overdue_(overdue), layout_(layout) {}

    /// Fills the slots of a flit with the messages that may be sent, and uses credits. Does not
    /// fill the flit's credit field.
    void fill(Flit256& flit, Asides256& asides, Credits& credits);

  private:
    struct Filling;
    std::uint32_t ready(const Filling& f, Channel channel) const;
    SlotBits responses(Filling& f, Channel channel, std::uint32_t most);
    SlotBits headers(Filling& f, std::uint32_t slot);
    SlotBits take(Filling& f, Fifo<Message>& queue);

    MessagesOut& state_;
    bool& overdue_; ///< an NDR has waited for a whole flit
    Layout256 layout_;
};

/// Extracts messages from 256-byte flits.
class Unpacker256 {
  public:
    Unpacker256(MessagesIn& state, Layout256 layout) : state_(state), layout_(layout) {}

    /// Extracts slots `begin` to `end`; the asides are those of the headers in them.
    void take(const Flit256& flit, std::uint32_t begin, std::uint32_t end,
              std::span<const Aside> asides);

  private:
    MessagesIn& state_;
    Layout256 layout_;
};

} // namespace memsim::cxl
