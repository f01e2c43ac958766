#pragma once

#include "core/kernel/policy.hh"
#include "mem/dram/schedule/parts.hh"

namespace memsim::mem {

/// Selects the next command among those that requests wait for. A scheduler asks the order for the
/// candidate of a bank after each change there, and for the next command when one is due.
class DramOrder : public PolicyBase {
  public:
    static constexpr std::string_view family = "DRAM order";
    /// Variations that an order requests of the scheduler.
    struct Traits {
        bool priorities = false;         ///< supports migrations, reserved banks and other wires
        bool steady = false;             ///< a burst leaves the candidate of its bank unchanged
        bool leaves_when_opened = false; ///< a request leaves its queue when its row is opened
        bool stays_until_done = false;   ///< a read keeps its place until its data arrives
        bool plans_ahead = false;        ///< commands are fixed ahead, without a command bus
        bool mixed = false;              ///< reads and writes share one queue: see enter()
    };
    /// The next command, and until when the request of a burst precedes all others that wait now,
    /// if its bursts follow without a gap.
    struct Choice {
        DramPlan plan;
        Tick first_until = 0;
    };
    virtual Traits traits() const { return {}; }
    virtual void init(std::uint32_t /*banks*/) {}
    using PolicyBase::check_loaded;
    virtual void check_loaded(Loader&, const DramParts&) const {}

    /// What the bank needs for its next request; nothing if a refresh has stopped the bank.
    virtual DramCandidate choose(const DramParts& parts, std::uint32_t bank) = 0;
    virtual Choice next(const DramParts& parts, Tick now) = 0;
    /// The effect of a new request on the last choice.
    enum class Effect : std::uint8_t { none, changed, unknown };
    /// A request was accepted; the candidate of its bank was `before`. `unknown`: ask for the next
    /// command again.
    virtual Effect accepted(const DramParts&, std::uint32_t /*bank*/,
                            const DramCandidate& /*before*/, Choice&, Tick /*now*/) {
        return Effect::unknown;
    }
    /// A command for a request was issued to this bank.
    virtual void issued(std::uint32_t /*bank*/) {}

    // With mixed: both directions are served at the same time, and bank_queue is more than 0.
    static constexpr std::uint32_t no_bank = ~std::uint32_t {0};
    /// Requests that have not entered the queue of their bank.
    virtual std::uint32_t outside(bool /*write*/) const { return 0; }
    virtual void arrived(std::uint16_t /*entry*/, bool /*write*/, Tick /*now*/) {}
    /// Lets one request enter the queue of a bank and returns the bank; no_bank if none may enter.
    /// `high` and `low` are the scheduler's write_high and write_low.
    virtual std::uint32_t enter(const DramParts&, std::uint32_t /*high*/, std::uint32_t /*low*/,
                                Tick /*now*/) {
        return no_bank;
    }

    // With plans_ahead: the action `commit` fixes the commands of a burst.
    virtual std::uint16_t burst(const DramParts&, Tick /*now*/) { return DramQueue::none; }
    /// When its column command is issued, after its row commands.
    virtual Tick column_at(const DramParts&, std::uint32_t /*bank*/, Tick now) { return now; }
};

} // namespace memsim::mem
