#pragma once

#include "core/state/archive.hh"

#include <cstdint>
#include <memory>
#include <utility>

namespace memsim {

/// A first-in first-out queue of values in a ring that grows by doubling and never shrinks: it does
/// not allocate once it has reached its working size. Elements are numbered from the front.
template <class T>
class Fifo {
  public:
    static constexpr std::string_view archived_as = "Fifo";
    using Element = T;

    Fifo() = default;
    Fifo(const Fifo& other) {
        for (std::uint32_t i = 0; i < other.size_; ++i) push(other[i]);
    }
    Fifo(Fifo&& other) noexcept { swap(other); }
    Fifo& operator=(Fifo other) noexcept {
        swap(other);
        return *this;
    }
    void swap(Fifo& other) noexcept {
        std::swap(slots_, other.slots_), std::swap(mask_, other.mask_);
        std::swap(head_, other.head_), std::swap(size_, other.size_);
    }

    bool empty() const { return size_ == 0; }
    std::uint32_t size() const { return size_; }
    T& front() { return slots_[head_]; }
    const T& front() const { return slots_[head_]; }
    T& back() { return (*this)[size_ - 1]; }
    const T& back() const { return (*this)[size_ - 1]; }
    T& operator[](std::uint32_t i) { return slots_[(head_ + i) & mask_]; }
    const T& operator[](std::uint32_t i) const { return slots_[(head_ + i) & mask_]; }

    void push(const T& v) {
        if (size_ == mask_ + 1) [[unlikely]]
            grow();
        slots_[(head_ + size_++) & mask_] = v;
    }
    T pop() {
        T v = slots_[head_];
        drop();
        return v;
    }
    /// Removes the front. An empty queue begins at its first slot again, so that a short queue
    /// stays in the same memory.
    void drop() { head_ = --size_ ? (head_ + 1) & mask_ : 0; }
    /// Removes element i; the order of the other elements is kept.
    void erase(std::uint32_t i) {
        if (i < size_ / 2) {
            for (std::uint32_t j = i; j > 0; --j) (*this)[j] = (*this)[j - 1];
            head_ = (head_ + 1) & mask_;
        } else {
            for (std::uint32_t j = i; j + 1 < size_; ++j) (*this)[j] = (*this)[j + 1];
        }
        --size_;
    }
    void clear() { head_ = size_ = 0; }
    void reserve(std::uint32_t n) {
        while (mask_ + 1 < n) grow();
    }

    template <class Archive>
    void archive(Archive& a) {
        std::uint32_t n = size_;
        a(n);
        if constexpr (Loading<Archive>) {
            a.check(n < ~std::uint32_t {0} / 2, "is too long");
            clear();
            for (std::uint32_t i = 0; i < n; ++i) {
                T v {};
                a(v);
                push(v);
            }
        } else {
            for (std::uint32_t i = 0; i < n; ++i) a((*this)[i]);
        }
    }

  private:
    [[gnu::noinline]] void grow() {
        const std::uint32_t larger = mask_ + 1 ? 2 * (mask_ + 1) : 4;
        std::unique_ptr<T[]> slots(new T[larger]());
        for (std::uint32_t i = 0; i < size_; ++i) slots[i] = (*this)[i];
        slots_ = std::move(slots);
        mask_ = larger - 1;
        head_ = 0;
    }

    std::unique_ptr<T[]> slots_;
    std::uint32_t mask_ = ~std::uint32_t {0}; ///< places - 1; places: a power of two, or 0
    std::uint32_t head_ = 0;
    std::uint32_t size_ = 0;
};

} // namespace memsim
