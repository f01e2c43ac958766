#pragma once

#include "core/state/archive.hh"

#include <cstdint>
#include <vector>

namespace memsim {

/// Identifies an element of a Pool in 4 bytes. It holds the last bits of the slot's generation, so
/// that use of a freed element is detected. It is a plain value: it travels in messages and is
/// saved with them. No order may be derived from its slot.
template <class T>
struct Handle {
    static constexpr unsigned slot_bits = 22;
    static constexpr std::uint32_t most_slots = (1u << slot_bits) - 1;
    std::uint32_t code = ~std::uint32_t {0};

    static Handle of(std::uint32_t slot, std::uint32_t generation) {
        return {slot | generation << slot_bits};
    }
    std::uint32_t slot() const { return code & most_slots; }
    std::uint32_t generation() const { return code >> slot_bits; }
    bool operator==(const Handle&) const = default;
    explicit operator bool() const { return code != ~std::uint32_t {0}; }
};

/// Data larger than a message, kept in State and identified by handles.
template <class T>
class Pool {
  public:
    static constexpr std::string_view archived_as = "Pool";
    using Element = T;
    template <class Archive>
    void archive(Archive& a) {
        a(items_), a(generation_), a(free_);
        if constexpr (Loading<Archive>) a.check(sound(), "has invalid free slots");
    }

    Handle<T> create(const T& v = {}) {
        const Handle<T> h = reuse();
        items_[h.slot()] = v;
        return h;
    }
    /// Like create(), but keeps the contents of the slot's last element, so that its memory is
    /// reused.
    Handle<T> reuse() {
        if (free_.empty()) {
            MEMSIM_ASSERT(items_.size() < Handle<T>::most_slots, "a pool has too many elements");
            free_.push_back(static_cast<std::uint32_t>(items_.size()));
            items_.emplace_back();
            generation_.push_back(0);
        }
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        return Handle<T>::of(slot, ++generation_[slot]); // odd while the element is alive
    }
    bool alive(Handle<T> h) const {
        return h.slot() < items_.size() && Handle<T>::of(h.slot(), generation_[h.slot()]) == h;
    }
    T& operator[](Handle<T> h) {
        MEMSIM_ASSERT(alive(h), "a handle names an element that was freed");
        return items_[h.slot()];
    }
    const T& operator[](Handle<T> h) const { return const_cast<Pool&>(*this)[h]; }
    void destroy(Handle<T> h) {
        MEMSIM_ASSERT(alive(h), "an element is freed twice");
        ++generation_[h.slot()];
        free_.push_back(h.slot());
    }
    std::size_t size() const { return items_.size() - free_.size(); }
    /// Calls f(slot, element) for each element that is alive.
    template <class F>
    void each(F&& f) const {
        for (std::uint32_t slot = 0; slot < items_.size(); ++slot)
            if (generation_[slot] % 2) f(slot, items_[slot]);
    }

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
