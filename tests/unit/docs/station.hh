#pragma once

#include "core/machine/functional.hh"
#include "device_parts/sector_store.hh"
#include "protocol/mem.hh"

namespace memsim::test {

using namespace memsim::literals;
using protocol::Mem;

/// A memory that serves up to `places` requests at once, each in `service`. A request has its place
/// until its answer has left. (The example of docs/cpp.md.)
class Station final : public Model<Station>, public Functional {
  public:
    struct Params {
        Param<unsigned> places {4, {1, 64}, "Requests served at once"};
        Param<Time> service {50_ns, {1_fs, 1_ms}, "Time to serve a request", Change::tunable};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to this component"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>}, "Requests"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads served"};
        Counter requests {Unit::count, "Requests served"};
        Counter bytes {Unit::byte, "Bytes of requests served"};
        Ratio read_share {reads, requests, "Reads for each request"};
        PerSecond bandwidth {bytes, "Bytes of requests served in a second of simulated time"};
        Level busy {Unit::count, "Places in use"};
        Distribution latency {Unit::time, "Time from a request's place to its answer"};
    };
    struct Job {
        protocol::MemResponse answer;
        Tick began = 0;
        bool posted = false;
    };
    struct State {
        unsigned busy = 0;    ///< places in use
        std::deque<Job> done; ///< served, and not answered yet
        device_parts::SectorStore contents;
    };

    explicit Station(const Params& p) : params(p) {}
    void wake() override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void serve(const protocol::MemRequest& r);
    void served(const Job& job);
    void release(const Job& job);
};

} // namespace memsim::test
