// expect: an event's payload must be checkpointable
#include "core/kernel/registry.hh"

using namespace memsim;
using namespace memsim::literals;

struct Payload {
    const int* at = nullptr;
};

struct Wrong final : Model<Wrong> {
    struct Params {};
    struct Ports {};
    struct Stats {};
    struct State {};
    explicit Wrong(const Params& p) : params(p) {}
    void wake() override { after<&Wrong::done>(1_ns, Payload {}); }
    void done(const Payload&) {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
