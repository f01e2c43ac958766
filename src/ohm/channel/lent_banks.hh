#pragma once

#include "mem/dram/schedule/scheduler.hh"

namespace memsim::ohm {

/// The values of LentBanks, for State.
struct LentBanksState {
    std::vector<std::uint32_t> rows; ///< a bank: the row that its user works in, or closed
};

/// DRAM banks that the memory controller lends to an XPoint module, which moves a page by itself
/// (Ohm-GPU IV-B, Fig. 11): it issues column commands to one row, until the bank is released. All
/// other requests for the bank wait. What has begun there goes on; then the row is opened, and
/// opened again after a refresh.
class LentBanks final : public mem::DramBankUser {
  public:
    /// All outlive it.
    LentBanks(mem::DramScheduler& dram, const mem::DramDevice& device, LentBanksState& state)
        : dram_(dram), device_(device), state_(state) {
        dram.set_user(*this);
    }
    void init() { state_.rows.assign(device_.banks(), mem::DramBank::closed); }
    void check_loaded(Loader& l) const;

    void hold(std::uint32_t bank, std::uint32_t row, Tick now);
    void release(std::uint32_t bank, Tick now);
    bool held(std::uint32_t bank) const { return state_.rows[bank] != mem::DramBank::closed; }
    /// Nothing that began before goes on in a held bank, and the row is open.
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
