#include "core/base/reflect.hh"
#include "dram_checker.hh"
#include "support.hh"

namespace memsim::dram_presets_test {

using namespace memsim::mem;

namespace {

const auto preset_names = DramTable::names();

template <class Family>
PolicyName<Family> named(const std::string& name) {
    return PolicyName<Family> {name};
}

/// Refreshes often enough that a short run sees many.
DramTiming shortened(const std::string& preset, const std::string& refresh) {
    DramTiming t = DramTable::find(preset);
    if (t.tREFI.raw) t.tREFI = 4 * (t.tRFC + t.tRP);
    if (refresh.starts_with("single_banks")) t.tREFI = t.banks() * t.tRFCpb;
    return t;
}

/// What random traffic of all kinds through a scheduler with `built` breaks in the table `judge`.
std::set<std::string> broken(const DramTiming& built, const DramTiming& judge,
                             const DramScheduler::Config& figures, std::uint32_t requests = 2500) {
    Scheduled s(built, figures);
    std::vector<DramIssued> log;
    s.device.log_to(&log);
    Rng rng(5, "test");
    const std::uint32_t banks = built.ranks * built.banks();
    for (std::uint32_t i = 0; i < requests; ++i) {
        // Bursts of requests, of one direction and in few or all banks, and pauses.
        const bool write = i / 64 % 3 == 2 ? rng.chance(500'000'000) : i / 64 % 3 == 1;
        const std::uint32_t some = i / 192 % 3 == 0   ? banks
                                   : i / 192 % 3 == 1 ? built.banks() / 2
                                                      : built.banks_per_group;
        const auto bank = static_cast<std::uint32_t>(rng.below(some));
        constexpr std::array<std::uint32_t, 3> rows {1000, 3, 1};
        const auto row = static_cast<std::uint32_t>(rng.below(rows[i / 96 % 3]));
        while (!s.dram.can_accept(write)) {
            s.run_to(Time {s.now + 1'000'000});
            while (s.dram.next_done() <= s.now) s.dram.pop_done();
        }
        s.dram.enqueue({i, bank, row, 0, 1, write, DramPriority::demand}, s.now);
        if (rng.chance(20'000'000)) s.run_to(Time {s.now + 60'000'000});
    }
    s.finish(1_ms);
    CHECK(log.size() > requests);
    return DramChecker(judge, Time {s.bus.transfer_time(built.burst)},
                       figures.order.text() != "committed")
        .broken(log);
}

/// Constraints that follow from others in this table, so that nothing changes without them.
std::set<std::string> implied(const DramTiming& t, const std::string& refresh) {
    const Time transfer {
        mem::DataBus({t.rate}, *std::make_unique<mem::DataBusState>()).transfer_time(t.burst)};
    const Time activates = std::max(t.tRRD_S, t.tCK);
    std::set<std::string> all;
    if (t.tRC <= t.tRAS + t.tRP) all.insert("tRC");
    if (t.tFAW <= 4 * activates) all.insert("tFAW");
    if (t.t32AW <= 32 * activates) all.insert("t32AW");
    if (t.tCCD_S <= transfer + 1_fs || t.groups == 1) all.insert("tCCD_S");
    if (t.tCCD_L <= transfer + 1_fs) all.insert("tCCD_L");
    if (t.groups == 1) all.insert({"tRRD_S", "tWTR_S"});
    if (t.tPPD <= t.tCK) all.insert("tPPD");
    if (t.ranks == 1 && (t.tRTW >= t.tRTRS)) all.insert("tRTRS"); // W > R: tWTR is longer
    if (t.tRTW <= t.tRTRS) all.insert("tRTW");
    if (refresh == "single_banks")
        all.insert("tRFC");
    else
        all.insert({"tRFCpb", "tRREFD"});
    return all;
}

} // namespace

TEST_CASE("every preset's commands keep to its table, in every order and refresh") {
    for (std::size_t p = 0; p < preset_names.size(); ++p) {
        const std::string& preset = preset_names[p];
        for (const std::string refresh :
             {"ranks_in_turn", "all_ranks(opened_first=true, closes_singly=true)", "single_banks",
              "single_banks(opened_first=true)"})
            for (const std::string order :
                 {"first_ready", "oldest_ready", "bank_rotation", "committed", "per_bank_mixed"})
                for (const std::string page : {"open", "open_adaptive", "closed"}) {
                    if (refresh.starts_with("single_banks") && !DramTable::find(preset).tRFCpb.raw)
                        continue;
                    INFO(preset_names[p] << ", order " << order << ", refresh " << refresh
                                         << ", page " << page);
                    const DramTiming t = shortened(preset, refresh);
                    CHECK(broken(t, t,
                                 {.page = named<RowPolicy>(page),
                                  .order = named<DramOrder>(order),
                                  .refresh = named<RefreshPolicy>(refresh),
                                  .bank_queue = order == "per_bank_mixed" ? 8u : 0u},
                                 700) == std::set<std::string> {});
                }
    }
}

TEST_CASE("in every preset, each constraint that is left out is noticed") {
    for (std::size_t p = 0; p < preset_names.size(); ++p)
        for (const std::string refresh : {"ranks_in_turn", "single_banks"}) {
            const std::string& preset = preset_names[p];
            const DramTiming t = shortened(preset, refresh);
            if (refresh == "single_banks" && !t.tRFCpb.raw) continue;
            const auto implies = implied(t, refresh);
            reflect::for_each_field(t, [&](std::string_view name, auto& field) {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, Time>) {
                    if (field.raw == 0) return;
                    INFO(preset_names[p] << " without " << name << ", refresh " << refresh);
                    DramTiming without = t;
                    reflect::for_each_field(without, [&](std::string_view other, auto& f) {
                        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(f)>, Time>)
                            if (other == name) f.raw = name == "tCK";
                    });
                    const bool noticed =
                        !broken(without, t, {.refresh = named<RefreshPolicy>(refresh)}).empty();
                    if (implies.contains(std::string(name))) return; // others keep it
                    CHECK(noticed);
                }
            });
        }
}

} // namespace memsim::dram_presets_test
