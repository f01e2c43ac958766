#pragma once

#include "core/machine/functional.hh"
#include "core/machine/output_file.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"
#include "workload/traces/trace_encoder.hh"

namespace memsim::workload {

using protocol::Mem;

/// Forwards all messages of a memory link and records requests in a trace.
///
/// Models        the latency of its two links (1 fs each way beyond the link that it replaces).
/// Guarantees    The file grows by batches. When simulate() returns, the last batch and the end of
///               the trace are written; they are overwritten when the run continues. A run restored
///               from a checkpoint continues its file: bytes written after the checkpoint are
///               removed, and the previous file is kept as FILE.before.
/// Not modelled  Recording of answers, invalidations and contents (requests carry none).
class TraceRecorder final : public Model<TraceRecorder>,
                            public WritesFile,
                            public Functional,
                            public protocol::StatesTraffic {
  public:
    struct Params {
        Param<std::string> file {"", "Trace file; an existing file is overwritten"};
        Param<TraceOutputFormat> format {
            TraceOutputFormat::memsim,
            "Format of the trace (gem5: compressed if the name ends with .gz)"};
        Param<Time> cycle {0_fs, {0_fs, 1_s}, "Length of a cycle in DRAMsim3's format"};
        Param<unsigned> batch {4096, {1, 65536}, "Records written at once"};
        Param<unsigned> outstanding {256, {1, 1u << 20}, "Maximum number of outstanding requests"};
        Param<unsigned> queue {64, {1, 65536}, "Requests queued or in flight to this component"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>}, "Requests from above"};
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>},
                                 "The memory that receives the requests"};
    };
    struct Stats {
        Counter records {Unit::count, "Requests recorded"};
        Counter bytes {Unit::byte, "Bytes read or written by recorded requests"};
    };
    struct Record {
        Tick time = 0;
        std::uint64_t address = 0;
        std::uint32_t bytes = 0, warp = 0, pc = 0;
        std::uint16_t application = 0, sectors = 0;
        TraceCommandKind command = TraceCommandKind::read;
    };
    struct State {
        std::uint64_t bytes = 0;   ///< of the file, without the end of the trace
        std::uint64_t records = 0; ///< in these bytes
        std::vector<Record> batch; ///< not yet written
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
    /// If set: the file has this many records, and an end of trace behind the bytes of State.
    std::optional<std::uint64_t> complete_;
    // Scratch space.
    std::vector<TraceRecord> records_;
    std::string bytes_;
};

} // namespace memsim::workload
