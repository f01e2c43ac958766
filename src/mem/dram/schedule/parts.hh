#pragma once

#include "mem/dram/refresh/refresh.hh"
#include "mem/dram/schedule/data_path.hh"
#include "mem/dram/schedule/drain.hh"
#include "mem/dram/schedule/queue.hh"
#include "mem/dram/schedule/rows.hh"

namespace memsim::mem {

/// What a bank needs for its next request, by the constraints of the bank alone.
struct DramCandidate {
    Tick at = never;
    std::uint64_t order = ~std::uint64_t {0}; ///< see DramPlan
    DramAction action = DramAction::nothing;
    bool data = false;            ///< a column command that uses the data bus
    std::uint16_t entry = 0xffff; ///< the request it serves
    std::uint16_t limit = 0;      ///< index of the group limit that applies: see limits_of()
};

/// The values of DramParts, for State.
struct DramPartsState {
    DramQueueState queue;
    RefreshState refresh;
    RowHistory rows;
    WriteDrain drain;
    bool bus_lent = false;
    std::vector<DramCandidate> candidates; ///< one per bank
    std::vector<std::uint64_t> data_banks; ///< bit per bank whose candidate has `data`
    std::vector<std::uint64_t>
        other_banks;          ///< bit per bank whose candidate has the other direction
    std::uint32_t others = 0; ///< number of set bits in other_banks
};

/// The parts of a scheduler that its order reads.
struct DramParts {
    DramDevice& device;
    DramDataPath path;
    DramQueue queue;
    RefreshSchedule refresh;
    DramPartsState& state;

    using Limits = std::array<Tick, 9>; ///< see limits_of()
    static constexpr std::uint16_t none = DramQueue::none;

    bool draining() const { return state.drain.draining(); }
    const RowHistory& rows() const { return state.rows; }
    const DramCandidate& candidate(std::uint32_t bank) const { return state.candidates[bank]; }
    void set_candidate(std::uint32_t bank, const DramCandidate& next);

    /// The request of the inactive direction for which the row was opened, if it still waits:
    /// closing the row now would waste an activate.
    std::uint16_t unserved_opener(std::uint32_t bank) const {
        if (queue.opened(!draining()) == 0) return none;
        const std::uint16_t e = queue.opener(bank);
        return e != none && queue[e].access.write != draining() ? e : none;
    }
    /// What a bank stopped by a refresh still needs: the request for which its row was opened is
    /// served first, if the refresh policy allows it.
    DramCandidate before_refresh(std::uint32_t bank) const;
    DramFloor floor_of(Tick now) const {
        const Tick row = std::max(now, device.next_command(false));
        return {std::max(now, device.next_command(true)), row,
                device.half_activated() ? never : row};
    }

    /// Indices in Limits of column commands over the data bus, the side bus and no wires: first
    /// those of the active direction, among nothing, column, activate and precharge, then those of
    /// the inactive one.
    static constexpr std::array<std::uint16_t, 3> own_columns {1, 4, 5}, other_columns {6, 7, 8};
    /// The limit that applies to a candidate with this action.
    static constexpr std::uint16_t limit_of(DramAction action, DramWires wires, bool other) {
        return action == DramAction::column
                   ? (other ? other_columns : own_columns)[static_cast<std::size_t>(wires)]
                   : static_cast<std::uint16_t>(action);
    }
    /// The earliest times of each action in the group of a bank, without the constraints of the
    /// banks. With `both` also those of the inactive direction.
    template <bool both = false>
    Limits limits_of(std::uint32_t bank, const DramFloor& floor) const;
    /// Calls f(bank, limits of its group) for every bank with a request in the active queue or with
    /// a row opened for the other; with `both` for every bank with a request in either queue. Banks
    /// are numbered group by group.
    template <bool both = false, class F>
    void for_each_used_bank(const DramFloor& floor, F&& f) const;

    /// Checks what all orders require of a candidate, so that later look-ups are valid.
    void check_candidate(Loader& l, std::uint32_t bank, const DramCandidate& c) const;
    void check_entry(Loader& l, std::string_view field, std::uint32_t bank, DramAction action,
                     std::uint16_t entry) const;
    void init(std::uint32_t places, const RefreshPolicy& policy);
    void check_loaded(Loader& l, const std::function<void(std::uint32_t)>& context) const;

  private:
    void columns(Limits& all, const std::array<std::uint16_t, 3>& places, bool write,
                 std::uint32_t bank, Tick floor) const;
};

inline void DramParts::set_candidate(std::uint32_t b, const DramCandidate& next) {
    state.candidates[b] = next;
    const std::uint64_t bit = std::uint64_t {1} << b % 64;
    std::uint64_t& word = state.data_banks[b / 64];
    word = next.data ? word | bit : word & ~bit;
    const bool other = next.limit >= other_columns[0];
    if (!other && !state.others) return;
    std::uint64_t& others = state.other_banks[b / 64];
    if (other == ((others & bit) != 0)) return;
    others ^= bit;
    state.others += other ? 1 : ~0u;
}

[[gnu::always_inline]] inline void DramParts::columns(Limits& all,
                                                      const std::array<std::uint16_t, 3>& places,
                                                      bool write, std::uint32_t bank,
                                                      Tick floor) const {
    const Tick column =
        std::max(floor, device.group_ready(write ? DramCommand::write : DramCommand::read,
                                           device.group_of(bank)));
    const auto at = path.earliest(device.rank_of(bank), write, column, device.latency(write));
    for (std::size_t i = 0; i < at.size(); ++i) all[places[i]] = at[i];
}

template <bool both>
[[gnu::always_inline]] inline DramParts::Limits DramParts::limits_of(std::uint32_t bank,
                                                                     const DramFloor& floor) const {
    const std::uint32_t group = device.group_of(bank);
    Limits all; // entries of the other direction stay undefined while no candidate uses them
    all[0] = never;
    columns(all, own_columns, draining(), bank, floor.column);
    all[2] = std::max(floor.activate, device.group_ready(DramCommand::activate, group));
    all[3] = std::max(floor.row, device.group_ready(DramCommand::precharge, group));
    if (both || state.others) [[unlikely]]
        columns(all, other_columns, !draining(), bank, floor.column);
    return all;
}

template <bool both, class F>
inline void DramParts::for_each_used_bank(const DramFloor& floor, F&& f) const {
    Limits limit;
    std::uint32_t group = ~0u;
    const auto& words = queue.used(draining());
    for (std::uint32_t w = 0; w < words.size(); ++w)
        for (std::uint64_t bits =
                 words[w] | (both ? queue.used(!draining()) : state.other_banks)[w];
             bits; bits &= bits - 1) {
            const std::uint32_t b = w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
            if (device.group_of(b) != group) {
                group = device.group_of(b);
                limit = limits_of<both>(b, floor);
            }
            f(b, limit);
        }
}

} // namespace memsim::mem
