#pragma once

#include "core/archive.hh"

#include <cstdint>
#include <vector>

namespace memsim {

/// Names one element of a Pool; an element that was freed since is noticed by its generation.
/// A value like any other: it travels in messages and is saved with them. No order may be derived
/// from its slot.
template <class T>
struct Handle {
    std::uint32_t slot = ~std::uint32_t {0};
    std::uint32_t generation = 0;
    bool operator==(const Handle&) const = default;
    explicit operator bool() const { return slot != ~std::uint32_t {0}; }
};

/// Things larger than a message, kept in State and named by handles.
template <class T>
class Pool {
  public:
    static constexpr std::string_view archived_as = "Pool";
    using Element = T;
    template <class Archive>
    void archive(Archive& a) {
        a(items_), a(generation_), a(free_);
        if constexpr (Loading<Archive>) a.check(sound(), "has free slots that are none");
    }

    Handle<T> create(const T& v = {}) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(items_.size()));
            items_.emplace_back();
            generation_.push_back(0);
        }
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        items_[slot] = v;
        return {slot, ++generation_[slot]}; // odd while it lives
    }
    bool alive(Handle<T> h) const {
        return h.slot < items_.size() && generation_[h.slot] == h.generation;
    }
    T& operator[](Handle<T> h) {
        MEMSIM_ASSERT(alive(h), "a handle names an element that was freed");
        return items_[h.slot];
    }
    void destroy(Handle<T> h) {
        MEMSIM_ASSERT(alive(h), "an element is freed twice");
        ++generation_[h.slot];
        free_.push_back(h.slot);
    }
    std::size_t size() const { return items_.size() - free_.size(); }

  private:
    /// The free slots are those with an even generation, each once.
    bool sound() const {
        if (generation_.size() != items_.size()) return false;
        std::size_t even = 0;
        for (const std::uint32_t g : generation_) even += g % 2 == 0;
        std::vector<bool> seen(items_.size());
        for (const std::uint32_t slot : free_) {
            if (slot >= items_.size() || seen[slot] || generation_[slot] % 2) return false;
            seen[slot] = true;
        }
        return free_.size() == even;
    }

    std::vector<T> items_;
    std::vector<std::uint32_t> generation_;
    std::vector<std::uint32_t> free_;
};

} // namespace memsim
