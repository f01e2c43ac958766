#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "cxl/link/link_end.hh"
#include "protocol/mem.hh"

namespace memsim::cxl {

using protocol::Mem;

/// A CXL root port: the host's end of a link. It converts memory requests to messages, and the
/// device's messages to responses.
///
/// Models        A read becomes MemRd, a write MemWr, or MemWrPtl with byte enables if it covers a
///               sector of 32 bytes in part. A request over several lines of 64 bytes becomes one
///               message per line. If one sector of a line is needed, 68-byte flits transfer 32
///               bytes. CXL.mem has no atomics: an atomic is sent as a partial write and performed
///               by the device (assumption). A hint becomes a MemSpecRd of 1 to 4 units of 256
///               bytes, which has no response; it is dropped if the message queue is full. All
///               other messages have a response, even posted writes, whose completion ends here.
///               The DevLoad of each completion and data response is sent to `telemetry`.
/// Ordering      Requests stay in order.
/// Not modelled  CXL.io and CXL.cache on the same wires, back-invalidation, link states.
class RootPort final : public Model<RootPort>, public Functional, public HasLink {
  public:
    struct Params {
        LinkParams link;
        Param<unsigned> queue {
            32, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
        Param<unsigned> buffer {
            32, {16, 65536}, "Messages queued to be packed into flits", assumed()};
        Param<unsigned> outstanding {
            256,
            {16, 65536},
            "Messages to the device without a response",
            assumed("no source gives it; the 16-bit tags of CXL.mem allow 65536")};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>,
                                  .latency = &LinkSettings<Params>::delivery,
                                  .hints = true},
                                 "Requests and hints"};
        Out<CxlFlit> flits_out {
            {.latency = &LinkSettings<Params>::crossing, .rate = &LinkSettings<Params>::rate},
            "Flits to the device"};
        In<CxlFlit> flits_in {{.depth = &LinkSettings<Params>::unlimited},
                              "Flits from the device; credits limit their messages"};
        Many<Out<protocol::DeviceLoad>> telemetry {{.latency = &LinkSettings<Params>::delivery},
                                                   "DevLoad of each response"};
    };
    struct Stats {
        Counter reads {Unit::count, "MemRd messages sent"};
        Counter writes {Unit::count, "MemWr messages sent"};
        Counter partial_writes {Unit::count, "MemWrPtl messages and atomics sent"};
        Counter speculative_reads {Unit::count, "MemSpecRd messages sent"};
        Counter hints_dropped {Unit::count, "Hints dropped because the message queue was full"};
        Each<Counter, DevLoad> loads {Unit::count, "Responses with this DevLoad"};
        Counter lost_telemetry {Unit::count, "DevLoads dropped because a receiver had no space"};
        Distribution round_trip {Unit::time,
                                 "Time from a request to the arrival of its last message"};
        LinkStats link;
    };
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    /// A message with an outstanding response. The first message of a request holds the request's
    /// data.
    struct Asked {
        std::uint32_t head = none;    ///< first message of the request; none: a free tag
        std::uint32_t first = 0;      ///< index of its first sector in the request
        std::uint32_t unanswered = 0; ///< messages of the request without a response
        bool posted = false;
        Tick since = 0;
        protocol::MemResponse answer;
    };
    struct State {
        LinkEndState link;
        std::vector<Asked> asked; ///< by tag
        FreeList free_tags;
    };

    explicit RootPort(const Params& p) : params(p) {}
    void init() override;
    void start() override { arm(state.link.alarm, 0); }
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    std::optional<std::string> imbalance() const override;
    void check_loaded(Loader& l) const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    const LinkParams& link_params() const override { return params.link; }
    bool is_device() const override { return false; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool take_requests();
    std::uint32_t lines_to_send(const protocol::MemRequest& r) const;
    void take_hint(const protocol::MemRequest& r);
    void take_request(const protocol::MemRequest& r);
    void take_response(const Message& m);
    std::size_t busy_tags() const { return params.outstanding() - state.free_tags.size(); }

    std::optional<LinkEnd> link_;
};

} // namespace memsim::cxl
