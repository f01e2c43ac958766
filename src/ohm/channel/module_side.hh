#pragma once

#include "ohm/channel/memory_channel.hh"

namespace memsim::ohm {

/// The path from a memory controller to its XPoint modules (DDR-T). Commands use separate lanes. A
/// command with data leaves when its slot of the channel ends. Reads that are ready are granted a
/// slot. At most one write per module is booked.
class ModuleSide {
  public:
    using Commands = Many<Requester<protocol::Ddrt>>;
    using Transfers = Many<Requester<protocol::DdrtTransfer>>;

    /// All references must outlive the object.
    ModuleSide(MemoryChannel& channel, ChannelState& state, Commands& commands,
               Transfers& transfers)
        : channel_(channel), state_(state), commands_(commands), transfers_(transfers) {}

    unsigned modules() const { return commands_.size(); }
    /// Whether no data is in transit to the module, so that a command sent now keeps the order.
    bool quiet(std::uint32_t m) const { return state_.leaving[m].empty(); }
    bool can_send(std::uint32_t m) const { return commands_[m].can_send(); }
    void send(std::uint32_t m, const protocol::DdrtCommand& c) { commands_[m].send(c); }
    /// Books a slot for `bytes`; the command leaves at its end. Requires quiet() and can_send().
    void book(std::uint32_t m, std::uint32_t bytes, const protocol::DdrtCommand& c, bool migration,
              Tick now, mem::DramWires wires = mem::DramWires::data) {
        state_.leaving[m].push({channel_.book(m, bytes, true, migration, now, wires), c});
    }
    /// Sends the commands whose slots have ended and calls left(command) for each.
    template <class F>
    void send_left(Tick now, F&& left) {
        for (std::uint32_t m = 0; m < modules(); ++m) {
            auto& leaving = state_.leaving[m];
            if (leaving.empty() || leaving.front().at > now) continue;
            const protocol::DdrtCommand c = leaving.pop().command;
            commands_[m].send(c); // nothing else sends to this module meanwhile
            left(c);
        }
    }
    /// The time at which the next command with data to module m leaves.
    Tick leaves(std::uint32_t m) const { return quiet(m) ? never : state_.leaving[m].front().at; }
    /// Whether a slot may be granted to the module.
    bool can_grant(std::uint32_t m) const { return transfers_[m].can_send(); }
    void grant(std::uint32_t m, std::uint32_t id, std::uint32_t bytes, bool migration, Tick now,
               mem::DramWires wires = mem::DramWires::data, bool reverse = false) {
        transfers_[m].send({id, channel_.book(m, bytes, false, migration, now, wires), reverse});
    }
    /// Confirms the end of a swap.
    void confirm(std::uint32_t m, std::uint32_t id) {
        protocol::DdrtGrant end;
        end.id = id;
        end.confirm = true;
        transfers_[m].send(end);
    }
    /// Whether a demand command with data is in transit to a module.
    bool demand_leaves() const {
        for (const auto& leaving : state_.leaving)
            if (!leaving.empty() && !leaving.front().command.migration) return true;
        return false;
    }
    bool quiet() const {
        for (std::uint32_t m = 0; m < modules(); ++m)
            if (!quiet(m)) return false;
        return true;
    }

  private:
    MemoryChannel& channel_;
    ChannelState& state_;
    Commands& commands_;
    Transfers& transfers_;
};

} // namespace memsim::ohm
