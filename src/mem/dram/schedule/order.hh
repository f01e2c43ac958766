#pragma once

#include "core/kernel/policy.hh"
#include "mem/dram/schedule/parts.hh"

namespace memsim::mem {

/// Which of the commands that requests wait for goes next. A scheduler asks it what each bank needs
/// when something has changed there, and for the next command of all when one is due.
class DramOrder : public PolicyBase {
  public:
    static constexpr std::string_view family = "DRAM order";
    /// What a scheduler does otherwise for it.
    struct Traits {
        bool priorities = false;         ///< it knows migrations, reserved banks and other wires
        bool steady = false;             ///< a burst leaves its bank's candidate as it was
        bool leaves_when_opened = false; ///< a request leaves its queue as its row is opened
        bool stays_until_done = false;   ///< a read keeps its place until its data has come
        bool plans_ahead = false;        ///< commands are fixed ahead: there is no command bus
        bool mixed = false;              ///< reads and writes wait in one queue: see enter()
    };
    /// The next command, and until when the request of a burst goes before all others that wait
    /// now, if its bursts follow each other without a gap.
    struct Choice {
        DramPlan plan;
        Tick first_until = 0;
    };
    virtual Traits traits() const { return {}; }
    virtual void init(std::uint32_t /*banks*/) {}
    using PolicyBase::check_loaded;
    virtual void check_loaded(Loader&, const DramParts&) const {}

    /// What the bank needs for the request that is next there; nothing if a refresh has stopped it.
    virtual DramCandidate choose(const DramParts& parts, std::uint32_t bank) = 0;
    virtual Choice next(const DramParts& parts, Tick now) = 0;
    /// What a new request does to the choice that was made before it came.
    enum class Effect : std::uint8_t { none, changed, unknown };
    /// A request was accepted, and its bank's candidate was `before`. `unknown`: ask for the next
    /// command again.
    virtual Effect accepted(const DramParts&, std::uint32_t /*bank*/,
                            const DramCandidate& /*before*/, Choice&, Tick /*now*/) {
        return Effect::unknown;
    }
    /// A command for a request went to this bank.
    virtual void issued(std::uint32_t /*bank*/) {}

    // With mixed: both directions are served at once, and bank_queue is more than 0.
    static constexpr std::uint32_t no_bank = ~std::uint32_t {0};
    /// Requests that have not entered their bank's queue.
    virtual std::uint32_t outside(bool /*write*/) const { return 0; }
    virtual void arrived(std::uint16_t /*entry*/, bool /*write*/, Tick /*now*/) {}
    /// Lets one request enter a bank's queue, and says which; no_bank if none may. `high` and `low`
    /// are the scheduler's write_high and write_low.
    virtual std::uint32_t enter(const DramParts&, std::uint32_t /*high*/, std::uint32_t /*low*/,
                                Tick /*now*/) {
        return no_bank;
    }

    // With plans_ahead: an action `commit` fixes a burst.
    virtual std::uint16_t burst(const DramParts&, Tick /*now*/) { return DramQueue::none; }
    /// When its column command goes, after its row commands.
    virtual Tick column_at(const DramParts&, std::uint32_t /*bank*/, Tick now) { return now; }
};

} // namespace memsim::mem
