// expect: a Timer or Rng must be where the framework finds it
#include "core/kernel/registry.hh"

using namespace memsim;
using namespace memsim::literals;

struct Inner {
    int a = 0;
    Rng random;
};

struct Wrong final : Model<Wrong> {
    struct Params {};
    struct Ports {};
    struct Stats {};
    struct State {
        int count = 0;
        Pool<Inner> streams;
    };
    explicit Wrong(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
const Registration<Wrong> registered {"A component whose State cannot be saved."};
