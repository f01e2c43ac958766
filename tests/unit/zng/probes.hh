#pragma once

#include "../flash/probes.hh"
#include "core/kernel/component.hh"
#include "protocol/mem.hh"
#include "zng/layout/address.hh"
#include "zng/network/flash_network.hh"

#include <deque>

/// What tests put around ZnG's flash.
namespace memsim::test_zng {

using namespace memsim::literals;

/// Requests of an L2 slice at given times.
class Slice final : public test_flash::Script<Slice, protocol::Mem> {
  public:
    using Script::Script;
};

/// Random reads, writes (whole and partial) and atomics of lines of virtual blocks, and a simple
/// garbage collector: when a log block is low it sends no new requests, moves the group's data
/// blocks to a plane of the package with room, waits for all answers, erases the old blocks and the
/// log block, and continues. Without `collects`, addresses do not change.
class Host final : public Model<Host>, public zng::HasLogBlocks {
  public:
    struct Params {
        Param<unsigned> count {1000, "Requests"};
        Param<unsigned> outstanding {
            16, {1, 4096}, "Without an answer: no more than a log block has pages"};
        Param<Time> gap {500_ns, "Longest pause between two"};
        Param<unsigned> controllers {1, "Of the flash; pages go round over them"};
        Param<unsigned> packages {2, "Of the flash, and so on"};
        Param<unsigned> dies {2, "Of a package"};
        Param<unsigned> planes {2, "Of a die"};
        Param<unsigned> blocks {20, "Of a plane"};
        Param<unsigned> pages {16, "Of a block"};
        Param<unsigned> data_blocks {4, "Of a plane, at the start"};
        Param<unsigned> log_ratio {2, "Data blocks to a log block"};
        Param<unsigned> used {16, "Virtual blocks that it uses"};
        Param<unsigned> lines {32, "Lines of a page that it uses"};
        Param<unsigned> writes {50, "Per cent of requests"};
        Param<unsigned> atomics {5, "Per cent"};
        Param<bool> collects {true, "Whether it collects"};
    };
    struct Ports {
        Many<Requester<protocol::Mem>> mem {from<&Params::controllers>,
                                            {.depth = from<&Params::outstanding>, .latency = 2_ns},
                                            "Requests"};
        Many<Requester<zng::Collect>> collect {
            from<&Params::controllers>,
            {.depth = from<&Params::outstanding>, .latency = 2_ns},
            "Moves and erases"};
        Many<In<zng::LogLow>> low {
            from<&Params::controllers>, {.depth = from<&Params::outstanding>}, "Log blocks"};
    };
    struct Stats {
        Counter answered {Unit::count, "Answers"};
        Counter merges {Unit::count, "Groups merged"};
    };
    /// Virtual blocks that share a log block.
    struct Group {
        std::vector<std::uint32_t> members;
        std::uint32_t log = 0;
        bool due = false;
    };
    struct Moved {
        std::uint32_t from = 0, to = 0;
    };
    enum class Phase : std::uint8_t { normal, moving, erasing };
    struct State {
        std::vector<std::uint32_t> physical;         ///< block, by virtual block
        std::vector<Group> groups;                   ///< by virtual plane and group
        std::vector<std::deque<std::uint32_t>> free; ///< blocks, by plane
        zng::LogBlocks logs;
        Phase phase = Phase::normal;
        std::vector<Moved> moves;                    ///< data blocks, not erased yet
        std::vector<std::uint32_t> old_logs, erased; ///< blocks
        Fifo<zng::CollectRequest> orders;
        std::uint32_t unanswered = 0; ///< orders
        std::uint32_t sent = 0, out = 0;
        Tick ready_at = 0;
        Rng random;
        Timer next;
    };

    explicit Host(const Params& p) : params(p) {}
    void init() override;
    void start() override { arm(state.next, Tick {1}); }
    void wake() override;
    bool pending() const override { return state.sent < params.count || state.out > 0; }
    const zng::LogBlocks& log_blocks() const override { return state.logs; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    std::uint32_t groups_of_plane() const {
        return (params.data_blocks() + params.log_ratio() - 1) / params.log_ratio();
    }
    std::uint32_t controller_of(std::uint32_t block) const {
        return block % params.packages() % params.controllers();
    }
    void send_random();
    void begin_merge(Group& g);
    void moved();
    void erased();

    zng::Flash flash_;
};

} // namespace memsim::test_zng
