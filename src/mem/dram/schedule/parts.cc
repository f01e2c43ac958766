#include "mem/dram/schedule/parts.hh"

namespace memsim::mem {

void DramParts::init(std::uint32_t places, const RefreshPolicy& policy) {
    device.init();
    const std::uint32_t banks = device.banks();
    queue.init(banks, places);
    state.rows.resize(banks);
    state.candidates.assign(banks, {});
    state.data_banks.assign((banks + 63) / 64, 0);
    state.other_banks.assign((banks + 63) / 64, 0);
    state.others = 0;
    refresh.init(policy);
}

DramCandidate DramParts::before_refresh(std::uint32_t b) const {
    const std::uint16_t e = refresh.opened_first() ? queue.opener(b) : none;
    if (e == none) return {};
    const DramAccess& a = queue[e].access;
    return {device.bank_ready(a.write ? DramCommand::write : DramCommand::read, b),
            order_by_age(true, queue.urgent(queue[e]), queue[e].age, b),
            DramAction::column,
            a.wires == DramWires::data,
            e,
            limit_of(DramAction::column, a.wires, a.write != draining())};
}

void DramParts::check_entry(Loader& l, std::string_view field, std::uint32_t bank,
                            DramAction action, std::uint16_t entry) const {
    l.index(field, bank, state.candidates.size());
    l.within(field, [&] {
        l.check(entry == none ? action != DramAction::column : queue.waits(entry, bank),
                "serves a request that does not wait there");
    });
}

void DramParts::check_candidate(Loader& l, std::uint32_t bank, const DramCandidate& c) const {
    if (c.at != never) check_entry(l, "candidates", bank, c.action, c.entry);
    l.index("candidates.limit", c.limit, std::tuple_size_v<Limits>);
}

void DramParts::check_loaded(Loader& l, const std::function<void(std::uint32_t)>& context) const {
    queue.check_loaded(l, [&](const DramAccess& a) {
        context(a.context);
        l.within("entries", [&] {
            l.check(a.wires != DramWires::side || path.has_side(),
                    "use a side bus that does not exist");
        });
    });
    const std::size_t banks = state.candidates.size();
    for (std::uint32_t b = 0; b < banks; ++b) check_candidate(l, b, candidate(b));
    for (const auto* words : {&state.data_banks, &state.other_banks})
        for (std::uint32_t w = 0; w < words->size(); ++w)
            l.bits("data_banks", (*words)[w], std::min<std::size_t>(64, banks - 64 * w));
    if (device.half_activated()) l.index("half_activated", device.half_activated_bank(), banks);
    path.check_loaded(l);
    device.check_loaded(l);
}

} // namespace memsim::mem
