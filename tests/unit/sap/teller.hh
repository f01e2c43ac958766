#pragma once

#include "core/kernel/component.hh"
#include "protocol/observed.hh"
#include "protocol/upcoming.hh"

namespace memsim::test {

using namespace memsim::literals;

/// What a Teller says: an access, or a line that is about to be accessed.
struct Told {
    bool upcoming = false;
    std::uint64_t address = 0;
    bool write = false;
};
/// What the test has written; empty: something random is said.
std::vector<Told>& told();

/// Tells accesses of a GPU that is not there, and what its warps are about to access: half of them
/// among a few units, the others in a wider range or in its order.
class Teller final : public Model<Teller> {
  public:
    struct Params {
        Param<unsigned> count {2000, "Messages to send, where they are random"};
        Param<unsigned> units {300, "Units of 4 KiB that are accessed"};
        Param<unsigned> listeners {1, "Who hears of accesses"};
        Param<unsigned> hearing {0, "Who hears of what is about to be accessed"};
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
    explicit Teller(const Params& p) : params(p) {}
    void start() override { arm(state.next, 0); }
    void wake() override;
    bool pending() const override { return state.sent < count(); }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    std::uint32_t count() const {
        return told().empty() ? params.count() : static_cast<std::uint32_t>(told().size());
    }
    Told draw();
};

} // namespace memsim::test
