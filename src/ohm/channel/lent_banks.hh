#pragma once

#include "mem/dram/schedule/scheduler.hh"

namespace memsim::ohm {

/// The values of LentBanks, for State.
struct LentBanksState {
    std::vector<std::uint32_t> rows; ///< by bank: the row that its user accesses, or closed
};

/// DRAM banks that the memory controller lends to an XPoint module for a page swap (Ohm-GPU IV-B,
/// Fig. 11). Until the bank is released the module issues column commands to one row, and all other
/// requests to the bank wait. Operations already started in the bank complete; then the row is
/// opened, and reopened after each refresh.
class LentBanks final : public mem::DramBankUser {
  public:
    /// All references must outlive the object.
    LentBanks(mem::DramScheduler& dram, const mem::DramDevice& device, LentBanksState& state)
        : dram_(dram), device_(device), state_(state) {
        dram.set_user(*this);
    }
    void init() { state_.rows.assign(device_.banks(), mem::DramBank::closed); }
    void check_loaded(Loader& l) const;

    void hold(std::uint32_t bank, std::uint32_t row, Tick now);
    void release(std::uint32_t bank, Tick now);
    bool held(std::uint32_t bank) const { return state_.rows[bank] != mem::DramBank::closed; }
    /// Whether the bank is ready: earlier operations are complete and the row is open.
    bool preset(std::uint32_t bank) const {
        return device_.row(bank) == state_.rows[bank] && dram_.quiet(bank);
    }

    mem::DramPlan next(const mem::DramFloor& floor) const override;
    void issue(std::uint32_t bank, Tick now) override;

  private:
    mem::DramScheduler& dram_;
    const mem::DramDevice& device_;
    LentBanksState& state_;
};

} // namespace memsim::ohm
