#pragma once

#include "core/base/clock.hh"

namespace memsim::host {

/// The host's DRAM as a resource shared by page transfers: a bandwidth, one transfer after another.
/// A value for State.
struct HostDram {
    Tick free_at = 0;
    std::int64_t remainder = 0; ///< of bytes / bandwidth

    /// Returns when these bytes have been transferred, after all earlier ones.
    Tick transfer(WireTime& bandwidth, std::uint32_t bytes, Tick now) {
        if (free_at < now) free_at = now, remainder = 0;
        return free_at += bandwidth.take(bytes, remainder);
    }
};

} // namespace memsim::host
