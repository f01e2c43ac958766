#include "mem/dram/schedule/queue.hh"

#include "core/state/archive.hh"

#include <utility>

namespace memsim::mem {

void DramQueue::init(std::uint32_t banks, std::uint32_t places) {
    MEMSIM_ASSERT(places < none, "a DRAM queue is too long");
    state_.entries.assign(places, {});
    state_.free.clear();
    for (std::uint32_t i = places; i-- > 0;) state_.free.push_back(i);
    state_.banks.assign(banks, {});
    state_.aside.assign(banks, {});
    const std::size_t words = (banks + 63) / 64;
    for (auto& used : state_.used) used.assign(words, 0);
    state_.reserved.assign(words, 0);
}

void DramQueue::append(List& list, std::uint16_t entry) {
    (list.tail == none ? list.head : state_.entries[list.tail].next) = entry;
    list.tail = entry;
}

std::uint16_t DramQueue::push(const DramAccess& access) {
    const auto e = static_cast<std::uint16_t>(state_.free.back());
    state_.free.pop_back();
    auto& bank = state_.banks[access.bank];
    state_.entries[e] = {access, none, access.bursts, false, false, state_.age++, 0};
    state_.beyond[access.write] += ++bank.count[access.write] > bank_queue_;
    ++state_.queued[access.write];
    state_.migrations += access.priority == DramPriority::migration;
    if (reserved(access.bank)) {
        append(state_.aside[access.bank][access.write], e);
    } else {
        append(bank.waiting[access.write], e);
        state_.used[access.write][access.bank / 64] |= bit(access.bank);
        ++state_.eligible[access.write];
    }
    return e;
}

void DramQueue::remove(std::uint16_t number) {
    const Entry& e = state_.entries[number];
    const std::uint32_t b = e.access.bank;
    auto& bank = state_.banks[b];
    const bool write = e.access.write;
    List& list = bank.waiting[write];
    if (list.head == number) {
        list.head = e.next;
        if (list.head == none) {
            list.tail = none;
            state_.used[write][b / 64] &= ~bit(b);
        }
    } else {
        std::uint16_t before = list.head;
        while (state_.entries[before].next != number) before = state_.entries[before].next;
        state_.entries[before].next = e.next;
        if (list.tail == number) list.tail = before;
    }
    if (bank.opener == number) set_opener(b, none);
    state_.free.push_back(number);
    state_.migrations -= e.access.priority == DramPriority::migration;
    --state_.queued[write];
    --state_.eligible[write];
    state_.beyond[write] -= bank.count[write]-- > bank_queue_;
}

bool DramQueue::covers(const DramAccess& a) const {
    const auto in = [&](const List& list) {
        for (std::uint16_t e = list.head; e != none; e = state_.entries[e].next) {
            const DramAccess& w = state_.entries[e].access;
            if (w.row == a.row && w.column <= a.column &&
                a.column + a.bursts <= w.column + w.bursts)
                return true;
        }
        return false;
    };
    return in(state_.banks[a.bank].waiting[1]) || (reserved(a.bank) && in(state_.aside[a.bank][1]));
}

void DramQueue::set_opener(std::uint32_t b, std::uint16_t e) {
    std::uint16_t& opener = state_.banks[b].opener;
    if (opener != none) --state_.opened[state_.entries[opener].access.write];
    opener = e;
    if (opener != none) ++state_.opened[state_.entries[opener].access.write];
}

/// Updates `used` after whole lists have changed.
void DramQueue::mark_used(std::uint32_t b) {
    for (const bool write : {false, true}) {
        std::uint64_t& word = state_.used[write][b / 64];
        word = oldest(b, write) != none ? word | bit(b) : word & ~bit(b);
    }
}

void DramQueue::set_aside(std::uint32_t b) {
    MEMSIM_ASSERT(!reserved(b), "a bank is reserved twice");
    state_.reserved[b / 64] |= bit(b);
    ++state_.reservations;
    for (const bool write : {false, true}) {
        const List all = std::exchange(state_.banks[b].waiting[write], {});
        for (std::uint16_t e = all.head, next = none; e != none; e = next) {
            next = std::exchange(state_.entries[e].next, none);
            const bool stays = state_.entries[e].started;
            append(stays ? state_.banks[b].waiting[write] : state_.aside[b][write], e);
            state_.eligible[write] -= !stays;
        }
    }
    mark_used(b);
}

void DramQueue::give_back(std::uint32_t b) {
    MEMSIM_ASSERT(reserved(b), "a bank that is not reserved is given back");
    state_.reserved[b / 64] &= ~bit(b);
    --state_.reservations;
    for (const bool write : {false, true}) {
        std::uint16_t stayed = std::exchange(state_.banks[b].waiting[write], {}).head;
        std::uint16_t aside = std::exchange(state_.aside[b][write], {}).head;
        while (stayed != none || aside != none) {
            const bool older = aside == none || (stayed != none && state_.entries[stayed].age <
                                                                       state_.entries[aside].age);
            std::uint16_t& from = older ? stayed : aside;
            state_.eligible[write] += !older;
            const std::uint16_t e = std::exchange(from, state_.entries[from].next);
            state_.entries[e].next = none;
            append(state_.banks[b].waiting[write], e);
        }
    }
    mark_used(b);
}

bool DramQueue::waits(std::uint16_t entry, std::uint32_t b) const {
    for (const bool write : {false, true})
        for (std::uint16_t e = oldest(b, write); e != none; e = state_.entries[e].next)
            if (e == entry) return true;
    return false;
}

std::uint32_t DramQueue::check_list(Loader& l, const List& list,
                                    std::vector<std::uint32_t>& bank_of, std::uint32_t b,
                                    bool write) const {
    std::uint16_t last = none;
    std::uint32_t count = 0;
    for (std::uint16_t e = list.head; e != none; last = e, e = state_.entries[e].next, ++count) {
        l.index("banks.waiting", e, state_.entries.size());
        const Entry& entry = state_.entries[e];
        l.within("banks.waiting", [&] {
            l.check(std::exchange(bank_of[e], b) == ~0u && entry.access.bank == b &&
                        entry.access.write == write && entry.left != 0,
                    "contain a request of another list");
        });
    }
    l.within("banks", [&] { l.check(last == list.tail, "have lists whose tail is wrong"); });
    return count;
}

void DramQueue::check_loaded(Loader& l,
                             const std::function<void(const DramAccess&)>& access) const {
    const auto banks = static_cast<std::uint32_t>(state_.banks.size());
    std::vector<std::uint32_t> bank_of(state_.entries.size(), ~0u); // bank for which an entry waits
    std::array<std::uint32_t, 2> queued {}, eligible {};
    std::uint32_t reservations = 0;
    for (std::uint32_t b = 0; b < banks; ++b) {
        reservations += reserved(b);
        for (const bool write : {false, true}) {
            const std::uint32_t waiting =
                check_list(l, state_.banks[b].waiting[write], bank_of, b, write);
            const std::uint32_t aside = check_list(l, state_.aside[b][write], bank_of, b, write);
            queued[write] += waiting + aside;
            eligible[write] += waiting;
            l.within("banks", [&] {
                l.check((state_.used[write][b / 64] >> b % 64 & 1) == (waiting != 0) &&
                            state_.banks[b].count[write] == waiting + aside &&
                            (aside == 0 || reserved(b)),
                        "disagree with the number of waiting requests");
            });
        }
    }
    std::uint32_t migrations = 0;
    for (std::size_t e = 0; e < bank_of.size(); ++e)
        if (bank_of[e] != ~0u) {
            migrations += state_.entries[e].access.priority == DramPriority::migration;
            access(state_.entries[e].access);
        }
    l.check(queued == state_.queued && eligible == state_.eligible &&
                migrations == state_.migrations && reservations == state_.reservations &&
                queued[0] + queued[1] + state_.free.size() == state_.entries.size(),
            "the queues of the DRAM disagree with the numbers of their requests");
    for (const auto* words : {&state_.used[0], &state_.used[1], &state_.reserved})
        for (std::uint32_t w = 0; w < words->size(); ++w)
            l.bits("used", (*words)[w], std::min<std::size_t>(64, banks - 64 * w));
    for (std::uint32_t b = 0; b < banks; ++b)
        if (opener(b) != none) {
            l.index("banks.opener", opener(b), bank_of.size());
            l.within("banks.opener", [&] {
                l.check(bank_of[opener(b)] == b, "is a request that does not wait there");
            });
        }
}

} // namespace memsim::mem
