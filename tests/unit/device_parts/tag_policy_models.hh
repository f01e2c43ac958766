#pragma once

#include "core/base/rng.hh"

#include <algorithm>
#include <bit>
#include <list>
#include <memory>
#include <string>
#include <vector>

/// Plain models of tag policies, to compare with.
namespace memsim::test_policies {

/// A set as a textbook describes it: tags in ways, and the state of the policy.
struct Model {
    explicit Model(std::uint32_t ways) : tags(ways, none) {}
    virtual ~Model() = default;
    virtual void hit(std::uint32_t way) = 0;
    virtual void filled(std::uint32_t way) = 0;
    virtual std::uint32_t victim() = 0;

    /// Whether the tag was there; it is then.
    bool access(std::uint64_t tag) {
        for (std::uint32_t w = 0; w < tags.size(); ++w)
            if (tags[w] == tag) return hit(w), true;
        auto way =
            static_cast<std::uint32_t>(std::find(tags.begin(), tags.end(), none) - tags.begin());
        if (way == tags.size()) way = victim();
        tags[way] = tag;
        filled(way);
        return false;
    }
    void drop(std::uint64_t tag) { std::replace(tags.begin(), tags.end(), tag, none); }

    static constexpr std::uint64_t none = ~std::uint64_t {0};
    std::vector<std::uint64_t> tags;
};

/// LRU and FIFO: a list of ways.
struct ListModel final : Model {
    ListModel(std::uint32_t ways, bool lru) : Model(ways), lru(lru) {}
    void last(std::uint32_t way) { order.remove(way), order.push_back(way); }
    void hit(std::uint32_t way) override {
        if (lru) last(way);
    }
    void filled(std::uint32_t way) override { last(way); }
    std::uint32_t victim() override { return order.front(); }
    bool lru;
    std::list<std::uint32_t> order;
};

/// Jaleel et al., ISCA 2010, figure 4, with hit priority.
struct RripModel final : Model {
    RripModel(std::uint32_t ways, std::uint32_t bits)
        : Model(ways), far((1u << bits) - 1), value(ways, 0) {}
    void hit(std::uint32_t way) override { value[way] = 0; }
    void filled(std::uint32_t way) override { value[way] = far - 1; }
    std::uint32_t victim() override {
        while (true) {
            for (std::uint32_t w = 0; w < value.size(); ++w)
                if (value[w] == far) return w;
            for (std::uint32_t& v : value) ++v;
        }
    }
    std::uint32_t far;
    std::vector<std::uint32_t> value;
};

/// A tree of nodes, each with a bit for the half used last.
struct TreeModel final : Model {
    struct Node {
        std::uint32_t begin, end; // ways
        bool last_right = false;
        std::unique_ptr<Node> left, right;
    };
    static std::unique_ptr<Node> tree(std::uint32_t begin, std::uint32_t end) {
        auto node = std::make_unique<Node>(Node {begin, end, true, {}, {}});
        if (end - begin == 1) return node;
        node->left = tree(begin, (begin + end) / 2);
        node->right = tree((begin + end) / 2, end);
        return node;
    }
    explicit TreeModel(std::uint32_t ways) : Model(ways), root(tree(0, std::bit_ceil(ways))) {}
    void hit(std::uint32_t way) override {
        for (Node* n = root.get(); n->left;) {
            n->last_right = way >= n->right->begin;
            n = (n->last_right ? n->right : n->left).get();
        }
    }
    void filled(std::uint32_t way) override { hit(way); }
    std::uint32_t victim() override {
        const Node* n = root.get();
        while (n->left) {
            const bool cut_off = n->right->begin >= tags.size();
            n = (n->last_right || cut_off ? n->left : n->right).get();
        }
        return n->begin;
    }
    std::unique_ptr<Node> root;
};

/// Takes any way, by the same stream.
struct RandomModel final : Model {
    RandomModel(std::uint32_t ways, const std::string& stream) : Model(ways), rng(5, stream) {}
    void hit(std::uint32_t) override {}
    void filled(std::uint32_t) override {}
    std::uint32_t victim() override {
        return tags.size() < 2 ? 0 : static_cast<std::uint32_t>(rng.below(tags.size()));
    }
    Rng rng;
};

/// One of the lines used longest ago, by the same stream.
struct OldRandomModel final : Model {
    OldRandomModel(std::uint32_t ways, std::size_t among, const std::string& stream)
        : Model(ways), among(among), rng(5, stream) {}
    void hit(std::uint32_t way) override { order.remove(way), order.push_back(way); }
    void filled(std::uint32_t way) override { hit(way); }
    std::uint32_t victim() override {
        const std::size_t n = std::min(among, order.size());
        return *std::next(order.begin(), n < 2 ? 0 : static_cast<std::ptrdiff_t>(rng.below(n)));
    }
    std::size_t among;
    std::list<std::uint32_t> order;
    Rng rng;
};

inline std::unique_ptr<Model> model(const std::string& policy, std::uint32_t ways) {
    if (policy == "lru" || policy == "fifo")
        return std::make_unique<ListModel>(ways, policy == "lru");
    if (policy == "random") return std::make_unique<RandomModel>(ways, "test.random");
    if (policy.starts_with("lru_random"))
        return std::make_unique<OldRandomModel>(ways, policy == "lru_random" ? 4 : 2,
                                                "test.random");
    if (policy == "tree_plru") return std::make_unique<TreeModel>(ways);
    return std::make_unique<RripModel>(ways, policy == "srrip" ? 2 : 3);
}

inline constexpr const char* all_policies[] = {
    "lru",           "fifo",      "random",     "srrip",
    "srrip(bits=3)", "tree_plru", "lru_random", "lru_random(among=2)"};

} // namespace memsim::test_policies
