#pragma once

#include "core/state/hash_map.hh"
#include "zng/package/answers.hh"

namespace memsim::zng::package {

/// Writes that wait for a register, in order, by pool of registers. When a page gets a register,
/// all its waiting writes proceed.
class StalledWrites {
  public:
    struct State {
        std::vector<Fifo<Request>> waiting; ///< by pool
        HashMap<std::uint32_t> writes;      ///< number of writes, by page and pool
        std::vector<std::uint32_t> of_pool; ///< pages with waiting writes
    };
    StalledWrites(const Numbering& n, State& state) : numbering_(n), state_(state) {}

    void reset(std::size_t pools) {
        state_.waiting.resize(pools);
        state_.of_pool.assign(pools, 0);
    }
    std::uint32_t pools() const { return static_cast<std::uint32_t>(state_.waiting.size()); }
    bool any() const { return !state_.writes.empty(); }
    std::size_t pages() const { return state_.writes.size(); }
    std::uint32_t pages(std::uint32_t pool) const { return state_.of_pool[pool]; }

    void add(std::uint32_t pool, const Request& r) {
        state_.waiting[pool].push(r);
        if (state_.writes[key(r, pool)]++ == 0) ++state_.of_pool[pool];
    }
    /// Calls write(request), which returns whether it found a register, for each waiting write.
    /// Returns the first request that still waits, or null.
    template <class Write>
    const Request* serve(std::uint32_t pool, Write&& write) {
        Fifo<Request>& waiting = state_.waiting[pool];
        while (!waiting.empty()) {
            if (!write(waiting.front())) return &waiting.front();
            const std::uint64_t page = key(waiting.pop(), pool);
            std::uint32_t& left = state_.writes[page];
            --left;
            for (std::uint32_t i = 0; left && i < waiting.size();)
                if (key(waiting[i], pool) == page) {
                    write(waiting[i]);
                    waiting.erase(i);
                    --left;
                } else
                    ++i;
            if (left == 0) {
                state_.writes.erase(page);
                --state_.of_pool[pool];
            }
        }
        return nullptr;
    }

    void check_loaded(Loader& l, std::size_t ports) const {
        for (const auto& queue : state_.waiting)
            for (std::uint32_t i = 0; i < queue.size(); ++i) {
                numbering_.check(l, "stalled.waiting", queue[i].packet);
                l.index("stalled.waiting", queue[i].port, ports);
            }
    }

  private:
    /// A page may wait in two pools: that of its old place and that of its new place.
    std::uint64_t key(const Request& r, std::uint32_t pool) const {
        return numbering_.page(numbering_.address(r.packet)) * pools() + pool;
    }

    Numbering numbering_;
    State& state_;
};

} // namespace memsim::zng::package
