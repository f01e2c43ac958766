#pragma once

#include "core/state/hash_map.hh"
#include "device_parts/named.hh"

#include <vector>

namespace memsim::ohm {

/// Serialises requests to the same set of a cache in order of arrival. Each set in use has a queue,
/// whose first request is being executed. A value for State.
class SetQueues {
  public:
    static constexpr std::uint32_t none = ~0u;
    static constexpr std::string_view archived_as = "SetQueues";
    template <class Archive>
    void archive(Archive& a) {
        a(last_), a(next_);
    }

    void resize(unsigned requests) { next_.assign(requests, none); }
    bool empty() const { return last_.empty(); }
    bool busy(std::uint64_t set) const { return last_.find(set); }
    /// Returns true if the request is the first of its set and may begin; otherwise it waits.
    bool enter(std::uint64_t set, std::uint32_t id) {
        next_[id] = none;
        if (std::uint32_t* const last = last_.find(set)) {
            device_parts::named(next_, *last) = id;
            *last = id;
            return false;
        }
        last_[set] = id;
        return true;
    }
    /// The first request of the set ends. Returns the request that may begin now, or none.
    std::uint32_t leave(std::uint64_t set, std::uint32_t id) {
        const std::uint32_t next = next_[id];
        if (next == none) last_.erase(set);
        return next;
    }
    void check_loaded(Loader& l, std::uint64_t sets) const {
        last_.all([&](std::uint64_t set, std::uint32_t last) {
            l.index("sets", set, sets);
            l.index("sets.last", last, next_.size());
            return true;
        });
        for (const std::uint32_t next : next_)
            if (next != none) l.index("sets.next", next, next_.size());
    }

  private:
    HashMap<std::uint32_t> last_; ///< by set in use
    std::vector<std::uint32_t> next_;
};

} // namespace memsim::ohm
