#pragma once

#include "core/kernel/component.hh"
#include "mem/traffic/sent_requests.hh"
#include "workload/traces/address_trace.hh"

namespace memsim::workload {

using protocol::Mem;

/// Plays an address trace into a memory.
///
/// Models        either each record at its time from the start of the run, or records as fast as
///               answers and the memory's queue allow. A timed record that cannot be sent on time
///               is sent as soon as possible; later records keep their own times.
/// Guarantees    A request does not cross a multiple of `largest` bytes; a record that does is
///               split. In a trace without sizes a record covers the block of `bytes` that contains
///               its address. The trace is read as a stream. Every request is answered when a run
///               has completed.
class TracePlayer final : public Model<TracePlayer> {
  public:
    struct Params {
        Param<std::string> trace {"", "Trace file, in one of the formats of docs/traces.md"};
        Param<NameOf<TraceFormat>> format {"automatic", "Format of the file"};
        Param<bool> timed {true, "Send each record at its own time; otherwise as fast as possible"};
        Param<Time> unit {0_fs, {0_fs, 1_s}, "Time unit (cycle) of a text trace (0: not stated)"};
        Param<Fraction> speed {100_pct,
                               {Fraction {1}, 100'000_pct},
                               "Rate relative to the recorded one (200 %: twice as fast)"};
        Param<unsigned> bytes {
            64, {1, 1u << 20}, "Bytes of an access, if the trace does not state them"};
        Param<std::string> geometry {"", "Geometry of the memory, for Ramulator's R|W traces: "
                                         "channels,ranks,bank groups,banks,rows,columns"};
        // Tunable, so that checkpoints of a player without these parameters can be restored.
        Param<std::string> map {"RoRaBaCoCh",
                                "Order of the address digits in the memory's address mapping, "
                                "for Ramulator's R|W traces",
                                Change::tunable};
        Param<bool> from_first {false, "Count times from the first record", Change::tunable};
        Param<Gem5Commands> gem5 {Gem5Commands::common,
                                  "Version of gem5 that numbered the packet commands",
                                  Change::tunable};
        Param<std::uint64_t> records {0, {0, std::uint64_t {1} << 62}, "Records to play (0: all)"};
        Param<unsigned> largest {
            128,
            {1, 1u << 20},
            "Maximum bytes of a request; no request crosses a multiple of this size"};
        Param<unsigned> outstanding {64, {1, 65536}, "Maximum number of outstanding requests"};
        Param<Bytes> base {0_B,
                           {0_B, Bytes {std::int64_t {1} << 62}},
                           "Start address of the trace's memory, subtracted from each address"};
    };
    struct Ports {
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "Requests"};
    };
    struct Stats {
        Counter records {Unit::count, "Records of the trace sent"};
        Counter late {Unit::count, "Requests sent later than their time"};
        mem::SentStats sent;
    };
    struct Record {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0; ///< not yet sent; 0: the next record must be read
        std::uint32_t warp = 0;
        std::uint32_t pc = 0;
        std::uint16_t application = 0, sectors = 0;
        protocol::Command command = protocol::Command::read;
        Tick due = 0;
    };
    struct State {
        TracePlace place;
        Record record; ///< the next record
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
