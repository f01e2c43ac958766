#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "cxl/hdm/address_plan.hh"
#include "protocol/mem.hh"

namespace memsim::cxl {

using namespace memsim::literals;
using protocol::Mem;

/// A CXL memory device behind its port: configuration space with the CXL DVSEC, one HDM decoder,
/// and the path of requests to the medium.
///
/// Models        The host address of a request is translated to a device address, from 0 to
///               `capacity`; the response carries the host address again. A hint is reduced to the
///               bytes of this device, and is forwarded if the medium accepts it at once; otherwise
///               it is dropped. A read of the memory's size is answered when the memory is active.
///               Requests wait until the decoder is committed. A request for another device, or
///               across the edge of a chunk, ends the run with an error.
/// Not modelled  Mailbox, events, poison, more than one range.
class Endpoint final : public Model<Endpoint>, public Functional, public HasCapacity {
  public:
    struct Params {
        Param<Bytes> capacity {1_GiB,
                               {256_B, Bytes {std::int64_t {1} << 50}},
                               "Size of the memory that the HDM range exposes",
                               example_value()};
        Param<unsigned> vendor {
            0x1e98, {0, 0xfffe}, "Vendor ID", assumed("that of the CXL consortium")};
        Param<unsigned> device {1, {0, 0xffff}, "Device ID", assumed()};
        Param<Time> media_ready {0_fs,
                                 {0_fs, 1_s},
                                 "Time at which the memory is active",
                                 assumed("the medium is active before programs begin")};
        Param<Time> latency {1_fs,
                             {1_fs, 1_us},
                             "Latency of address decoding, and of responses (the controller's time "
                             "is part of the port)",
                             Change::tunable,
                             least_latency()};
        Param<unsigned> queue {
            64, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
        Param<unsigned> outstanding {
            256, {1, 1 << 20}, "Outstanding responses of the medium", queue_places()};
        Param<unsigned> accesses {4,
                                  {1, 65536},
                                  "Register accesses waiting or in flight to this component",
                                  queue_places()};
    };
    struct Ports {
        Responder<Mem> cpu_side {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>}, "The medium"};
        Responder<CxlConfig> config {
            {.depth = from<&Params::accesses>, .needs = needs<PlansAddresses>},
            "Firmware that configures it"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads forwarded"};
        Counter writes {Unit::count, "Writes and atomics forwarded"};
        Counter hints {Unit::count, "Hints forwarded"};
        Counter hints_dropped {Unit::count,
                               "Hints that the medium had no space for or does not accept"};
    };
    struct State {
        HdmCapability hdm;
        Timer active; ///< answers earlier reads of the memory's size
    };

    explicit Endpoint(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override { state.hdm.check_loaded(l, 1); }
    void functional(const PortBase& at, FunctionalAccess& access) override;

    std::uint64_t capacity() const override {
        return static_cast<std::uint64_t>(params.capacity->raw);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void answer_config();
    bool too_early(const CxlConfigRequest& r) const;
    std::uint64_t read(const CxlConfigRequest& r) const;
    void forward_hint(protocol::MemRequest hint);
    void forward(protocol::MemRequest r);
    const HdmDecoder& decoder() const { return state.hdm.entries[0].decoder; }

    const PlansAddresses* firmware_ = nullptr;
};

} // namespace memsim::cxl
