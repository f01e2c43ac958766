#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace memsim::flash {

/// Maintains the best of several places while their contents change: a tree whose inner nodes store
/// the best place below them. Of two equal places the lower one wins, as in a search from the first
/// place on.
///
/// compare(a, b), a being the lower place, returns which place wins and until when: struct Winner {
/// bool second; std::uint64_t until; }. Queries at `until` or later compare again. Call changed()
/// when the content of a place changes.
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
    /// The content of the place has changed.
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
    /// Adds a place behind the last.
    template <class Compare>
    void push(Compare&& compare) {
        if (size_ == leaves_) grow(compare);
        changed(size_++, compare);
    }
    /// Removes the last place.
    template <class Compare>
    void pop(Compare&& compare) {
        changed(--size_, compare);
    }

  private:
    struct Node {
        std::uint32_t place = none; ///< none: no place below it
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

    std::uint32_t size_ = 0, leaves_ = 0; ///< places; capacity of the tree
    std::vector<Node> nodes_;             ///< from 1: the children of i are 2i and 2i + 1
};

} // namespace memsim::flash
