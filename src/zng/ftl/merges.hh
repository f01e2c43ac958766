#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "zng/ftl/merge_blocks.hh"

#include <algorithm>

namespace memsim::zng {

/// A mapped data block that is being moved, page by page.
struct DataMove {
    BlockMove blocks;
    std::uint32_t granted = 0; ///< pages that the helper thread has processed
    std::uint32_t sent = 0, done = 0;
};
enum class MergePhase : std::uint8_t { idle, moving, erasing };
/// A log block whose data blocks are being moved to new blocks.
struct Merge {
    std::uint32_t log = 0;
    std::vector<std::uint32_t> logs; ///< the log block and its extensions
    std::uint16_t application = 0;
    MergePhase phase = MergePhase::idle;
    std::uint32_t left = 0;   ///< moves or erases that are not complete
    std::uint32_t erased = 0; ///< erases sent, one per plane and block
    std::vector<DataMove> moves;
    Tick since = 0;
};

/// Plain values for State.
struct MergeTableState {
    static constexpr std::uint32_t none = ~0u;
    std::vector<Merge> merges;
    FreeList idle;
    std::vector<std::uint32_t> active; ///< in order of their start
    std::uint32_t step = none;         ///< the merge that the helper thread is processing
    std::uint32_t turn = 0;            ///< the next of the active merges to process
};

/// The merges in progress, and the order in which the helper thread processes their pages. A part.
class MergeTable {
  public:
    /// `pages`: data pages per mapped block. `step`: pages of each block per turn.
    MergeTable(std::uint32_t pages, std::uint32_t step, MergeTableState& state)
        : pages_(pages), step_(step), state_(state) {}

    /// There is no limit but one merge for each log block: a held application's requests may wait
    /// for the merge of another log block, and its merges wait for these requests.
    Merge& begin(std::vector<std::uint32_t> logs, std::uint16_t application, Tick now) {
        if (state_.idle.empty()) {
            state_.idle.push_back(static_cast<std::uint32_t>(state_.merges.size()));
            state_.merges.emplace_back();
        }
        const std::uint32_t i = state_.idle.back();
        state_.idle.pop_back();
        state_.active.push_back(i);
        const std::uint32_t log = logs.front();
        state_.merges[i] = {log, std::move(logs), application, MergePhase::moving, 0, 0, {}, now};
        return state_.merges[i];
    }
    void end(std::uint32_t i) {
        state_.merges[i].phase = MergePhase::idle;
        std::erase(state_.active, i);
        state_.idle.push_back(i);
    }
    /// Selects the next merge whose granted pages have all been sent. Returns the pages of the next
    /// step, or 0.
    std::uint32_t next_step() {
        const auto n = static_cast<std::uint32_t>(state_.active.size());
        for (std::uint32_t k = 0; k < n; ++k) {
            const std::uint32_t i = state_.active[(state_.turn + k) % n];
            const Merge& m = state_.merges[i];
            const std::uint32_t granted = m.moves.front().granted;
            if (m.phase != MergePhase::moving || granted == pages_) continue;
            bool due = true;
            for (const DataMove& move : m.moves) due = due && move.sent == granted;
            if (!due) continue;
            state_.turn = (state_.turn + k + 1) % n;
            state_.step = i;
            return std::min(step_, pages_ - granted) * static_cast<std::uint32_t>(m.moves.size());
        }
        return 0;
    }
    /// Whether a log block is being merged.
    bool merges(std::uint32_t log) const {
        return std::ranges::any_of(state_.active,
                                   [&](std::uint32_t i) { return state_.merges[i].log == log; });
    }
    /// Calls f(merge) for the merges whose blocks are being erased, until it returns true. Returns
    /// whether it did.
    template <class F>
    bool any_erasing(F&& f) const {
        return std::ranges::any_of(state_.active, [&](std::uint32_t i) {
            return state_.merges[i].phase == MergePhase::erasing && f(state_.merges[i]);
        });
    }
    void waits_on(WaitReport& report, const std::string& path) const {
        for (const std::uint32_t i : state_.active) {
            const Merge& m = state_.merges[i];
            report.add(path + " is merging log block " + std::to_string(m.log) +
                       " of application " + std::to_string(m.application) + ": " +
                       std::to_string(m.left) +
                       (m.phase == MergePhase::moving ? " blocks to move" : " erases to come"));
        }
    }
    bool stepping() const { return state_.step != MergeTableState::none; }
    void step_done() {
        for (DataMove& move : state_.merges[state_.step].moves)
            move.granted = std::min(move.granted + step_, pages_);
        state_.step = MergeTableState::none;
    }
    void check_loaded(Loader& l, std::uint64_t blocks, std::uint64_t applications) const {
        state_.idle.check_loaded(l, "idle", state_.merges.size());
        for (const Merge& m : state_.merges) {
            l.index("merges.log", m.log, blocks);
            l.indices("merges.logs", m.logs, blocks);
            l.index("merges.application", m.application, applications);
            for (const DataMove& move : m.moves)
                for (const std::uint32_t b : {move.blocks.from, move.blocks.to, move.blocks.to_log})
                    l.index("merges.moves", b, blocks);
            l.within("merges.moves", [&] {
                l.check(m.phase == MergePhase::idle || !m.moves.empty(),
                        "are empty although the merge is active");
            });
        }
        for (const std::uint32_t merge : state_.active) {
            l.index("active", merge, state_.merges.size());
            l.within("active", [&] {
                l.check(state_.merges[merge].phase != MergePhase::idle,
                        "is a merge that has ended");
            });
        }
        if (stepping()) l.index("step", state_.step, state_.merges.size());
    }

  private:
    std::uint32_t pages_, step_;
    MergeTableState& state_;
};

} // namespace memsim::zng
