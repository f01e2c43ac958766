#pragma once

#include "mem/cache/lines/lines.hh"
#include "mem/cache/messages/outlet.hh"
#include "mem/cache/stats.hh"

namespace memsim::mem::cache {

/// Claims tell a level below that keeps copies of clean sectors which sectors become dirty here
/// (protocol/victims.hh). All arguments outlive it.
class Claims {
  public:
    Claims(const Config& config, const Map& map, Outlet& outlet, Stats& stat)
        : config_(config), map_(map), outlet_(outlet), stat_(stat) {}

    /// Number of messages that claim() sends for a write to these sectors.
    std::uint32_t messages(const Access& a) const {
        return config_.victims && without(a.touched, a.written);
    }
    /// Requires: the outlet has space for the messages.
    void claim(const Access& a) {
        if (messages(a) == 0) return;
        protocol::MemRequest r;
        r.command = protocol::Command::claim;
        r.posted = true;
        r.application = a.request.application;
        map_.name(r, a.place.line, without(a.touched, a.written), 0);
        ++stat_.claims;
        outlet_.send(r);
    }

  private:
    const Config& config_;
    const Map& map_;
    Outlet& outlet_;
    Stats& stat_;
};

} // namespace memsim::mem::cache
