#pragma once

#include "core/kernel/policy.hh"

#include <bit>
#include <cstdint>

namespace memsim::parts {

/// The words that a table of tags keeps for its policy: one for each line, side by side for the
/// ways of a set, so that a policy's note costs no memory access of its own. 0 at the start. A line
/// is named by its place in the table.
struct TagWords {
    std::uint32_t* base;
    std::uint32_t stride; ///< from a set's first line to the next one's
    std::uint32_t ways;
    std::uint64_t sets;

    std::uint32_t& operator[](std::uint32_t line) const { return base[line]; }
    /// The first line of this line's set.
    std::uint32_t first(std::uint32_t line) const { return line - line % stride; }
};

/// The lines of a set that may make room: some neighbouring ones without those that are locked.
struct TagCandidates {
    static constexpr std::uint32_t none = ~std::uint32_t {0};

    std::uint32_t from, to;
    const std::uint32_t* status = nullptr; ///< of each line of the table, if lines can be locked:
    std::uint32_t locks = 0;               ///< any of these bits says so

    bool may(std::uint32_t line) const { return !status || !(status[line] & locks); }
};

/// Which of the ways of a set makes room: of a cache, of a TLB. What is asked of it and told to it
/// names a line by its place in the table. An empty way is taken before any that is full; a policy
/// whose words say so by themselves has `static constexpr bool finds_empty = true`.
class TagPolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "tag policy";
    static constexpr std::uint32_t none = TagCandidates::none;

    /// Once, before it is used: for what does not fit into the words.
    virtual void resize(std::uint64_t sets, std::uint32_t ways) { (void)sets, (void)ways; }
    /// An access has found the line.
    virtual void touch(TagWords words, std::uint32_t line) = 0;
    /// The line is another tag's now. `chosen`: it was full, and is what victim() has just said.
    virtual void insert(TagWords words, std::uint32_t line, bool chosen) = 0;
    /// The line is empty.
    virtual void drop(TagWords words, std::uint32_t line) { (void)words, (void)line; }
    /// The line that makes room, or none if all are locked. Asking changes nothing.
    virtual std::uint32_t victim(TagWords words, const TagCandidates& candidates) = 0;
};

} // namespace memsim::parts
