#include "mem/fr_fcfs.hh"

#include <utility>

/// What a scheduler's state must hold for nothing to be looked up where nothing is.
namespace memsim::mem {

void FrFcfs::check_loaded(Loader& l, const std::function<void(std::uint32_t)>& context) const {
    const std::size_t banks = state_.banks.size();
    std::vector<std::uint32_t> bank_of(state_.entries.size(), ~0u); // that an entry waits for
    std::array<std::uint32_t, 2> queued {}, eligible {};
    std::uint32_t migrations = 0;
    for (std::uint32_t b = 0; b < banks; ++b)
        for (const bool write : {false, true}) {
            const auto& list = state_.banks[b].waiting[write];
            std::uint16_t last = none, number = list.head;
            std::uint32_t count = 0;
            for (; number != none; last = number, number = state_.entries[number].next, ++count) {
                l.index("banks.waiting", number, state_.entries.size());
                const Entry& e = state_.entries[number];
                l.within("banks.waiting", [&] {
                    l.check(std::exchange(bank_of[number], b) == ~0u && e.access.bank == b &&
                                e.access.write == write && e.left != 0,
                            "has a request of another list");
                });
                eligible[write] += !e.held;
                migrations += e.access.priority == DramPriority::migration;
                context(e.access.context);
                l.within("entries", [&] {
                    l.check(e.access.wires != DramWires::side || side_, "use a bus that is not");
                });
            }
            queued[write] += count;
            l.within("banks", [&] {
                const bool used = state_.used_banks[write][b / 64] >> b % 64 & 1;
                l.check(last == list.tail && used == (count != 0) &&
                            state_.banks[b].count[write] == count,
                        "have lists that end elsewhere");
            });
        }
    l.check(queued == state_.queued && eligible == state_.eligible &&
                migrations == state_.migrations &&
                queued[0] + queued[1] + state_.free.size() == state_.entries.size(),
            "the DRAM's queues have other requests than they count");
    for (const auto* words : {&state_.used_banks[0], &state_.used_banks[1], &state_.held_banks,
                              &state_.data_banks, &state_.other_banks})
        for (std::uint32_t w = 0; w < words->size(); ++w)
            l.bits("used_banks", (*words)[w], std::min<std::size_t>(64, banks - 64 * w));
    for (std::uint32_t b = 0; b < banks; ++b)
        if (const std::uint16_t opener = state_.banks[b].opener; opener != none) {
            l.index("banks.opener", opener, bank_of.size());
            l.within("banks.opener", [&] {
                l.check(bank_of[opener] == b, "is a request that does not wait there");
            });
        }
    if (device_.half_activated()) l.index("half_activated", device_.half_activated_bank(), banks);
    const auto command = [&](std::string_view field, std::uint32_t bank, FrFcfsState::Action action,
                             std::uint16_t entry) {
        l.index(field, bank, banks);
        l.within(field, [&] {
            l.check(entry == none ? action != Action::column
                                  : entry < bank_of.size() && bank_of[entry] == bank,
                    "is for a request that does not wait there");
        });
    };
    command("plan", state_.plan.bank, state_.plan.action, state_.plan.entry);
    for (const auto* all : {&state_.candidates, &state_.second})
        for (std::uint32_t b = 0; b < all->size(); ++b) {
            const auto& c = (*all)[b];
            if (c.at != never) command("candidates", b, c.action, c.entry);
            l.index("candidates.limit", c.limit, std::tuple_size_v<Limits>);
        }
    l.index("last_bank", state_.last_bank, banks);
    for (std::uint32_t i = 0; i < state_.done.size(); ++i) context(state_.done[i].context);
    bus_.check_loaded(l);
    if (side_) side_->bus.check_loaded(l);
    device_.check_loaded(l);
}

} // namespace memsim::mem
