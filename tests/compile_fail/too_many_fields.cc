// expect: at most 64 fields
#include "core/kernel/registry.hh"

using namespace memsim;
using namespace memsim::literals;

struct Wrong final : Model<Wrong> {
    struct Params {};
    struct Ports {};
    struct Stats {};
    struct State {
        int f0 = 0, f1 = 0, f2 = 0, f3 = 0, f4 = 0, f5 = 0, f6 = 0, f7 = 0;
        int f8 = 0, f9 = 0, f10 = 0, f11 = 0, f12 = 0, f13 = 0, f14 = 0, f15 = 0;
        int f16 = 0, f17 = 0, f18 = 0, f19 = 0, f20 = 0, f21 = 0, f22 = 0, f23 = 0;
        int f24 = 0, f25 = 0, f26 = 0, f27 = 0, f28 = 0, f29 = 0, f30 = 0, f31 = 0;
        int f32 = 0, f33 = 0, f34 = 0, f35 = 0, f36 = 0, f37 = 0, f38 = 0, f39 = 0;
        int f40 = 0, f41 = 0, f42 = 0, f43 = 0, f44 = 0, f45 = 0, f46 = 0, f47 = 0;
        int f48 = 0, f49 = 0, f50 = 0, f51 = 0, f52 = 0, f53 = 0, f54 = 0, f55 = 0;
        int f56 = 0, f57 = 0, f58 = 0, f59 = 0, f60 = 0, f61 = 0, f62 = 0, f63 = 0;
        int f64 = 0;
    };
    explicit Wrong(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
const Registration<Wrong> registered {"A component whose State cannot be saved."};
