#pragma once

#include "cxl/flit/link_messages.hh"

#include <span>

/// Messages packed into the slots of 68-byte flits, and taken out of them again (CXL 3.1, 4.2.5).
namespace memsim::cxl {

inline constexpr std::uint32_t most_headers = 5; ///< of a flit: 3 DRS and 2 NDR
/// Of the headers of one flit, in their order.
using Asides = std::array<Aside, most_headers>;

/// Fills flits. Data follow their header in the next slots; what does not fit into a flit rolls
/// over: more than three slots of it make the next flit one of all data. In one flit there are at
/// most two Req and one RwD, or two NDR and three DRS; two or three DRS share a slot where each
/// moves a whole line, and otherwise a flit has one header with data. Messages to the device stay
/// in the order in which they came, over both classes.
class Packer {
  public:
    explicit Packer(MessagesOut& state) : state_(state) {}

    /// The next flit must be one of all data.
    bool all_data() const { return state_.chunks.size() >= slots; }

    void all_data_flit(Flit& to);
    /// The flit is empty; its own header lacks Ak and credits. Uses up credits. Returns how many
    /// headers of messages it has, and their asides in `asides`.
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

/// Takes messages out of flits. `from_device` says which formats its slots have.
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
