#pragma once

#include "mem/dram/device/device.hh"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memsim::mem {

/// Judges a log of commands by the table alone, pair by pair, knowing nothing of how the device or
/// the scheduler keep their times. Answers with the constraints that were broken.
class DramChecker {
  public:
    /// Without a command bus the log need not be in order, and commands may coincide.
    DramChecker(const DramTiming& timing, Time transfer, bool command_bus)
        : t_(timing), burst_(transfer.raw), command_bus_(command_bus) {}

    std::set<std::string> broken(std::vector<DramIssued> log) {
        std::stable_sort(log.begin(), log.end(),
                         [](const auto& a, const auto& b) { return a.at < b.at; });
        broken_.clear();
        open_.assign(t_.ranks * t_.banks(), false);
        for (std::size_t i = 0; i < log.size(); ++i) {
            for (std::size_t j = i > 300 ? i - 300 : 0; j < i; ++j) pair(log[j], log[i]);
            follow(log[i]);
        }
        if (command_bus_) {
            command_buses(log);
            halves(log);
        }
        windows(log);
        bus(log);
        if (t_.tREFI.raw && !log.empty()) refreshes(log);
        return broken_;
    }

  private:
    using C = DramCommand;
    std::uint32_t rank(const DramIssued& c) const { return c.bank / t_.banks(); }
    std::uint32_t group(const DramIssued& c) const { return c.bank / t_.banks_per_group; }
    static bool column(const DramIssued& c) {
        return c.command == C::read || c.command == C::write;
    }
    static bool precharge(const DramIssued& c) {
        return c.command == C::precharge || c.command == C::precharge_all;
    }
    /// How long a command is on its bus.
    Tick taken(const DramIssued& c) const {
        const Time t = column(c)                    ? t_.tCA_COL
                       : c.command == C::activate   ? t_.tCA_ACT
                       : c.command == C::activate_2 ? t_.tCK
                                                    : t_.tCA_ROW;
        return t.raw ? t.raw : t_.tCK.raw;
    }
    /// What its constraints and its data count from, were it as long as any: its last clock.
    Tick counts(const DramIssued& c) const { return c.at + taken(c) - t_.tCK.raw; }
    void apart(const DramIssued& a, const DramIssued& b, Tick least, const char* what) {
        if (counts(b) - counts(a) < least) broken_.insert(what);
    }
    void command_buses(const std::vector<DramIssued>& log) {
        std::array<const DramIssued*, 2> last {};
        for (const auto& c : log) {
            if (c.unused) continue;
            auto& before = last[t_.command_buses == 2 && column(c)];
            if (before && c.at - before->at < taken(*before)) broken_.insert("command bus");
            before = &c;
        }
    }
    /// Each ACT-1 has its ACT-2 in time, and no other ACT-1 between.
    void halves(const std::vector<DramIssued>& log) {
        if (t_.tAAD.raw == 0) return;
        const DramIssued* first = nullptr;
        for (const auto& c : log) {
            if (c.command == C::activate && std::exchange(first, &c)) broken_.insert("ACT-1");
            if (c.command != C::activate_2) continue;
            if (!first || first->bank != c.bank || c.at - first->at > t_.tAAD.raw)
                broken_.insert("tAAD");
            first = nullptr;
        }
        if (first) broken_.insert("tAAD");
    }
    /// When a column command that closes its row has precharged it, by that command alone.
    Tick closed(const DramIssued& c) const {
        return counts(c) + (c.command == C::read ? t_.tRTP.raw : t_.tCWL.raw + burst_ + t_.tWR.raw);
    }

