#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// What each page policy has to do, written down from its paper as plainly as possible: lists of
/// keys that are searched from one end to the other.
namespace memsim::test_pages {

using Key = std::uint64_t;
using Keys = std::set<Key>;

class Reference {
  public:
    explicit Reference(std::size_t capacity) : c(capacity) {}
    virtual ~Reference() = default;
    virtual bool here(Key key) const = 0;
    virtual void hit(Key key) = 0;
    /// A page arrives. Returns the evicted page if the memory was full. Requires: not all are
    /// pinned.
    virtual std::optional<Key> miss(Key key, bool prefetch, const Keys& pinned) = 0;
    virtual bool remembers(Key) const { return false; }

  protected:
    std::size_t c;
};

/// "lru", "fifo" and "clock".
class RowReference final : public Reference {
  public:
    RowReference(std::size_t capacity, const std::string& name)
        : Reference(capacity), policy(name) {}
    bool here(Key key) const override {
        return std::any_of(row.begin(), row.end(), [&](auto& e) { return e.key == key; });
    }
    void hit(Key key) override {
        const auto e = std::find_if(row.begin(), row.end(), [&](auto& x) { return x.key == key; });
        e->used = true;
        if (policy == "lru") std::rotate(e, e + 1, row.end());
    }
    std::optional<Key> miss(Key key, bool prefetch, const Keys& pinned) override {
        if (row.size() < c) {
            row.push_back({key, !prefetch});
            return {};
        }
        if (policy == "clock") {
            while (pinned.count(row[hand].key) || row[hand].used) {
                if (!pinned.count(row[hand].key)) row[hand].used = false;
                hand = (hand + 1) % c;
            }
            const Key gone = row[hand].key;
            row[hand] = {key, !prefetch};
            hand = (hand + 1) % c;
            return gone;
        }
        auto e = row.begin();
        while (pinned.count(e->key)) ++e;
        const Key gone = e->key;
        row.erase(e);
        row.push_back({key, !prefetch});
        return gone;
    }

  private:
    struct Entry {
        Key key;
        bool used = false;
    };
    std::string policy;
    std::vector<Entry> row;
    std::size_t hand = 0; ///< of the clock: an index of row, which is by frame there
};

/// Lists whose first key is the least recent one, as ARC and CAR write them.
inline bool in(const std::list<Key>& l, Key key) {
    return std::find(l.begin(), l.end(), key) != l.end();
}
inline Key take(std::list<Key>& l, std::list<Key>::iterator at) {
    const Key key = *at;
    l.erase(at);
    return key;
}

/// ARC(c) of FAST'03, Fig. 4. `fresh` pages were brought ahead and not accessed yet.
class ArcReference final : public Reference {
  public:
    using Reference::Reference;
    bool here(Key key) const override { return in(t1, key) || in(t2, key); }
    bool remembers(Key key) const override { return in(b1, key) || in(b2, key); }
    void hit(Key key) override {
        if (fresh.erase(key)) {
            t1.remove(key), t1.push_back(key);
            return;
        }
        t1.remove(key), t2.remove(key), t2.push_back(key);
    }
    std::optional<Key> miss(Key x, bool prefetch, const Keys& pinned) override {
        if (prefetch) b1.remove(x), b2.remove(x), fresh.insert(x);
        std::optional<Key> gone;
        if (in(b1, x)) {
            p = std::min(c, p + (b1.size() >= b2.size() ? 1 : b2.size() / b1.size()));
            gone = replace(false, pinned);
            b1.remove(x), t2.push_back(x);
        } else if (in(b2, x)) {
            const std::size_t d = b2.size() >= b1.size() ? 1 : b1.size() / b2.size();
            p = p > d ? p - d : 0;
            gone = replace(true, pinned);
            b2.remove(x), t2.push_back(x);
        } else {
            const std::size_t l1 = t1.size() + b1.size();
            const std::size_t all = l1 + t2.size() + b2.size();
            if (l1 == c && t1.size() < c) {
                b1.pop_front();
                gone = replace(false, pinned);
            } else if (l1 == c) {
                gone = take(t1, first(t1, pinned));
            } else if (all >= c) {
                if (all == 2 * c) b2.pop_front();
                gone = replace(false, pinned);
            }
            t1.push_back(x);
        }
        if (gone) fresh.erase(*gone);
        return gone;
    }
    std::size_t p = 0;

