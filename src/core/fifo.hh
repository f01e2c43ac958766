#pragma once

#include "core/archive.hh"

#include <cstdint>
#include <vector>

namespace memsim {

/// A first-in first-out queue of values in a ring that grows by doubling and never shrinks: no
/// allocation once it has reached its working size. Elements are numbered from the front.
template <class T>
class Fifo {
  public:
    static constexpr std::string_view archived_as = "Fifo";
    using Element = T;

    bool empty() const { return size_ == 0; }
    std::uint32_t size() const { return size_; }
    T& front() { return slots_[head_]; }
    const T& front() const { return slots_[head_]; }
    T& back() { return (*this)[size_ - 1]; }
    const T& back() const { return (*this)[size_ - 1]; }
    T& operator[](std::uint32_t i) { return slots_[(head_ + i) & mask()]; }
    const T& operator[](std::uint32_t i) const { return slots_[(head_ + i) & mask()]; }

    void push(const T& v) {
        if (size_ == slots_.size()) [[unlikely]]
            grow();
        slots_[(head_ + size_++) & mask()] = v;
    }
    T pop() {
        T v = slots_[head_];
        drop();
        return v;
    }
    /// The front is taken out. What is empty begins at its first slot again: a short queue stays
    /// where it is in memory.
    void drop() { head_ = --size_ ? (head_ + 1) & mask() : 0; }
    /// Removes element i; those behind it move up, their order is kept.
    void erase(std::uint32_t i) {
        if (i < size_ / 2) {
            for (std::uint32_t j = i; j > 0; --j) (*this)[j] = (*this)[j - 1];
            head_ = (head_ + 1) & mask();
        } else {
            for (std::uint32_t j = i; j + 1 < size_; ++j) (*this)[j] = (*this)[j + 1];
        }
        --size_;
    }
    void clear() { head_ = size_ = 0; }
    void reserve(std::uint32_t n) {
        while (slots_.size() < n) grow();
    }

    template <class Archive>
    void archive(Archive& a) {
        std::uint32_t n = size_;
        a(n);
        if constexpr (std::is_same_v<Archive, Loader>) {
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
    std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size()) - 1; }
    [[gnu::noinline]] void grow() {
        std::vector<T> larger(slots_.empty() ? 4 : slots_.size() * 2);
        for (std::uint32_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
        slots_.swap(larger);
        head_ = 0;
    }

    std::vector<T> slots_;
    std::uint32_t head_ = 0;
    std::uint32_t size_ = 0;
};

} // namespace memsim