    void pair(const DramIssued& a, const DramIssued& b) {
        if (rank(a) != rank(b) || b.unused) return;
        const bool one_bank = a.bank == b.bank, one_group = group(a) == group(b);
        const bool opens = b.command == C::activate;
        const bool to_bank = one_bank || a.command == C::precharge_all || a.command == C::refresh;
        const bool refresh = b.command == C::refresh || (b.command == C::refresh_bank && one_bank);
        if (opens || b.command == C::refresh_bank) {
            if (a.command == C::activate)
                apart(a, b, (one_group ? t_.tRRD_L : t_.tRRD_S).raw,
                      one_group ? "tRRD_L" : "tRRD_S");
            if (a.command == C::refresh_bank && !one_bank) apart(a, b, t_.tRREFD.raw, "tRREFD");
        }
        if ((opens && to_bank) || refresh) {
            if (a.command == C::activate && (one_bank || b.command == C::refresh))
                apart(a, b, t_.tRC.raw, "tRC");
            if (precharge(a)) apart(a, b, t_.tRP.raw, "tRP");
            if (column(a) && a.close && closed(a) + t_.tRP.raw > counts(b)) broken_.insert("tRP");
            if (a.command == C::refresh) apart(a, b, t_.tRFC.raw, "tRFC");
            if (a.command == C::refresh_bank) apart(a, b, t_.tRFCpb.raw, "tRFCpb");
        }
        if (precharge(a) && precharge(b)) apart(a, b, t_.tPPD.raw, "tPPD");
        if (b.command == C::precharge ? one_bank : b.command == C::precharge_all && open_[a.bank]) {
            if (a.command == C::activate) apart(a, b, t_.tRAS.raw, "tRAS");
            if (a.command == C::read) apart(a, b, t_.tRTP.raw, "tRTP");
            if (a.command == C::write && closed(a) > counts(b)) broken_.insert("tWR");
        }
        if (!column(b)) return;
        const bool write = b.command == C::write;
        if (a.command == C::activate && one_bank)
            apart(a, b, (write ? t_.tRCDWR : t_.tRCDRD).raw, write ? "tRCDWR" : "tRCDRD");
        if (!column(a)) return;
        apart(a, b, (one_group ? t_.tCCD_L : t_.tCCD_S).raw, one_group ? "tCCD_L" : "tCCD_S");
        if (a.command == C::write && write && one_group) apart(a, b, t_.tCCD_L_WR.raw, "tCCD_L_WR");
        if (a.command == C::write && !write)
            apart(a, b, t_.tCWL.raw + burst_ + (one_group ? t_.tWTR_L : t_.tWTR_S).raw,
                  one_group ? "tWTR_L" : "tWTR_S");
    }
    /// Which rows are open; commands that do not suit that are wrong, too.
    void follow(const DramIssued& c) {
        const std::uint32_t first = rank(c) * t_.banks();
        if (c.unused) // its precharge went unnoticed
            for (std::uint32_t b = first; b < first + t_.banks(); ++b)
                if (c.command == C::refresh || b == c.bank) open_[b] = false;
        switch (c.command) {
        case C::activate:
        case C::refresh_bank:
            if (open_[c.bank]) broken_.insert("bank is open");
            open_[c.bank] = c.command == C::activate;
            break;
        case C::read:
        case C::write:
        case C::precharge:
            if (!open_[c.bank]) broken_.insert("bank is closed");
            open_[c.bank] = column(c) && !c.close;
            break;
        case C::precharge_all:
        case C::refresh:
            for (std::uint32_t b = first; b < first + t_.banks(); ++b) {
                if (c.command == C::refresh && open_[b]) broken_.insert("bank is open");
                open_[b] = false;
            }
            break;
        case C::activate_2:
            break;
        }
    }
    void windows(const std::vector<DramIssued>& log) {
        for (std::uint32_t r = 0; r < t_.ranks; ++r) {
            std::vector<DramIssued> opened;
            for (const auto& c : log)
                if (rank(c) == r && c.command == C::activate) opened.push_back(c);
            for (std::size_t i = 4; i < opened.size(); ++i)
                apart(opened[i - 4], opened[i], t_.tFAW.raw, "tFAW");
            for (std::size_t i = 32; i < opened.size(); ++i)
                apart(opened[i - 32], opened[i], t_.t32AW.raw, "t32AW");
        }
    }
    void bus(const std::vector<DramIssued>& log) {
        struct Data {
            Tick at;
            bool write;
            std::uint32_t rank;
        };
        std::vector<Data> all;
        for (const auto& c : log)
            if (column(c)) {
                const bool write = c.command == C::write;
                all.push_back({counts(c) + (write ? t_.tCWL : t_.tCL).raw, write, rank(c)});
            }
        std::sort(all.begin(), all.end(), [](const Data& a, const Data& b) { return a.at < b.at; });
        for (std::size_t i = 1; i < all.size(); ++i) {
            const Data &a = all[i - 1], &b = all[i];
            const Tick idle = b.at - a.at - burst_;
            if (idle < -1) broken_.insert("burst"); // the bus carries fractions of a femtosecond
            if ((a.rank != b.rank || a.write != b.write) && idle < t_.tRTRS.raw - 1)
                broken_.insert("tRTRS");
            if (!a.write && b.write && idle < t_.tRTW.raw - 1) broken_.insert("tRTW");
        }
    }
    void refreshes(const std::vector<DramIssued>& log) {
        std::vector<std::int64_t> seen(t_.ranks * t_.banks(), 0);
        bool singly = false;
        for (const auto& c : log) {
            if (c.command == C::refresh) ++seen[rank(c) * t_.banks()];
            if (c.command == C::refresh_bank) ++seen[c.bank], singly = true;
        }
        const std::int64_t due = log.back().at / t_.tREFI.raw - 1;
        for (std::uint32_t b = 0; b < seen.size(); b += singly ? 1 : t_.banks())
            if (seen[b] < due) broken_.insert("tREFI");
    }

    DramTiming t_;
    Tick burst_;
    bool command_bus_;
    std::vector<bool> open_; ///< by bank
    std::set<std::string> broken_;
};

} // namespace memsim::mem
