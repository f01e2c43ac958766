#pragma once

#include <cstdint>
#include <string_view>

namespace memsim::mem {

/// Selects whether reads or writes are issued. Reads are issued until `high` writes wait, or no
/// read and at least `alone` writes wait. Then writes are issued until `low` remain and a read
/// waits. A plain value for State.
class WriteDrain {
  public:
    static constexpr std::string_view archived_as = "WriteDrain";
    template <class Archive>
    void archive(Archive& a) {
        a(draining_), a(served_);
    }
    struct Limits {
        std::uint32_t high = 28, low = 16;
        std::uint32_t alone = 1;       ///< writes that start a drain while no read waits
        std::uint32_t read_batch = 0;  ///< reads served before a drain begins, while any wait
        std::uint32_t write_batch = 0; ///< writes after which reads resume; 0: at `low`
    };
    /// Updates the direction for these numbers of waiting requests. Returns true if it changed.
    bool update(const Limits& limits, std::uint32_t reads, std::uint32_t writes) {
        const bool was = draining_;
        const bool enough =
            writes <= limits.low || (limits.write_batch && served_ >= limits.write_batch);
        if (was ? writes == 0 || (reads && enough)
                : (writes >= limits.high && served_ >= limits.read_batch) ||
                      (reads == 0 && writes >= limits.alone))
            draining_ = !was;
        if (writes == 0) draining_ = false;
        if (draining_ != was) served_ = 0;
        return draining_ != was;
    }
    /// Starts a drain.
    void start() { draining_ = true, served_ = 0; }
    /// A column command was issued.
    void serve() { ++served_; }
    /// Whether writes are issued, not reads.
    bool draining() const { return draining_; }

  private:
    bool draining_ = false;
    std::uint32_t served_ = 0; ///< column commands since the last change
};

} // namespace memsim::mem
