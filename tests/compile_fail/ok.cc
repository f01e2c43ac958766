// expect: ok
#include "core/kernel/registry.hh"
#include "core/state/hash_map.hh"

using namespace memsim;
using namespace memsim::literals;

struct Wrong final : Model<Wrong> {
    struct Params {};
    struct Ports {};
    struct Stats {};
    struct State {
        int count = 0;
        Timer timer;
        HashMap<Fifo<std::array<int, 3>>> queues;
    };
    explicit Wrong(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
const Registration<Wrong> registered {"A component whose State cannot be saved."};
