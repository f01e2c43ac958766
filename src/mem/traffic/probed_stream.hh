#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "protocol/mem.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// The traffic of Ramulator 2.1's latency-throughput test: a stream of reads at a steady rate over
/// all banks, and single reads of random rows (probes) whose latency is measured. Addresses are for
/// the map RoCoBaBg. The run ends after `probes`.
///
/// Guarantees    Every read is answered at the end of a complete run.
class ProbedStream final : public Model<ProbedStream> {
  public:
    struct Params {
        Param<Time> cycle {833_ps, "Clock of the memory; requests arrive at its edges"};
        Param<unsigned> every {4, {1, 1u << 20}, "Eighths of a cycle between reads of the stream"};
        Param<unsigned> outstanding {256, {2, 4096}, "Maximum number of reads without a response"};
        Param<unsigned> probes {3000, {1, 1u << 30}, "Reads of random rows, one after another"};
        Param<unsigned> bytes {64, {1, 4096}, "Bytes of a read"};
        Param<unsigned> banks {16, {1, 256}, "Banks, the lowest digit of the address"};
        Param<unsigned> columns {128, {1, 65536}, "Reads in a row, the next digit"};
        Param<unsigned> rows {65536, {1, 1u << 30}, "Rows of a bank, the highest digit"};
    };
    struct Ports {
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "Reads"};
    };
    struct Stats {
        Distribution probe {Unit::time, "Time from a probe's arrival to its response"};
        Distribution all {Unit::time, "Time from any read's arrival to its response"};
    };
    struct State {
        std::uint64_t streamed = 0; ///< reads of the stream sent
        std::uint32_t probes = 0;   ///< probes sent
        bool probing = false;
        Tick late = 0; ///< total time that the stream waited for the memory
        Rng rng;
        std::vector<Tick> sent_at;
        FreeList free; ///< the stream's tags - 1: tag 0 is the probe's
        Timer next;
    };

    explicit ProbedStream(const Params& p) : params(p) {}
    void init() override {
        state.sent_at.assign(params.outstanding, 0);
        for (std::uint32_t i = params.outstanding - 1; i-- > 0;) state.free.push_back(i);
    }
    void start() override { arm(state.next, due()); }
    void wake() override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool more() const { return state.probes < params.probes || state.probing; }
    Tick due() const { ///< when the next read of the stream is sent, at a clock edge
        const std::uint64_t cycle = state.streamed * params.every / 8;
        return 1 + static_cast<Tick>(cycle) * params.cycle->raw + state.late;
    }
    std::uint64_t address(std::uint64_t row, std::uint64_t column, std::uint64_t bank) const {
        return ((row * params.columns + column) * params.banks + bank) * params.bytes;
    }
    void send(std::uint64_t address, std::uint32_t tag);
};

} // namespace memsim::mem
