#pragma once

#include "core/fifo.hh"
#include "cxl/credits.hh"

/// Messages packed into the slots of 68-byte flits, and taken out of them again (CXL 3.1, 4.2.5).
namespace memsim::cxl {

/// Of the headers of one flit, in their order.
using Asides = std::array<Aside, protocol::CxlFlit::most_headers>;

/// What waits to be sent in one direction, and what of it is under way.
struct PackerState {
    Fifo<Message> first;     ///< M2S: Req and RwD, in their order; S2M: DRS
    Fifo<Message> responses; ///< S2M: NDR
    Fifo<SlotBits> chunks;   ///< data and byte enables whose header has been sent
};

/// Fills flits. Data follow their header in the next slots; what does not fit into a flit rolls
/// over: more than three slots of it make the next flit one of all data. In one flit there are at
/// most two Req and one RwD, or two NDR and three DRS; two or three DRS share a slot where each
/// moves a whole line, and otherwise a flit has one header with data. Messages to the device stay
/// in the order in which they came, over both classes.
class Packer {
  public:
    explicit Packer(PackerState& state) : state_(state) {}

    void push(const Message& m) {
        (m.channel() == Channel::ndr ? state_.responses : state_.first).push(m);
    }
    std::uint32_t waiting() const { return state_.first.size() + state_.responses.size(); }
    /// The next flit must be one of all data.
    bool all_data() const { return state_.chunks.size() >= slots; }
    /// A flit with a header of its own has something to carry.
    bool wants_header(const Credits& credits) const {
        return !state_.chunks.empty() || may_send(state_.first, credits) ||
               may_send(state_.responses, credits);
    }

    void all_data_flit(Flit& to);
    /// The flit is empty; its own header lacks Ak and credits. Uses up credits. Returns how many
    /// headers of messages it has, and their asides in `asides`.
    std::uint32_t protocol_flit(Flit& to, Asides& asides, Credits& credits);

  private:
    struct Filling;
    static bool may_send(const Fifo<Message>& queue, const Credits& credits) {
        return !queue.empty() && credits.has(credit_class_of(queue.front().opcode));
    }
    std::uint32_t whole_lines(const Filling& f, std::uint32_t most) const;
    std::uint32_t ready_responses(const Filling& f) const;
    Message take(Fifo<Message>& queue, Filling& f);
    void fill_h(Filling& f);
    void fill_g(Filling& f, std::uint32_t slot);
    SlotBits several_drs(std::uint32_t n, Filling& f);
    SlotBits two_ndr(std::uint32_t at, Filling& f);

    PackerState& state_;
};

/// What has come and lacks some of its data.
struct UnpackerState {
    struct Part {
        Message message;
        std::uint32_t chunks = 0; ///< that are missing
    };
    Fifo<Part> parts;
    std::uint32_t missing = 0; ///< chunks of all of them
};

/// Takes messages out of flits. `from_device` says which formats its slots have.
class Unpacker {
  public:
    Unpacker(UnpackerState& state, bool from_device) : state_(state), from_device_(from_device) {}

    bool all_data() const { return state_.missing >= slots; }
    void take_all_data(const Flit& flit);
    void take_protocol(const Flit& flit, const Asides& asides);

    /// Messages that are complete, in the order of their headers.
    bool empty() const { return state_.parts.empty() || state_.parts.front().chunks != 0; }
    Message pop() { return state_.parts.pop().message; }

  private:
    struct Reading;
    void header(Channel channel, SlotBits bits, Reading& r);
    void ndrs(SlotBits bits, Reading& r);
    void take_chunk(SlotBits bits);

    UnpackerState& state_;
    bool from_device_;
};

} // namespace memsim::cxl
