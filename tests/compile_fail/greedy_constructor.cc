// expect: not every field|no field of this struct|must be an aggregate|State must hold only values
#include "core/kernel/registry.hh"

using namespace memsim;
using namespace memsim::literals;

struct Greedy {
    template <class... T>
    Greedy(T&&...) {}
    long hidden = 0;
};

struct Wrong final : Model<Wrong> {
    struct Params {};
    struct Ports {};
    struct Stats {};
    struct State {
        int count = 0;
        Greedy any;
    };
    explicit Wrong(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
const Registration<Wrong> registered {"A component whose State cannot be saved."};
