#pragma once

#include "core/kernel/component.hh"
#include "protocol/observed.hh"
#include "protocol/upcoming.hh"

namespace memsim::test {

using namespace memsim::literals;

/// A message of a UpcomingSource: an access, or an upcoming access to a line.
struct PlannedHint {
    bool upcoming = false;
    std::uint64_t address = 0;
    bool write = false;
};
/// The messages of the test; empty: random messages.
std::vector<PlannedHint>& planned_hints();

/// Sends accesses of an imaginary GPU and upcoming accesses of its warps: half of them to a few
/// units, the others in a wider range or in its order.
class UpcomingSource final : public Model<UpcomingSource> {
  public:
    struct Params {
        Param<unsigned> count {2000, "Number of random messages"};
        Param<unsigned> units {300, "Units of 4 KiB that are accessed"};
        Param<unsigned> listeners {1, "Receivers of accesses"};
        Param<unsigned> hearing {0, "Receivers of upcoming accesses"};
    };
    struct Ports {
        Many<Out<protocol::Observed>> accesses {from<&Params::listeners>, {}, "Accesses"};
        Many<Out<protocol::UpcomingAccesses>> upcoming {
            from<&Params::hearing>, {}, "What is about to be accessed"};
    };
    struct Stats {};
    struct State {
        std::uint32_t sent = 0;
        Tick due = 0; ///< of the next message
        std::uint64_t scan = 0;
        Rng random;
        Timer next;
    };
    explicit UpcomingSource(const Params& p) : params(p) {}
    void start() override { arm(state.next, 0); }
    void wake() override;
    bool pending() const override { return state.sent < count(); }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    std::uint32_t count() const {
        return planned_hints().empty() ? params.count()
                                       : static_cast<std::uint32_t>(planned_hints().size());
    }
    PlannedHint draw();
};

} // namespace memsim::test
