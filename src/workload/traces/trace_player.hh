#pragma once

#include "core/kernel/component.hh"
#include "mem/traffic/sent_requests.hh"
#include "workload/traces/address_trace.hh"

namespace memsim::workload {

using protocol::Mem;

/// Plays a trace of addresses into one memory.
///
/// Models      each record at its time from the run's begin (a record that could not be sent then
///             is sent as soon as it can be, and those after it keep their own times), or as fast
///             as answers and the memory's queue allow.
/// Guarantees  A request does not cross a multiple of `largest` bytes; a record that does becomes
///             several requests. A record of a trace without sizes is the block of `bytes` that
///             holds its address. The trace is read as a stream. Every request is answered when a
///             run has completed.
class TracePlayer final : public Model<TracePlayer> {
  public:
    struct Params {
        Param<std::string> trace {"", "The file, in one of the formats of docs/traces.md"};
        Param<NameOf<TraceFormat>> format {"automatic", "Format of the file"};
        Param<bool> timed {
            true, "Whether each record is sent at its own time; otherwise as fast as possible"};
        Param<Time> unit {0_fs,
                          {0_fs, 1_s},
                          "How long a unit of a text trace's times (a cycle) is; 0: not stated"};
        Param<Fraction> speed {100_pct,
                               {Fraction {1}, 100'000_pct},
                               "Share of the recorded rate: 200 % is twice as fast"};
        Param<unsigned> bytes {
            64, {1, 1u << 20}, "Bytes of an access, where the trace does not tell"};
        Param<std::string> geometry {"", "Geometry of the memory, for Ramulator's R|W traces: "
                                         "channels,ranks,bank groups,banks,rows,columns"};
        // Tunable, so that a checkpoint of a player without them restores.
        Param<std::string> map {"RoRaBaCoCh",
                                "Order of the address's digits by which the memory takes addresses "
                                "apart, for Ramulator's R|W traces",
                                Change::tunable};
        Param<bool> from_first {false, "Whether times are counted from the first record",
                                Change::tunable};
        Param<Gem5Commands> gem5 {Gem5Commands::common,
                                  "Version whose numbers gem5's packet commands have",
                                  Change::tunable};
        Param<std::uint64_t> records {
            0, {0, std::uint64_t {1} << 62}, "Records that are played; 0: all"};
        Param<unsigned> largest {
            128,
            {1, 1u << 20},
            "Bytes of a request, at most: no request crosses a multiple of this size"};
        Param<unsigned> outstanding {64, {1, 65536}, "Requests without an answer, at most"};
        Param<Bytes> base {0_B,
                           {0_B, Bytes {std::int64_t {1} << 62}},
                           "Subtracted from each address: where the trace's memory begins"};
    };
    struct Ports {
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "Requests"};
    };
    struct Stats {
        Counter records {Unit::count, "Records of the trace that were sent"};
        Counter late {Unit::count, "Requests that were sent after their time"};
        mem::SentStats sent;
    };
    struct Record {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0; ///< not yet sent; 0: the next record is to be read
        std::uint32_t warp = 0;
        std::uint32_t pc = 0;
        std::uint16_t application = 0, sectors = 0;
        protocol::Command command = protocol::Command::read;
        Tick due = 0;
    };
    struct State {
        TracePlace place;
        Record record; ///< the next
        bool ended = false;
        mem::SentRequests::State requests;
        Timer next;
    };

    explicit TracePlayer(const Params& p) : params(p) {}
    void init() override;
    std::vector<std::string> inputs() const override { return {params.trace()}; }
    void start() override;
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    std::unique_ptr<TraceReader> open() const;
    void check_map() const;
    void read_record();
    void send_one();
    mem::SentRequests requests() { return {state.requests, stat.sent, sim()}; }

    std::unique_ptr<TraceReader> reader_;
};

} // namespace memsim::workload