  private:
    static std::list<Key>::iterator first(std::list<Key>& l, const Keys& pinned) {
        return std::find_if(l.begin(), l.end(), [&](Key k) { return !pinned.count(k); });
    }
    Key replace(bool in_b2, const Keys& pinned) {
        bool from1 = !t1.empty() && (t1.size() > p || (in_b2 && t1.size() == p));
        const auto one = first(t1, pinned), two = first(t2, pinned);
        if (from1 ? one == t1.end() : two == t2.end()) from1 = !from1;
        std::list<Key>& b = from1 ? b1 : b2;
        b.push_back(from1 ? take(t1, one) : take(t2, two));
        return b.back();
    }
    std::list<Key> t1, t2, b1, b2;
    Keys fresh;
};

/// CAR of FAST'04, Fig. 2: the first page of a list is where its hand stands.
class CarReference final : public Reference {
  public:
    using Reference::Reference;
    bool here(Key key) const override { return in(t1, key) || in(t2, key); }
    bool remembers(Key key) const override { return in(b1, key) || in(b2, key); }
    void hit(Key key) override {
        if (!fresh.erase(key)) bits.insert(key);
    }
    std::optional<Key> miss(Key x, bool prefetch, const Keys& pinned) override {
        if (prefetch) b1.remove(x), b2.remove(x), fresh.insert(x);
        std::optional<Key> gone;
        if (t1.size() + t2.size() == c) {
            gone = replace(pinned);
            fresh.erase(*gone);
            if (!remembers(x)) {
                if (t1.size() + b1.size() == c)
                    b1.pop_front();
                else if (t1.size() + t2.size() + b1.size() + b2.size() == 2 * c)
                    b2.pop_front();
            }
        }
        if (in(b1, x)) {
            p = std::min(p + std::max<std::size_t>(1, b2.size() / b1.size()), c);
            b1.remove(x), t2.push_back(x);
        } else if (in(b2, x)) {
            const std::size_t d = std::max<std::size_t>(1, b1.size() / b2.size());
            p = p > d ? p - d : 0;
            b2.remove(x), t2.push_back(x);
        } else
            t1.push_back(x);
        return gone;
    }
    std::size_t p = 0;

  private:
    Key replace(const Keys& pinned) {
        const auto free = [&](Key k) { return !pinned.count(k); };
        for (;;) {
            const auto one = std::find_if(t1.begin(), t1.end(), free),
                       two = std::find_if(t2.begin(), t2.end(), free);
            const bool from1 =
                (t1.size() >= std::max<std::size_t>(1, p) && one != t1.end()) || two == t2.end();
            const Key key = from1 ? take(t1, one) : take(t2, two);
            if (!bits.erase(key)) {
                (from1 ? b1 : b2).push_back(key);
                return key;
            }
            t2.push_back(key);
        }
    }
    std::list<Key> t1, t2, b1, b2;
    Keys bits, fresh;
};

/// CLOCK-Pro of ATC'05, section 4. HANDhot stands at the first page of the list, and what it passes
/// goes to the list's end, which is the head of the paper's list.
class ClockProReference final : public Reference {
  public:
    explicit ClockProReference(std::size_t m)
        : Reference(m), cold_target(std::max<std::size_t>(1, m / 100)) {}
    bool here(Key key) const override { return at(key) < l.size() && l[at(key)].resident; }
    bool remembers(Key key) const override { return at(key) < l.size() && !l[at(key)].resident; }
    void hit(Key key) override {
        if (!fresh.erase(key)) l[at(key)].bit = true;
    }
    std::optional<Key> miss(Key x, bool prefetch, const Keys& pinned) override {
        std::optional<Key> gone;
        if (count([](auto& p) { return p.resident; }) == c) {
            full = true;
            gone = hand_cold_runs(pinned);
            fresh.erase(*gone);
        }
        const bool again = remembers(x);
        if (again) remove(x);
        if (again && !prefetch) {
            to_head({x, true, true, false, false});
            cold_target = std::min(c, cold_target + 1);
            balance();
        } else {
            const bool first = !full && !prefetch && l.size() < c - cold_target;
            to_head({x, first, true, !first, false});
        }
        if (prefetch) fresh.insert(x);
        return gone;
    }
    std::size_t cold_pages() const { return cold_target; }

