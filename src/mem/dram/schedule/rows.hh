#pragma once

#include "core/state/archive.hh"

#include <cstdint>
#include <vector>

namespace memsim::mem {

/// How an access found its bank.
enum class RowFound : std::uint8_t {
    open, ///< with its row open
    closed,
    conflict ///< with another row open, or one that was closed for its sake
};

/// What has happened to each bank's row since it was opened. A value for State.
class RowHistory {
  public:
    static constexpr std::string_view archived_as = "RowHistory";
    template <class Archive>
    void archive(Archive& a) {
        a(banks_);
    }
    void resize(std::uint32_t banks) { banks_.assign(banks, {}); }

    /// A row was opened, for a request or (not `used`) for somebody else.
    void opened(std::uint32_t bank, bool used) {
        Bank& b = banks_[bank];
        b.accesses = 0;
        b.fresh = used;
        b.conflict = used && b.conflict;
    }
    /// A row was closed so that another one can be opened, for a request or for somebody else.
    void closed(std::uint32_t bank, bool used) {
        banks_[bank].fresh = false;
        banks_[bank].conflict = used;
    }
    /// A column command closes the row; `conflict`: because another one is waited for.
    void closes(std::uint32_t bank, bool conflict) { banks_[bank].conflict = conflict; }
    /// A column command; `first` of its request. What it found matters then alone.
    RowFound access(std::uint32_t bank) {
        Bank& b = banks_[bank];
        ++b.accesses;
        if (!b.fresh) return RowFound::open;
        const RowFound found = b.conflict ? RowFound::conflict : RowFound::closed;
        b.fresh = b.conflict = false;
        return found;
    }
    /// Column commands since the row was opened.
    std::uint32_t accesses(std::uint32_t bank) const { return banks_[bank].accesses; }
    /// The row was opened and not used yet.
    bool fresh(std::uint32_t bank) const { return banks_[bank].fresh; }

  private:
    struct Bank {
        std::uint32_t accesses = 0;
        bool conflict = false; ///< closed for the sake of another row
        bool fresh = false;
    };
    std::vector<Bank> banks_;
};

} // namespace memsim::mem
