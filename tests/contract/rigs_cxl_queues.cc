#include "../unit/cxl_gpu/support.hh"
#include "oracle.hh"

namespace memsim::test::rigs_cxl_queues {

using test_cxl_gpu::Queues;
using test_mem::arguments;

static void traffic(Machine& m, const Queues& parts) {
    m.carry_contents();
    m.add("driver", "test.DataDriver", arguments("count=300 lines=16 gap=60ns answers=24"));
    parts.add(m, "driver", "mem");
}

static const std::string queues = "memory_queue=5 sr_queue=4 least_sr_queue=1 queue=3";
static const std::string unruly = "least=20ns most=900ns changes=6 busy=5us";

static const RigFor endpoint {"test_cxl_gpu.Endpoint", [](Machine& m) {
                                  traffic(m, {{}, "read_ahead=none memory_queue=5", unruly});
                              }};
static const RigFor window {"cxl_gpu.QueueLogic", [](Machine& m) {
                                traffic(m, {{}, queues, unruly});
                            }};
static const RigFor naive {"cxl_gpu.QueueLogic", [](Machine& m) {
                               traffic(m, {{}, queues + " read_ahead=naive", unruly});
                           }};
static const RigFor stores {
    "cxl_gpu.DeterministicStore", [](Machine& m) {
        traffic(m,
                {"line=128B reserve=512B requests=8 reserve_base=1MiB flushes=2", queues, unruly});
    }};
static const RigFor stores_alone {
    "cxl_gpu.DeterministicStore", [](Machine& m) {
        traffic(m, {"line=128B reserve_base=1MiB poll=200ns level_time=7ns",
                    "read_ahead=none memory_queue=3", unruly});
    }};

} // namespace memsim::test::rigs_cxl_queues
