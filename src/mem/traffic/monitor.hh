#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "core/state/hash_map.hh"
#include "protocol/mem.hh"
#include "protocol/observed.hh"
#include "protocol/traffic.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// Sits in any memory link and counts what passes. It adds the latency of its own two links (1 fs
/// each way beyond the one it replaces) and no other delay, as long as `outstanding` suffices.
/// It can also count the pages that are read and written: a bit for each, of those touched; and
/// tell listeners each read, write and atomic, which then passes when all of them have room.
class Monitor final : public Model<Monitor>, public Functional, public protocol::StatesTraffic {
  public:
    struct Params {
        Param<unsigned> outstanding {
            256, {1, 1u << 20}, "Requests without an answer that can be followed at once"};
        Param<unsigned> queue {64, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<Bytes> page {
            0_B, {0_B, 1_GiB}, "Size of the pages whose first touches are counted; 0: none are"};
        Param<unsigned> applications {
            0, {0, 4096}, "Number of applications whose requests are counted apart (0: none's)"};
        Param<unsigned> listeners {
            0, {0, 64}, "Models beside the machine that are told what passes"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>, .hints = true},
                                 "Requests and hints from above"};
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>},
                                 "The memory, to which requests pass"};
        Many<Out<protocol::Observed>> passed {
            from<&Params::listeners>, {}, "Reads, writes and atomics as they pass"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads that passed"};
        Counter writes {Unit::count, "Writes that passed"};
        Counter atomics {Unit::count, "Atomics that passed"};
        Counter hints {Unit::count, "Hints that passed"};
        Counter hints_dropped {Unit::count, "Hints for which the memory had no room or takes none"};
        Counter read_bytes {Unit::byte, "Bytes of answers to reads"};
        Counter write_bytes {Unit::byte, "Bytes of writes and atomics that passed"};
        Counter pages_read {Unit::count, "Pages read for the first time"};
        Counter pages_written {Unit::count, "Pages with a write or an atomic for the first time"};
        Each<Counter> application_requests {from<&Params::applications>, Unit::count,
                                            "Reads, writes and atomics of an application"};
        Distribution read_latency {Unit::time, "Time from a read to its answer"};
        Distribution write_latency {Unit::time, "Time from a write or atomic to its answer"};
        Level outstanding {Unit::count, "Requests without an answer"};
        PerSecond read_bandwidth {read_bytes, "Bytes read a second of simulated time"};
        PerSecond write_bandwidth {write_bytes, "Bytes written a second of simulated time"};
    };
    struct State {
        struct Passing {
            std::uint32_t tag = 0; ///< the sender's: on the far side the place here is the tag
            Tick since = 0;
        };
        std::vector<Passing> passing;
        FreeList free;
        HashMap<std::uint64_t> read_pages, written_pages; ///< a bit a page, by page / 64
    };

    explicit Monitor(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    protocol::Traffic traffic(const PortBase&, unsigned hops) const override {
        return protocol::traffic_to(port.cpu_side, hops);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool listeners_can_hear() const;
    void count(const protocol::MemRequest& r);
    void count_page(HashMap<std::uint64_t>& pages, std::uint64_t address, Counter& counter);
};

} // namespace memsim::mem
