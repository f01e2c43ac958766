#pragma once

#include "core/state/archive.hh"

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memsim::device_parts {

/// The order of the inputs that wait for an output: in turn, the lowest number first, or the
/// message that has been buffered longest.
enum class Arbitration : std::uint8_t { round_robin, fixed_priority, oldest_first };
constexpr std::array<std::string_view, 3> names_of(Arbitration) {
    return {"round_robin", "fixed_priority", "oldest_first"};
}

/// The buffers of a switch. Each input holds up to `depth` messages, in separate lists by output
/// (virtual output queues), so that a blocked output does not delay messages to other outputs. Each
/// output selects inputs by the arbitration. A value for State; nothing is allocated after
/// resize(). Selecting the next input costs a bit scan or, for the oldest, a comparison of all
/// waiting inputs.
template <class M>
class VirtualQueues {
  public:
    static constexpr std::string_view archived_as = "VirtualQueues";
    using Element = M;
    template <class Archive>
    void archive(Archive& a) {
        a(nodes_), a(free_), a(lists_), a(held_), a(waiting_), a(active_), a(last_), a(age_);
        if constexpr (Loading<Archive>) // after resize(); a state that is only inspected has none
            a.check(depth_ == 0 || sound(), "names messages that do not exist");
    }

    void resize(std::uint32_t inputs, std::uint32_t outputs, std::uint32_t depth,
                Arbitration arbitration = Arbitration::round_robin) {
        arbitration_ = arbitration;
        inputs_ = inputs;
        depth_ = depth;
        words_ = (inputs + 63) / 64;
        nodes_.assign(std::size_t {inputs} * depth, {});
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) nodes_[i].next = i + 1;
        free_ = 0;
        lists_.assign(std::size_t {inputs} * outputs, {});
        held_.assign(inputs, 0);
        waiting_.assign(std::size_t {outputs} * words_, 0);
        active_.assign((outputs + 63) / 64, 0);
        last_.assign(outputs, inputs - 1);
    }

    bool room(std::uint32_t input) const { return held_[input] < depth_; }
    /// Appends a message of this input for the output. Requires: room(input).
    void push(std::uint32_t input, std::uint32_t output, const M& m) {
        const std::uint32_t node = free_;
        free_ = nodes_[node].next;
        nodes_[node].message = m;
        nodes_[node].age = age_++;
        List& list = lists_[output * inputs_ + input];
        const std::size_t word = output * words_ + input / 64;
        if (waiting_[word] >> (input % 64) & 1)
            nodes_[list.last].next = node;
        else
            list.first = node;
        list.last = node;
        ++held_[input];
        waiting_[word] |= bit(input);
        active_[output / 64] |= bit(output);
    }
    bool waiting(std::uint32_t output) const { return active_[output / 64] & bit(output); }
    bool empty() const {
        for (std::uint64_t word : active_)
            if (word) return false;
        return true;
    }
    /// Calls f(output) for every output with waiting messages, in order; f may pop from it.
    template <class F>
    void for_each_waiting(F&& f) {
        for (std::uint32_t w = 0; w < active_.size(); ++w)
            for (std::uint64_t rest = active_[w]; rest; rest &= rest - 1)
                f(w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
    /// Removes the message of the input whose turn it is. Requires: waiting(output).
    M pop(std::uint32_t output) {
        const std::uint32_t input = next(output);
        last_[output] = input;
        List& list = lists_[output * inputs_ + input];
        const std::uint32_t node = list.first;
        --held_[input];
        if (node == list.last) {
            std::uint64_t left = waiting_[output * words_ + input / 64] &= ~bit(input);
            for (std::uint32_t w = 0; w < words_; ++w) left |= waiting_[output * words_ + w];
            if (left == 0) active_[output / 64] &= ~bit(output);
        } else
            list.first = nodes_[node].next;
        nodes_[node].next = free_;
        free_ = node;
        return nodes_[node].message;
    }

  private:
    struct Node {
        M message {};
        std::uint32_t next = 0;
        std::uint32_t age = 0; ///< wraps; waiting messages are within half of the range
    };
    struct List {
        std::uint32_t first = 0, last = 0;
    };
    /// Whether all indices are valid, and the bits mark the lists that are not empty.
    bool sound() const {
        const std::size_t n = nodes_.size(), outputs = last_.size();
        bool holds = free_ <= n;
        for (const Node& node : nodes_) holds = holds && node.next <= n;
        for (const std::uint32_t held : held_) holds = holds && held <= depth_;
        std::size_t places = 0; // used or free
        for (const std::uint32_t held : held_) places += held;
        for (std::uint32_t at = free_; holds && at < n && places <= n; at = nodes_[at].next)
            ++places;
        holds = holds && places == n;
        for (const std::uint32_t last : last_) holds = holds && last < inputs_;
        for (std::size_t o = 0; holds && o < 64 * active_.size(); ++o) {
            bool any = false;
            for (std::size_t i = 0; o < outputs && i < 64 * std::size_t {words_}; ++i) {
                if (!(waiting_[o * words_ + i / 64] >> (i % 64) & 1)) continue;
                any = true;
                holds = holds && i < inputs_ && connected(lists_[o * inputs_ + i]);
            }
            holds = holds && any == (active_[o / 64] >> (o % 64) & 1);
        }
        return holds;
    }
    /// Whether the end of a list is reachable from its beginning.
    bool connected(const List& list) const {
        std::uint32_t at = list.first;
        for (std::size_t left = nodes_.size(); at < nodes_.size() && left > 0; --left) {
            if (at == list.last) return true;
            at = nodes_[at].next;
        }
        return false;
    }
    static std::uint64_t bit(std::uint32_t i) { return std::uint64_t {1} << (i % 64); }
    std::uint32_t next(std::uint32_t output) const {
        if (arbitration_ == Arbitration::oldest_first) return oldest(output);
        return behind(arbitration_ == Arbitration::round_robin ? last_[output] + 1 : 0, output);
    }
    std::uint32_t oldest(std::uint32_t output) const {
        std::uint32_t best = 0, least = 0;
        bool any = false;
        for (std::uint32_t w = 0; w < words_; ++w)
            for (std::uint64_t rest = waiting_[output * words_ + w]; rest; rest &= rest - 1) {
                const std::uint32_t i = w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
                const std::uint32_t age = nodes_[lists_[output * inputs_ + i].first].age;
                if (any && static_cast<std::int32_t>(age - least) > 0) continue;
                any = true, best = i, least = age;
            }
        return best;
    }
    /// The first input from `from` on, cyclically.
    std::uint32_t behind(std::uint32_t from, std::uint32_t output) const {
        const std::uint64_t* word = &waiting_[output * words_];
        for (std::uint32_t w = from / 64; w < words_; ++w) {
            std::uint64_t m = word[w];
            if (w == from / 64) m &= ~std::uint64_t {0} << (from % 64);
            if (m) return w * 64 + static_cast<std::uint32_t>(std::countr_zero(m));
        }
        std::uint32_t w = 0;
        while (word[w] == 0) ++w;
        return w * 64 + static_cast<std::uint32_t>(std::countr_zero(word[w]));
    }

    Arbitration arbitration_ = Arbitration::round_robin;
    std::uint32_t inputs_ = 0, depth_ = 0, words_ = 0;
    std::uint32_t age_ = 0;
    std::vector<Node> nodes_;
    std::uint32_t free_ = 0;
    std::vector<List> lists_;            ///< [output][input]
    std::vector<std::uint32_t> held_;    ///< messages held, by input
    std::vector<std::uint64_t> waiting_; ///< [output]: mask of inputs with messages for it
    std::vector<std::uint64_t> active_;  ///< mask of outputs with waiting messages
    std::vector<std::uint32_t> last_;    ///< input served last, by output
};

} // namespace memsim::device_parts
