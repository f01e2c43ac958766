#pragma once

#include "core/component.hh"
#include "protocol/mem.hh"
#include "workload/traces/trace_encoder.hh"

namespace memsim::workload {

using protocol::Mem;

/// Sits in any memory link, passes everything on and writes what passes to a trace. It adds the
/// latency of its own two links (1 fs each way beyond the one it replaces). The file grows batch by
/// batch; the last one and the trace's end are written when the run is closed. A run that goes on
/// from a checkpoint goes on with its file: what had been written behind the checkpoint is cut off,
/// and kept whole beside it (FILE.before).
/// Not recorded: answers, invalidations, contents (requests carry none).
class TraceRecorder final : public Model<TraceRecorder> {
  public:
    struct Params {
        Param<std::string> file {"", "Where the trace goes; a file that is there is written over"};
        Param<TraceOutputFormat> format {TraceOutputFormat::memsim,
                                         "Of the trace (gem5 packs what is named .gz)"};
        Param<Time> cycle {0_fs, {0_fs, 1_s}, "For DRAMsim3: how long one of its cycles is"};
        Param<unsigned> batch {4096, {1, 65536}, "Records that are written at once"};
        Param<unsigned> outstanding {
            256, {1, 1u << 20}, "Requests without an answer that may be on the far side"};
        Param<unsigned> queue {64, {1, 65536}, "Requests waiting or in flight to it"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>}, "Towards whoever asks"};
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "Towards the memory"};
    };
    struct Stats {
        Counter records {Unit::count, "Requests recorded"};
        Counter bytes {Unit::byte, "Bytes that they ask for or write"};
    };
    struct Record {
        Tick time = 0;
        std::uint64_t address = 0;
        std::uint32_t bytes = 0, warp = 0, pc = 0;
        std::uint16_t application = 0, sectors = 0;
        TraceCommandKind command = TraceCommandKind::read;
    };
    struct State {
        std::uint64_t bytes = 0;   ///< of the file
        std::uint64_t records = 0; ///< in the file
        std::vector<Record> batch; ///< not yet in it
    };

    explicit TraceRecorder(const Params& p) : params(p) {}
    ~TraceRecorder() override;
    void init() override;
    void start() override;
    void wake() override;
    void load_state(Loader& from) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void record(const protocol::MemRequest& r);
    void open();
    void write_batch();

    std::unique_ptr<TraceEncoder> encoder_;
    std::unique_ptr<TraceOutput> output_;
    Tick restored_at_ = never; ///< when the checkpoint was taken that this machine came from
    // Scratch:
    std::vector<TraceRecord> records_;
    std::string bytes_;
};

} // namespace memsim::workload
