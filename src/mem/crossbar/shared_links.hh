#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace memsim::mem {

/// A level of groups of a crossbar's requesters, such as the GPCs of a GPU.
struct GroupLevel {
    static constexpr std::int64_t port = 1000; ///< the rate of one requester's port

    unsigned members = 1;                           ///< consecutive requesters of a group
    std::int64_t requests = port, responses = port; ///< rates of the group's two links

    /// Whether a link of this rate can delay a message.
    bool limits(std::int64_t rate) const { return rate < members * port; }
};

/// Parses levels such as '2 1.09 2, 14 14 14': the requesters of a group, and the rates of its
/// links for requests and for responses in ports, from the smallest groups to the largest. Throws
/// ConfigError.
std::vector<GroupLevel> group_levels(std::string_view text);

/// The links that groups of requesters share in one direction of a crossbar.
///
/// Models        A message that occupies a port for n cycles takes n / rate cycles of a link. It
///               enters all links of its requester at once, in a cycle in which each has time left.
///               A link as wide as the ports of its group delays nothing and is left out.
/// Ordering      Requesters that links delay are served in the order in which their delays began.
class SharedLinks {
  public:
    /// A value for State.
    struct Use {
        std::vector<std::int64_t> next;     ///< by link: end of its messages, in cycles x rate
        std::vector<std::uint32_t> delayed; ///< by requester: the link that delays it, + 1; or 0
        std::vector<std::uint32_t> waiting; ///< requesters that links delay, in order
    };
    static constexpr std::uint32_t none = ~0u;

    SharedLinks() = default;
    SharedLinks(const std::vector<GroupLevel>& levels, std::int64_t GroupLevel::*rate,
                unsigned requesters, Use& use);
    /// The number of links that can delay messages.
    static unsigned count(const std::vector<GroupLevel>& levels, std::int64_t GroupLevel::*rate,
                          unsigned requesters);
    bool any() const { return !levels_.empty(); }
    bool sound(const Use& use) const; ///< of a loaded state

    /// The first link that delays a message of this requester in this cycle, or `none`.
    std::uint32_t delaying(std::uint32_t requester, std::int64_t cycle, const Use& use) const {
        const std::uint32_t* link = links_of(requester);
        for (const std::int64_t rate : levels_)
            if (const std::uint32_t l = *link++; use.next[l] >= (cycle + 1) * rate) return l;
        return none;
    }
    /// Places a delayed requester behind the others. Returns whether this link's delay begins.
    bool delay(std::uint32_t requester, std::uint32_t link, Use& use) const {
        if (use.delayed[requester] == 0) use.waiting.push_back(requester);
        return std::exchange(use.delayed[requester], link + 1) != link + 1;
    }
    /// The first cycle in which a link has time left.
    std::int64_t free_at(std::uint32_t link, const Use& use) const {
        return use.next[link] / rates_[link];
    }
    /// Occupies the requester's links with a message of so many cycles of a port. Calls f(link).
    template <class F>
    void occupy(std::uint32_t requester, std::int64_t cycle, std::int64_t cycles, Use& use,
                F&& f) const {
        const std::uint32_t* link = links_of(requester);
        for (const std::int64_t rate : levels_) {
            std::int64_t& next = use.next[*link];
            next = std::max(next, cycle * rate) + cycles * GroupLevel::port;
            f(*link++);
        }
    }
    /// Calls f(requester) for the delayed requesters, in order. f returns whether a link delays it
    /// further.
    template <class F>
    static void visit_delayed(Use& use, F&& f) {
        std::size_t kept = 0;
        for (std::size_t n = 0; n < use.waiting.size(); ++n) {
            const std::uint32_t requester = use.waiting[n];
            if (f(requester))
                use.waiting[kept++] = requester;
            else
                use.delayed[requester] = 0;
        }
        use.waiting.resize(kept);
    }

  private:
    const std::uint32_t* links_of(std::uint32_t requester) const {
        return &links_[std::size_t {requester} * levels_.size()];
    }
    std::vector<std::int64_t> levels_; ///< rates of the links of a level
    std::vector<std::uint32_t> links_; ///< of each requester, one of each level
    std::vector<std::int64_t> rates_;  ///< by link
};

} // namespace memsim::mem
