// expect: not every field|cannot decompose|base class
#include "core/kernel/registry.hh"

using namespace memsim;
using namespace memsim::literals;

struct Base {
    int hidden = 0;
};
struct Derived : Base {
    int seen = 0;
};

struct Wrong final : Model<Wrong> {
    struct Params {};
    struct Ports {};
    struct Stats {};
    struct State {
        int count = 0;
        Derived both;
    };
    explicit Wrong(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
const Registration<Wrong> registered {"A component whose State cannot be saved."};
