#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace memsim::flash {

/// Which of some places is the best, kept while what stands in them changes: a tree whose inner
/// nodes name the best place below them. Of two that are equal the lower place wins, as in a look
/// through all from the first on.
///
/// compare(a, b) says which of two places wins, a being the lower one, and for how much time:
/// struct Winner { bool second; std::uint64_t until; }. What is asked for at `until` or later is
/// compared again. A place whose own content changes is told by changed().
class Tournament {
  public:
    static constexpr std::uint32_t none = ~0u;
    static constexpr std::uint64_t forever = ~std::uint64_t {0};
    struct Winner {
        bool second = false;
        std::uint64_t until = forever;
    };

    std::uint32_t size() const { return size_; }
    /// The best place at this time; `none` if there is no place.
    template <class Compare>
    std::uint32_t best(std::uint64_t now, Compare&& compare) {
        if (size_ == 0) return none;
        if (nodes_[1].until <= now) play_again(1, now, compare);
        return nodes_[1].place;
    }
    /// What stands in the place has changed.
    template <class Compare>
    void changed(std::uint32_t place, Compare&& compare) {
        for (std::uint32_t i = (leaves_ + place) / 2; i > 0; i /= 2) {
            const Node was = nodes_[i];
            play(i, compare);
            const Node& is = nodes_[i];
            // Nodes above compare the same as before.
            if (was.place == is.place && is.place != place && was.until == is.until) return;
        }
    }
    /// A place more, behind the last.
    template <class Compare>
    void push(Compare&& compare) {
        if (size_ == leaves_) grow(compare);
        changed(size_++, compare);
    }
    /// The last place is no more.
    template <class Compare>
    void pop(Compare&& compare) {
        changed(--size_, compare);
    }

  private:
    struct Node {
        std::uint32_t place = none; ///< none: there is none below it
        std::uint64_t until = forever;
    };
    Node below(std::uint32_t i) const {
        if (i < leaves_) return nodes_[i];
        return {i - leaves_ < size_ ? i - leaves_ : none, forever};
    }
    template <class Compare>
    void play(std::uint32_t i, Compare&& compare) {
        const Node first = below(2 * i), second = below(2 * i + 1);
        if (second.place == none) {
            nodes_[i] = first;
            return;
        }
        const Winner w = compare(first.place, second.place);
        nodes_[i] = {w.second ? second.place : first.place,
                     std::min({w.until, first.until, second.until})};
    }
    template <class Compare>
    void play_again(std::uint32_t i, std::uint64_t now, Compare&& compare) {
        for (const std::uint32_t child : {2 * i, 2 * i + 1})
            if (child < leaves_ && nodes_[child].until <= now) play_again(child, now, compare);
        play(i, compare);
    }
    template <class Compare>
    void grow(Compare&& compare) {
        leaves_ = std::max(2u, 2 * leaves_);
        nodes_.assign(leaves_, {});
        for (std::uint32_t i = leaves_; --i > 0;) play(i, compare);
    }

    std::uint32_t size_ = 0, leaves_ = 0; ///< places; as many as the tree has room for
    std::vector<Node> nodes_;             ///< from 1: the children of i are 2i and 2i + 1
};

} // namespace memsim::flash
