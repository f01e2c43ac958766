#pragma once

#include "core/kernel/component.hh"
#include "ohm/channel/memory_channel.hh"
#include "parts/stall.hh"

namespace memsim::ohm {

/// The port that a controller's requests come in by: they are accepted in their order, as long as
/// there is room, and answered with what a read has found. A view over the controller.
class DemandPort {
  public:
    static constexpr std::uint32_t block_bytes = 128; ///< of which a request is a part

    /// All outlive it. `stalled_since`: State.
    DemandPort(const Component& owner, Responder<protocol::Mem>& port, ChannelStats& stats,
               Tick& stalled_since)
        : owner_(owner), port_(port), stats_(stats), stalled_since_(stalled_since) {}

    /// accept(request) says whether there is room for it. Commands to a cache end here.
    template <class Accept>
    void accept(Accept&& accept) {
        parts::take_in_order(port_, owner_.now(), stalled_since_, stats_.stall_time,
                             [&](const protocol::MemRequest& r) {
                                 return protocol::for_a_cache(r.command) || accept(r);
                             });
    }
    /// Throws a ConfigError about the request's address.
    [[noreturn]] void refuse(const protocol::MemRequest& r, const std::string& why) const;
    /// Refuses a request that lies in two blocks.
    void check_block(const protocol::MemRequest& r) const;
    /// It is done: the time since `accepted` counts for the stage that it spent last.
    void answer(const protocol::MemRequest& r, Tick accepted, Stage stage, Contents::Id contents);

  private:
    const Component& owner_;
    Responder<protocol::Mem>& port_;
    ChannelStats& stats_;
    Tick& stalled_since_;
};

} // namespace memsim::ohm
