#pragma once

#include "core/kernel/component.hh"
#include "protocol/mem.hh"
#include "protocol/page_miss.hh"

namespace memsim::test {

using namespace memsim::literals;

/// Orders the bytes behind each page that was missed.
class NextPages final : public Model<NextPages> {
  public:
    struct Params {
        Param<unsigned> pages {2, "To order for a miss"};
        Param<unsigned> skip {0, "Pages between the miss and what is ordered"};
    };
    struct Ports {
        In<protocol::PageMiss> misses {{.depth = [](const void*) { return 4u; }},
                                       "What was missed"};
        Requester<protocol::Mem> hints {{.depth = [](const void*) { return 1u; }}, "What to bring"};
    };
    struct Stats {
        Counter misses {Unit::count, "Misses reported"};
        Counter lost {Unit::count, "Hints that found no room"};
    };
    struct State {};
    explicit NextPages(const Params& p) : params(p) {}
    void wake() override {
        while (!port.misses.empty()) {
            const protocol::PageMiss m = port.misses.pop();
            ++stat.misses;
            const std::uint64_t from = m.address + (params.skip() + 1) * std::uint64_t {m.bytes};
            if (!port.hints.offer(protocol::hint(from, params.pages() * m.bytes))) ++stat.lost;
        }
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test
