#pragma once

#include "cxl/flit/link_messages.hh"

#include <span>

/// Packs messages into the slots of 68-byte flits, and unpacks them (CXL 3.1, 4.2.5).
namespace memsim::cxl {

inline constexpr std::uint32_t most_headers = 5; ///< in one flit: 3 DRS and 2 NDR
/// Those of the headers of one flit, in order.
using Asides = std::array<Aside, most_headers>;

/// Fills flits. Data follow their header in the next slots and may continue in the next flit; if
/// more than three slots of data remain, the next flit is an all-data flit. A flit contains at most
/// two Req and one RwD, or two NDR and three DRS. Two or three DRS share a slot if each transfers a
/// whole line; otherwise a flit has one header with data. Messages to the device stay in order,
/// across both classes.
class Packer {
  public:
    explicit Packer(MessagesOut& state) : state_(state) {}

    /// Whether the next flit must be an all-data flit.
    bool all_data() const { return state_.chunks.size() >= slots; }

    void all_data_flit(Flit& to);
    /// Requires: the flit is empty. Fills it except for Ak and credits of its own header, and uses
    /// credits. Returns the number of message headers, with their asides in `asides`.
    std::uint32_t protocol_flit(Flit& to, Asides& asides, Credits& credits);

  private:
    struct Filling;
    std::uint32_t whole_lines(const Filling& f, std::uint32_t most) const;
    std::uint32_t ready_responses(const Filling& f) const;
    Message take(Fifo<Message>& queue, Filling& f);
    void fill_h(Filling& f);
    void fill_g(Filling& f, std::uint32_t slot);
    SlotBits several_drs(std::uint32_t n, Filling& f);
    SlotBits two_ndr(std::uint32_t at, Filling& f);

    MessagesOut& state_;
};

/// Extracts messages from flits. `from_device` determines the formats of the slots.
class Unpacker {
  public:
    Unpacker(MessagesIn& state, bool from_device) : state_(state), from_device_(from_device) {}

    bool all_data() const { return state_.missing >= slots; }
    void take_all_data(const Flit& flit);
    void take_protocol(const Flit& flit, std::span<const Aside> asides);

  private:
    struct Reading;
    void header(Channel channel, SlotBits bits, Reading& r);
    void ndrs(SlotBits bits, Reading& r);

    MessagesIn& state_;
    bool from_device_;
};

} // namespace memsim::cxl
