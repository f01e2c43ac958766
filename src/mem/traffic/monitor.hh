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

/// Counts the traffic of a memory link in which it is inserted.
///
/// Models        It adds the latency of its own two links (1 fs each way beyond the replaced link)
///               and no other delay, if `outstanding` is large enough. Optionally it counts the
///               pages that are read and written, with one bit for each touched page, and reports
///               each read, write and atomic to listeners; a request then passes when all listeners
///               can accept the report.
class Monitor final : public Model<Monitor>, public Functional, public protocol::StatesTraffic {
  public:
    struct Params {
        Param<unsigned> outstanding {
            256, {1, 1u << 20}, "Maximum number of outstanding requests that can be followed"};
        Param<unsigned> queue {64, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<Bytes> page {0_B,
                           {0_B, 1_GiB},
                           "Size of the pages whose first accesses are counted; 0: not counted"};
        Param<unsigned> applications {
            0, {0, 4096}, "Number of applications whose requests are counted separately"};
        Param<unsigned> listeners {
            0, {0, 64}, "Models outside the machine that receive a report of each request"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>, .hints = true},
                                 "Requests and hints from above"};
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>},
                                 "The memory, to which requests are forwarded"};
        Many<Out<protocol::Observed>> passed {
            from<&Params::listeners>, {}, "Reads, writes and atomics as they pass"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads forwarded"};
        Counter writes {Unit::count, "Writes forwarded"};
        Counter atomics {Unit::count, "Atomics forwarded"};
        Counter hints {Unit::count, "Hints forwarded"};
        Counter hints_dropped {Unit::count,
                               "Hints that the memory had no space for or does not accept"};
        Counter read_bytes {Unit::byte, "Bytes of read responses"};
        Counter write_bytes {Unit::byte, "Bytes of writes and atomics forwarded"};
        Counter pages_read {Unit::count, "Pages read for the first time"};
        Counter pages_written {Unit::count,
                               "Pages written (or changed by an atomic) for the first time"};
        Each<Counter> application_requests {from<&Params::applications>, Unit::count,
                                            "Reads, writes and atomics of an application"};
        Distribution read_latency {Unit::time, "Time from a read to its response"};
        Distribution write_latency {Unit::time, "Time from a write or atomic to its response"};
        Level outstanding {Unit::count, "Requests without a response"};
        PerSecond read_bandwidth {read_bytes, "Bytes read per second of simulated time"};
        PerSecond write_bandwidth {write_bytes, "Bytes written per second of simulated time"};
    };
    struct State {
        struct Passing {
            std::uint32_t tag = 0; ///< the sender's; towards the memory the index here is the tag
            Tick since = 0;
        };
        std::vector<Passing> passing;
        FreeList free;
        HashMap<std::uint64_t> read_pages, written_pages; ///< bit per page, by page / 64
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
