#pragma once

#include "core/machine/functional.hh"
#include "core/machine/output_file.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"
#include "workload/traces/trace_encoder.hh"

namespace memsim::workload {

using protocol::Mem;

/// Sits in any memory link, passes everything on and writes what passes to a trace. It adds the
/// latency of its own two links (1 fs each way beyond the one it replaces). The file grows batch by
/// batch; the last one and the trace's end are written whenever simulate() comes back, and written
/// over when the run goes on. A run that goes on from a checkpoint goes on with its file: what had
/// been written behind the checkpoint is cut off, and kept whole beside it (FILE.before).
/// Not recorded: answers, invalidations, contents (requests carry none).
class TraceRecorder final : public Model<TraceRecorder>,
                            public WritesFile,
                            public Functional,
                            public protocol::StatesTraffic {
  public:
    struct Params {
        Param<std::string> file {"", "Where the trace goes; a file that is there is written over"};
        Param<TraceOutputFormat> format {TraceOutputFormat::memsim,
                                         "Format of the trace (gem5 packs what is named .gz)"};
        Param<Time> cycle {0_fs, {0_fs, 1_s}, "Length of one of DRAMsim3's cycles"};
        Param<unsigned> batch {4096, {1, 65536}, "Records that are written at once"};
        Param<unsigned> outstanding {
            256, {1, 1u << 20}, "Requests without an answer that may be on the far side"};
        Param<unsigned> queue {64, {1, 65536}, "Requests waiting or in flight to this component"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>}, "Requests from above"};
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>},
                                 "The memory, to which requests pass"};
    };
    struct Stats {
        Counter records {Unit::count, "Requests recorded"};
        Counter bytes {Unit::byte, "Bytes that recorded requests ask for or write"};
    };
    struct Record {
        Tick time = 0;
        std::uint64_t address = 0;
        std::uint32_t bytes = 0, warp = 0, pc = 0;
        std::uint16_t application = 0, sectors = 0;
        TraceCommandKind command = TraceCommandKind::read;
    };
    struct State {
        std::uint64_t bytes = 0;   ///< of the file, without the end
        std::uint64_t records = 0; ///< in them
        std::vector<Record> batch; ///< not yet in it
    };

    explicit TraceRecorder(const Params& p) : params(p) {}
    void init() override;
    void start() override;
    void wake() override;
    void functional(const PortBase&, FunctionalAccess& access) override {
        look_through(port.mem_side, access);
    }
    void state_loaded() override;
    std::string output_parameter() const override { return "file"; }
    std::string output_path() const override { return params.file(); }
    void complete_output() override;

    protocol::Traffic traffic(const PortBase&, unsigned hops) const override {
        return protocol::traffic_to(port.cpu_side, hops);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void record(const protocol::MemRequest& r);
    void append_batch();
    void encode_batch();
    TraceOutput& output();

    std::unique_ptr<TraceEncoder> encoder_;
    std::unique_ptr<TraceOutput> output_;
    /// The file has this many records and its end behind the bytes of State.
    std::optional<std::uint64_t> complete_;
    // Scratch:
    std::vector<TraceRecord> records_;
    std::string bytes_;
};

} // namespace memsim::workload
