#include "core/declare/elapsed.hh"

#include "core/base/clock.hh"

namespace memsim {

std::uint64_t ElapsedCycles::cycles_of(Tick time) const {
    return static_cast<std::uint64_t>(Clock(clock_).at_or_after(time).cycle);
}

} // namespace memsim