  private:
    struct Page {
        Key key;
        bool hot, resident, test, bit;
    };
    std::size_t at(Key key) const {
        return static_cast<std::size_t>(
            std::find_if(l.begin(), l.end(), [&](auto& p) { return p.key == key; }) - l.begin());
    }
    template <class F>
    std::size_t count(F&& f) const {
        return static_cast<std::size_t>(std::count_if(l.begin(), l.end(), f));
    }
    /// The next page in the clock after this page for which f is true; the page itself is last.
    template <class F>
    std::optional<Key> after(Key key, F&& f) const {
        for (std::size_t i = 1; i <= l.size(); ++i)
            if (const Page& p = l[(at(key) + i) % l.size()]; f(p)) return p.key;
        return {};
    }
    static bool cold(const Page& p) { return !p.hot && p.resident; }
    void remove(Key key) {
        const auto other = [&](auto& p) { return p.key != key; };
        if (hand_test == key) hand_test = after(key, other);
        if (hand_cold == key) hand_cold = after(key, [&](auto& p) { return other(p) && cold(p); });
        l.erase(l.begin() + static_cast<std::ptrdiff_t>(at(key)));
    }
    void to_head(const Page& p) {
        l.push_back(p);
        if (!hand_test) hand_test = p.key;
        if (!hand_cold && cold(p)) hand_cold = p.key;
    }
    void test_ends(Key key) {
        Page& p = l[at(key)];
        if (p.test && !p.bit) cold_target = std::max<std::size_t>(1, cold_target - 1);
        p.test = false;
        if (!p.resident && !p.hot) remove(key);
    }
    void balance() {
        while (count([](auto& p) { return p.hot; }) > c - cold_target) hand_hot_runs();
    }
    void hand_hot_runs() {
        bool demoted = false;
        while (count([](auto& p) { return p.hot; }) && !(demoted && l[0].hot)) {
            std::rotate(l.begin(), l.begin() + 1, l.end());
            Page& p = l.back();
            if (!p.hot) {
                test_ends(p.key);
            } else if (p.bit) {
                p.bit = false;
            } else {
                p.hot = false;
                demoted = true;
                if (!hand_cold) hand_cold = p.key;
            }
        }
    }
    void hand_test_runs() {
        while (!l[at(*hand_test)].test) hand_test = after(*hand_test, [](auto&) { return true; });
        const Key key = *hand_test;
        hand_test = after(key, [](auto&) { return true; });
        test_ends(key);
    }
    Key hand_cold_runs(const Keys& pinned) {
        const auto can_go = [&](auto& p) { return cold(p) && !pinned.count(p.key); };
        for (;;) {
            if (!count(can_go)) {
                hand_hot_runs();
                continue;
            }
            const Key key = can_go(l[at(*hand_cold)]) ? *hand_cold : *after(*hand_cold, can_go);
            hand_cold = after(key, cold);
            Page p = l[at(key)];
            if (p.bit) {
                remove(key);
                to_head({key, p.test, true, !p.test, false});
                if (!p.test) continue;
                cold_target = std::min(c, cold_target + 1);
                balance();
                continue;
            }
            if (!p.test) {
                remove(key);
                return key;
            }
            if (hand_cold == key) hand_cold.reset();
            l[at(key)].resident = false;
            while (count([](auto& q) { return !q.resident; }) > c) hand_test_runs();
            return key;
        }
    }
    std::vector<Page> l;
    std::optional<Key> hand_cold, hand_test;
    std::size_t cold_target;
    bool full = false;
    Keys fresh;
};

/// Null for a policy that has none.
inline std::unique_ptr<Reference> reference(const std::string& name, std::size_t capacity) {
    if (name == "lru" || name == "fifo" || name == "clock")
        return std::make_unique<RowReference>(capacity, name);
    if (name == "arc") return std::make_unique<ArcReference>(capacity);
    if (name == "car") return std::make_unique<CarReference>(capacity);
    if (name == "clock-pro") return std::make_unique<ClockProReference>(capacity);
    return {};
}

} // namespace memsim::test_pages
