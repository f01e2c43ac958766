#pragma once

#include "core/state/archive.hh"

#include <cstdint>
#include <vector>

namespace memsim::mem {

/// The state of the bank found by an access.
enum class RowFound : std::uint8_t {
    open, ///< its row was open
    closed,
    conflict ///< another row was open, or was closed for this access
};

/// The history of each bank's row since it was opened. A value for State.
class RowHistory {
  public:
    static constexpr std::string_view archived_as = "RowHistory";
    template <class Archive>
    void archive(Archive& a) {
        a(banks_);
    }
    void resize(std::uint32_t banks) { banks_.assign(banks, {}); }

    /// A row was opened for a request or, if not `used`, for another user.
    void opened(std::uint32_t bank, bool used) {
        Bank& b = banks_[bank];
        b.accesses = 0;
        b.fresh = used;
        b.conflict = used && b.conflict;
    }
    /// A row was closed to open another one, for a request or for another user.
    void closed(std::uint32_t bank, bool used) {
        banks_[bank].fresh = false;
        banks_[bank].conflict = used;
    }
    /// A column command closes the row. `conflict`: a request waits for another row.
    void closes(std::uint32_t bank, bool conflict) { banks_[bank].conflict = conflict; }
    /// Records a column command. Only the result for the first command of a request is meaningful.
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
    /// The row was opened and has not been used.
    bool fresh(std::uint32_t bank) const { return banks_[bank].fresh; }

  private:
    struct Bank {
        std::uint32_t accesses = 0;
        bool conflict = false; ///< closed to open another row
        bool fresh = false;
    };
    std::vector<Bank> banks_;
};

} // namespace memsim::mem
