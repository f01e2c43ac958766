#pragma once

#include "cxl/flit/flit256.hh"
#include "cxl/flit/link_messages.hh"

#include <span>

namespace memsim::cxl {

/// Of the headers of one 256-byte flit, in their order.
struct Asides256 {
    static constexpr std::uint32_t most = 2 * (3 + 6); ///< DRS and NDR of its two halves
    std::array<Aside, most> of {};
    std::uint32_t size = 0;
    std::uint32_t first = 0; ///< of them in slots that the first piece completes

    std::span<const Aside> of_first() const { return std::span(of).first(first); }
    std::span<const Aside> of_rest() const { return std::span(of).subspan(first, size - first); }
    void check_loaded(Loader& l) const {
        l.index("size", size, most + 1);
        l.index("first", first, size + 1);
    }
};

/// Fills 256-byte flits. Data follow their header in the next G slots and roll over into the next
/// flit, up to a number of them behind which no header with data is added. A slot of headers has
/// those of one class: one Req or RwD; two NDR or two DRS in an H slot or HS slot, three in a G
/// slot. An HS slot has no room for a RwD. Each half of 128 bytes has at most 4 Req, 2 RwD, 6 NDR
/// and 3 DRS (assumption). Messages to the device stay in the order in which they came.
/// Two NDR go before DRS in H and HS slots, DRS before NDR in G slots; one NDR waits a flit at most
/// for a second.
class Packer256 {
  public:
    static constexpr std::array<std::uint32_t, 4> most {4, 2, 6, 3}; ///< by Channel
    /// A flit's G slots: with as many chunks to come, no header with data is added.
    static constexpr std::uint32_t most_pending = 14;

    Packer256(MessagesOut& state, bool& overdue, Layout256 layout)
        : state_(state), overdue_(overdue), layout_(layout) {}

    /// Fills a flit's slots, as far as there is something that may be sent; its credits are not
    /// touched. Uses up credits.
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

/// Takes messages out of 256-byte flits. `from_device` says which classes they are of.
class Unpacker256 {
  public:
    Unpacker256(MessagesIn& state, Layout256 layout) : state_(state), layout_(layout) {}

    /// Slots `begin` to `end`; the asides are those of the headers in them.
    void take(const Flit256& flit, std::uint32_t begin, std::uint32_t end,
              std::span<const Aside> asides);

  private:
    MessagesIn& state_;
    Layout256 layout_;
};

} // namespace memsim::cxl
