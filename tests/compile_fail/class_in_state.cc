// expect: State must hold only values|must be an aggregate
#include "core/kernel/registry.hh"

using namespace memsim;
using namespace memsim::literals;

class Counting {
  public:
    void count() { ++count_; }

  private:
    int count_ = 0;
};

struct Wrong final : Model<Wrong> {
    struct Params {};
    struct Ports {};
    struct Stats {};
    struct State {
        Counting events;
    };
    explicit Wrong(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
const Registration<Wrong> registered {"A component whose State cannot be saved."};
