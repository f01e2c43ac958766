#pragma once

#include "core/machine/functional.hh"
#include "mem/read_ahead/lines.hh"
#include "mem/read_ahead/params.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"

#include <optional>

namespace memsim::mem {

using protocol::Mem;

/// Reads arrays of far memory ahead of a program that reads them in a known order, such as the
/// weights of the layers of a model, into a buffer in nearer memory.
///
/// Models        The arrays form groups. A read of another group than before means that the program
///               has reached it; the lines of the following `ahead` groups are then read, one after
///               the other, as far as the buffer has room. A line is read from its address below
///               and written to its place in the buffer below, unless all of it has been read
///               meanwhile. A read of a line in the buffer is sent to that place. A read of a line
///               that is being fetched waits, and is answered from the fetched data. A line leaves
///               the buffer when all of it has been read, when it is written, and when the program
///               leaves its group. With `predict` = last only arrays are fetched that the program
///               read the last time, such as the experts of the previous tokens. With `predict` =
///               router an array with a signal is fetched after the program has read the address
///               of its signal, such as the experts that a router predicts; arrays without a
///               signal as with last.
/// Ordering      Requests of the program are sent before fetches.
/// Requires      The component below serves both addresses, and keeps the order of requests to the
///               same address. Requests do not cross lines.
/// Hints         are forwarded if the component below accepts them at once, or else dropped.
/// Not modelled  The time of a look-up, the memory of the tables.
/// See           docs/models/llm.md
class ReadAhead final : public Model<ReadAhead>, public Functional, public protocol::StatesTraffic {
  public:
    using Params = ReadAheadParams;
    struct Ports {
        Responder<Mem> cpu_side {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests and hints"};
        Requester<Mem> mem_side {
            {.depth = +[](const void* p) { return static_cast<const Params*>(p)->requests(); },
             .latency = from<&Params::latency>},
            "Far memory and the memory of the buffer"};
    };
    using Stats = ReadAheadStats;
    using Line = AheadLine;
    using Phase = AheadLine::Phase;
    static constexpr std::uint32_t none = AheadLine::none, line_bytes = AheadLine::bytes;

    struct Request {
        protocol::MemRequest request;
        Tick since = 0;
        std::uint32_t line = none; ///< whose place is read, or which is fetched
        std::uint32_t next = none; ///< that waits for the same line
        bool fetch = false;
    };
    struct State {
        AheadPosition position;
        AheadLines lines;
        std::vector<Request> requests;
        FreeList free_requests;
        Fifo<std::uint32_t> storing; ///< lines that have been fetched
        std::uint32_t fetching = 0;
        bool full = false; ///< counted for the next line
    };

    explicit ReadAhead(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override {
        return state.free_requests.size() != state.requests.size() || !state.storing.empty();
    }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::Traffic traffic(const PortBase&, unsigned hops) const override {
        const protocol::Traffic above = protocol::traffic_to(port.cpu_side, hops);
        return {{}, std::max<std::uint64_t>(above.block, line_bytes), above.sender};
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool answer();
    void fetched(std::uint32_t line);
    bool answer_waiting(Line& line);
    void respond(const protocol::MemRequest& r, Contents::Id data);
    void store();
    bool accept();
    bool accept_read(std::uint32_t array);
    void check_buffer(std::uint32_t lines) const;
    void check_signals() const;
    void look_for_signal(const protocol::MemRequest& r);
    void read_held(const protocol::MemRequest& r, std::uint32_t line);
    void fetch();
    void begin_fetch(std::uint64_t address);
    void send(protocol::MemRequest r, std::uint32_t line);
    std::uint32_t keep(const protocol::MemRequest& r, std::uint32_t line, bool fetch = false);
    void forget(std::uint32_t request) { state.free_requests.push_back(request); }
    /// Whether another request of the program may be outstanding.
    bool room() const {
        return state.requests.size() - state.free_requests.size() - state.fetching <
               params.outstanding();
    }
    void mark(Stamps::Id stamps);
    void leave(std::uint32_t line, bool counted = true);
    void leave_groups(std::uint32_t last);
    void release(std::uint32_t line) { state.lines.release(line, sim().contents()); }
    std::uint64_t place(std::uint32_t line) const {
        return share_.address(buffer_ + std::uint64_t {line} * line_bytes);
    }

    AheadArrays arrays_;
    AheadShare share_;
    std::uint64_t buffer_ = 0;          ///< its position within the share
    std::optional<AheadCursor> cursor_; ///< works on State
};

} // namespace memsim::mem
