#include "zng/read_path/prefetcher.hh"

#include "core/kernel/registry.hh"
#include "protocol/traffic.hh"

#include <algorithm>
#include <bit>

namespace memsim::zng {

static const Registration<Prefetcher> prefetcher {
    "ZnG's read prefetch: a PC-indexed predictor and an access monitor, next to an L2."};

using protocol::CacheEvent;
using protocol::CacheEventKind;

void Prefetcher::init() {
    page_ = static_cast<std::uint32_t>(params.page->raw);
    line_ = static_cast<std::uint32_t>(params.line->raw);
    if (!std::has_single_bit(line_)) refuse("line", "must be a power of two");
    if (!std::has_single_bit(page_) || page_ < line_)
        refuse("page", "must be a power of two, at least the line of " + params.line.text());
    if (params.initial() < params.line() || params.initial() > params.page())
        refuse("initial", params.initial.text() + " must be between the line of " +
                              params.line.text() + " and the page of " + params.page.text());
    if (params.step->raw % line_)
        refuse("step",
               params.step.text() + " is not a whole number of lines of " + params.line.text());
    if (params.initial->raw % line_)
        refuse("initial",
               params.initial.text() + " is not a whole number of lines of " + params.line.text());
    const unsigned most = (1u << params.counter_bits()) - 1;
    if (params.threshold() >= most)
        refuse("threshold", params.threshold.text() + " is never exceeded by a counter of " +
                                params.counter_bits.text() + " bits, whose maximum is " +
                                std::to_string(most));
    if (params.low() > params.high())
        refuse("low", params.low.text() + " exceeds high, " + params.high.text() +
                          ": the size would have to grow and to halve");
    longest_ = longest_prefetch();
    state.table.resize(params.entries());
    state.followed.resize(std::size_t {params.entries()} * params.warps());
    state.size = params.variant() == PrefetchVariant::dynamic
                     ? std::min(longest_, static_cast<std::uint32_t>(params.initial->raw))
                 : params.variant() == PrefetchVariant::small ? std::min(longest_, 1024u)
                                                              : longest_;
}

/// A page, or the address chunk of the slices if that is smaller.
std::uint32_t Prefetcher::longest_prefetch() const {
    std::uint64_t longest = page_;
    for (unsigned i = 0; i < port.hints.size(); ++i) {
        const auto* slice = port.hints[i].find_interface<const protocol::HasAddressShare>();
        const auto share = slice ? slice->share() : std::nullopt;
        if (!share || share->ways == 1 || share->chunk % page_ == 0) continue;
        if (page_ % share->chunk)
            refuse("page", params.page.text() + " and the interleaving chunk of " +
                               std::to_string(share->chunk) + "B of " +
                               port.hints[i].neighbour_path() +
                               " do not divide each other: make one of them a "
                               "multiple of the other");
        longest = std::min(longest, share->chunk);
    }
    return static_cast<std::uint32_t>(longest);
}

void Prefetcher::start() {
    stat.size.set(now(), params.variant() == PrefetchVariant::none ? 0 : state.size);
}

void Prefetcher::wake() {
    for (unsigned i = 0; i < port.events.size(); ++i)
        while (!port.events[i].empty()) {
            const CacheEvent e = port.events[i].pop();
            if (e.kind == CacheEventKind::eviction)
                evicted(e.unused);
            else
                read(i, e);
        }
}

void Prefetcher::read(unsigned slice, const CacheEvent& e) {
    ++stat.reads;
    const bool gains = learn(e);
    if (e.kind == CacheEventKind::read_hit) return;
    ++stat.read_misses;
    if (params.variant() == PrefetchVariant::none) return;
    if (predicts() && !gains) {
        ++stat.cut_off;
        return;
    }
    const std::uint64_t begin = e.address & ~std::uint64_t {longest_ - 1};
    const auto missed = static_cast<std::uint32_t>(e.address - begin) & ~(line_ - 1);
    if (state.size <= line_) return; // the miss itself fetches that much
    protocol::MemRequest h =
        protocol::hint(begin + std::min(missed, longest_ - state.size), state.size);
    h.pc = e.pc;
    h.warp = static_cast<std::uint8_t>(e.warp);
    h.application = e.application;
    if (!port.hints[slice].offer(h)) {
        ++stat.hints_dropped;
        return;
    }
    ++stat.hints;
    stat.hinted_bytes += h.bytes;
}

/// Records the read. Returns whether its entry is now above the threshold. All bits of a PC select
/// the entry, because PCs are either addresses of instructions, multiples of four bytes, or numbers
/// of sites.
bool Prefetcher::learn(const CacheEvent& e) {
    const std::uint64_t key = (std::uint64_t {e.application} << 32 | e.pc) + 1;
    const std::uint64_t place = (key * 0x9e3779b97f4a7c15 >> 32) % state.table.size();
    Entry& entry = state.table[place];
    Followed* const all = &state.followed[place * params.warps()];
    if (entry.key != key) {
        if (entry.key) ++stat.takeovers;
        entry = {key, 0, 0};
    }
    const std::uint32_t warp = std::uint32_t {e.source} << 16 | e.warp;
    const std::uint64_t page = e.address / page_;
    Followed* const end = all + entry.followed;
    Followed* const own = std::find_if(all, end, [&](const Followed& f) { return f.warp == warp; });
    const bool above = entry.counter > params.threshold();
    if (own != end) {
        const bool same = own->page == page;
        stat.predictions += above;
        stat.predictions_right += above && same;
        own->page = page;
        if (same)
            entry.counter = static_cast<std::uint8_t>(
                std::min<unsigned>(entry.counter + 1u, (1u << params.counter_bits()) - 1));
        else if (entry.counter)
            --entry.counter;
    } else if (entry.followed < params.warps()) {
        *own = {warp, page};
        ++entry.followed;
    } else
        ++stat.untracked;
    return entry.counter > params.threshold();
}

void Prefetcher::evicted(bool unused) {
    ++stat.evictions;
    stat.unused += unused;
    if (params.variant() != PrefetchVariant::dynamic) return;
    state.unused += unused;
    if (++state.evictions < params.window()) return;
    const auto whole = static_cast<std::uint64_t>((100_pct).raw);
    const std::uint64_t waste = state.unused * whole;
    const auto share = [&](Fraction f) {
        return static_cast<std::uint64_t>(f.raw) * state.evictions;
    };
    if (waste > share(params.high()) && state.size > line_) {
        state.size = std::max(line_, state.size / 2 & ~(line_ - 1));
        ++stat.halvings;
    } else if (waste < share(params.low()) && state.size < longest_) {
        state.size = std::min(longest_, state.size + static_cast<std::uint32_t>(params.step->raw));
        ++stat.growths;
    }
    state.evictions = state.unused = 0;
    stat.size.set(now(), state.size);
}

} // namespace memsim::zng
