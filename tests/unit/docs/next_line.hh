#pragma once

#include "core/kernel/component.hh"
#include "protocol/cache_event.hh"
#include "protocol/mem.hh"

namespace memsim::test {

using namespace memsim::literals;

/// Prefetches the line that follows each missing line. (The example of docs/recipes.md.)
class NextLine final : public Model<NextLine> {
  public:
    struct Params {
        Param<Bytes> line {128_B, {32_B, 4_KiB}, "Bytes of a prefetch", power_of_two()};
    };
    struct Ports {
        In<protocol::CacheEvent> events {{.depth = [](const void*) { return 256u; }},
                                         "Lookups and evictions of the cache"};
        Requester<protocol::Mem> hints {{.depth = [](const void*) { return 1u; }},
                                        "Prefetches, which are not answered"};
    };
    struct Stats {
        Counter hints {Unit::count, "Prefetches sent"};
        Counter hints_dropped {Unit::count, "Prefetches that found no room"};
    };
    struct State {};

    explicit NextLine(const Params& p) : params(p) {}
    void wake() override;

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test
