#pragma once

#include "core/kernel/policy.hh"

#include <bit>
#include <cstdint>

namespace memsim::device_parts {

/// The words that a table of tags stores for its policy: one per line, adjacent for the ways of a
/// set, so that the policy causes no extra memory access. Initially 0. A line is identified by its
/// index in the table.
struct TagWords {
    std::uint32_t* base;
    std::uint32_t stride; ///< from the first line of a set to that of the next
    std::uint32_t ways;
    std::uint64_t sets;

    std::uint32_t& operator[](std::uint32_t line) const { return base[line]; }
    /// The first line of this line's set.
    std::uint32_t first(std::uint32_t line) const { return line - line % stride; }
};

/// The lines of a set that may be evicted: a range without the locked ones.
struct TagCandidates {
    static constexpr std::uint32_t none = ~std::uint32_t {0};

    std::uint32_t from, to;
    const std::uint32_t* status = nullptr; ///< by line of the table, if lines can be locked;
    std::uint32_t locks = 0;               ///< a line is locked if any of these bits is set

    bool may(std::uint32_t line) const { return !status || !(status[line] & locks); }
};

/// Selects the way of a set to evict, of a cache or of a TLB. Lines are identified by their index
/// in the table. An empty way is used before any full one; a policy whose words identify empty ways
/// has `static constexpr bool finds_empty = true`.
class TagPolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "tag policy";
    static constexpr std::uint32_t none = TagCandidates::none;

    /// Called once before use, for data that do not fit into the words.
    virtual void resize(std::uint64_t sets, std::uint32_t ways) { (void)sets, (void)ways; }
    /// An access has hit the line.
    virtual void touch(TagWords words, std::uint32_t line) = 0;
    /// The line now has another tag. `chosen`: it was full, and is the last result of victim().
    virtual void insert(TagWords words, std::uint32_t line, bool chosen) = 0;
    /// The line was emptied.
    virtual void drop(TagWords words, std::uint32_t line) { (void)words, (void)line; }
    /// The line to evict, or none if all are locked. Has no side effects.
    virtual std::uint32_t victim(TagWords words, const TagCandidates& candidates) = 0;
};

} // namespace memsim::device_parts
