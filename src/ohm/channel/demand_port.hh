#pragma once

#include "core/kernel/component.hh"
#include "device_parts/stall.hh"
#include "ohm/channel/memory_channel.hh"

namespace memsim::ohm {

/// The port for a controller's requests. It accepts requests in order while there is room, and
/// answers them. A view over the controller.
class DemandPort {
  public:
    static constexpr std::uint32_t block_bytes = 128; ///< a request lies within one block

    /// All references must outlive the object. `stalled_since` lies in State.
    DemandPort(const Component& owner, Responder<protocol::Mem>& port, ChannelStats& stats,
               Tick& stalled_since)
        : owner_(owner), port_(port), stats_(stats), stalled_since_(stalled_since) {}

    /// Calls accept(request), which returns false if there is no room. Commands to a cache are
    /// dropped here.
    template <class Accept>
    void accept(Accept&& accept) {
        device_parts::take_in_order(port_, owner_.now(), stalled_since_, stats_.stall_time,
                                    [&](const protocol::MemRequest& r) {
                                        return protocol::for_a_cache(r.command) || accept(r);
                                    });
    }
    /// Throws a ConfigError that names the request's address.
    [[noreturn]] void refuse(const protocol::MemRequest& r, const std::string& why) const;
    /// Throws ConfigError if a request crosses a block boundary.
    void check_block(const protocol::MemRequest& r) const;
    /// Answers a request. The time since `accepted` is attributed to `stage`.
    void answer(const protocol::MemRequest& r, Tick accepted, Stage stage, Contents::Id contents);

  private:
    const Component& owner_;
    Responder<protocol::Mem>& port_;
    ChannelStats& stats_;
    Tick& stalled_since_;
};

} // namespace memsim::ohm
