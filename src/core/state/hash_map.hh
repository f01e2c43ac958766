#pragma once

#include "core/state/archive.hh"

#include <cstdint>
#include <utility>
#include <vector>

namespace memsim {

/// A sparse table for State from 64-bit keys (except the greatest) to values. It uses open
/// addressing and is saved sorted by key. It has no iteration, because an order derived from
/// hashing would affect results.
template <class V>
class HashMap {
  public:
    static constexpr std::string_view archived_as = "HashMap";
    using Element = V;

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// The value of a key, or nullptr. Valid until the next change of the map.
    V* find(std::uint64_t key) {
        if (size_ == 0) return nullptr;
        for (std::size_t i = place(key); slots_[i].first != empty_key; i = next(i))
            if (slots_[i].first == key) return &slots_[i].second;
        return nullptr;
    }
    const V* find(std::uint64_t key) const { return const_cast<HashMap*>(this)->find(key); }
    /// The value of a key, created if it is missing.
    V& operator[](std::uint64_t key) {
        if (V* v = find(key)) return *v;
        MEMSIM_ASSERT(key != empty_key, "the greatest key is reserved for empty slots");
        if ((size_ + 1) * 4 > slots_.size() * 3) grow();
        std::size_t i = place(key);
        while (slots_[i].first != empty_key) i = next(i);
        ++size_;
        slots_[i].first = key;
        return slots_[i].second;
    }
    bool erase(std::uint64_t key) {
        if (size_ == 0) return false;
        std::size_t i = place(key);
        while (slots_[i].first != empty_key && slots_[i].first != key) i = next(i);
        if (slots_[i].first == empty_key) return false;
        // Moves later members of the run back over the hole, so that no tombstone is needed.
        for (std::size_t j = next(i); slots_[j].first != empty_key; j = next(j)) {
            const std::size_t home = place(slots_[j].first);
            if (((j - home) & mask()) >= ((j - i) & mask())) {
                slots_[i] = std::move(slots_[j]);
                i = j;
            }
        }
        slots_[i] = {empty_key, V {}};
        --size_;
        return true;
    }
    void clear() { *this = HashMap(); }
    /// Whether holds(key, value) is true for every entry; the order of calls has no effect.
    template <class F>
    bool all(F&& holds) const {
        for (const auto& [key, value] : slots_)
            if (key != empty_key && !holds(key, value)) return false;
        return true;
    }

    template <class Archive>
    void archive(Archive& a) {
        std::uint64_t n = size_;
        a(n);
        if constexpr (Loading<Archive>) {
            clear();
            for (std::uint64_t i = 0, least = 0; i < n; ++i) {
                std::uint64_t key = 0;
                a(key);
                a.check(key >= least && key != empty_key, "has keys that do not ascend");
                least = key + 1;
                a((*this)[key]);
            }
        } else {
            std::vector<std::uint64_t> keys;
            for (std::size_t i = 0; i < slots_.size(); ++i)
                if (slots_[i].first != empty_key) keys.push_back(slots_[i].first);
            std::sort(keys.begin(), keys.end());
            for (std::uint64_t key : keys) {
                a(key);
                a(*find(key));
            }
        }
    }

  private:
    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
    std::size_t place(std::uint64_t key) const {
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15) >> 20) & mask();
    }
    [[gnu::noinline]] void grow() {
        auto old = std::move(slots_);
        slots_.assign(old.empty() ? 16 : old.size() * 2, {empty_key, V {}});
        for (auto& slot : old) {
            if (slot.first == empty_key) continue;
            std::size_t i = place(slot.first);
            while (slots_[i].first != empty_key) i = next(i);
            slots_[i] = std::move(slot);
        }
    }

    static constexpr std::uint64_t empty_key = ~std::uint64_t {0};
    std::vector<std::pair<std::uint64_t, V>> slots_;
    std::size_t size_ = 0;
};

} // namespace memsim
