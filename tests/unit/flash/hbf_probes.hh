#pragma once

#include "core/kernel/component.hh"
#include "protocol/block_refresh.hh"

namespace memsim::test_flash {

/// Notes the blocks that a stack of HBF asks its host to refresh.
class Refresher final : public Model<Refresher> {
  public:
    struct Params {
        Param<unsigned> queue {4, "Requests that it has not seen"};
    };
    struct Ports {
        In<protocol::BlockRefresh> blocks {{.depth = from<&Params::queue>}, "Blocks to refresh"};
    };
    struct Stats {
        Counter seen {Unit::count, "Requests seen"};
    };
    struct State {
        std::vector<protocol::BlockRefresh> blocks;
    };
    explicit Refresher(const Params& p) : params(p) {}
    void wake() override {
        while (!port.blocks.empty()) {
            state.blocks.push_back(port.blocks.pop());
            ++stat.seen;
        }
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test_flash
