#pragma once

#include "core/kernel/component.hh"
#include "protocol/mem.hh"

#include <deque>

namespace memsim::test_mem {

using namespace memsim::literals;
using protocol::Mem;

/// Takes requests and hints, one every `pause`, answers what wants an answer and notes the hints.
class HintSink final : public Model<HintSink> {
  public:
    struct Params {
        Param<unsigned> depth {4, {1, 65536}, "Of its queue"};
        Param<Time> pause {10_fs, {1_fs, 1_s}, "Between two"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::depth>, .hints = true}, "Requests"};
    };
    struct Stats {
        Counter taken {Unit::count, "Requests and hints taken"};
    };
    struct State {
        std::deque<std::uint64_t> hinted;
        std::uint64_t bytes = 0; ///< of all hints
        Tick free_at = 0;
        Timer next;
    };
    explicit HintSink(const Params& p) : params(p) {}
    void wake() override;
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test_mem
