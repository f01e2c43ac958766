#pragma once

#include "core/base/rng.hh"
#include "core/state/hash_map.hh"
#include "flash/nand/nand.hh"
#include "zng/package/page_address.hh"

#include <algorithm>

namespace memsim::zng::package {

/// What the programmable row decoders of a package know: which page of its log block a page was
/// programmed to last (the LPMT), how many pages of a log block are promised to registers, and
/// where pages of blocks are that a collector moves.
class RowDecoders {
  public:
    static constexpr std::uint32_t none = ~0u;
    struct Config {
        Numbering numbers;
        std::uint32_t first_log = 0, last_log = 0; ///< log blocks of a plane at the start
        std::uint32_t filled = 0;                  ///< pages of each at most, then
        std::uint64_t seed = 0;                    ///< chooses how many are filled
        std::uint32_t reserve = 0;                 ///< pages left of a block that is low
        std::uint32_t least_filled = 0;            ///< pages of each at least
    };
    struct Log {
        std::uint32_t assigned = 0;        ///< pages programmed or promised to a register
        bool reported = false;             ///< that it is low
        std::vector<std::uint64_t> owners; ///< numbers of pages, by page programmed
        std::vector<std::uint32_t> more;   ///< blocks of the plane that it goes on in
        std::uint32_t open = 0; ///< which of these, or 0 for the block itself, is programmed next
        std::uint32_t first = none; ///< if it stands in another's `more`: that block
    };
    struct Forward { ///< where the pages of a block go that are being moved
        std::uint32_t plane = 0, block = 0, log_block = 0;
        std::uint32_t begun = 0; ///< pages whose move has begun, from the first on
    };
    struct State {
        HashMap<Log> logs;           ///< by number of block
        HashMap<std::uint32_t> lpmt; ///< page to block x pages + page of its log block
        HashMap<Forward> forwards;   ///< by number of block
    };
    RowDecoders(const Config& config, flash::NandArray& array, State& state)
        : config_(config), n_(config.numbers), array_(array), state_(state) {}

    struct Place {
        std::uint32_t block = 0, page = 0;
    };
    /// The page of the array, in the plane of `a`, that holds the newest version.
    Place locate(const PageAddress& a) const {
        const std::uint32_t* const found = state_.lpmt.find(n_.page(a));
        if (!found) return {a.block, a.page};
        const Place p {*found / n_.pages, *found % n_.pages};
        MEMSIM_ASSERT(p.block == a.log_block || goes_on_in(a, p.block),
                      "a request names another log block than its page's");
        return p;
    }
    /// Where the page is now, if it is being moved.
    PageAddress forwarded(const PageAddress& a) const {
        PageAddress at = a;
        for (;;) { // where it went may be on its way on, if its log block there is full by now
            const Forward* const f = state_.forwards.empty()
                                         ? nullptr
                                         : state_.forwards.find(n_.block(at.plane, at.block));
            if (!f || at.page >= f->begun) return at;
            at = {f->plane, f->block, f->log_block, at.page};
        }
    }
    /// The move of a page begins: what comes for it goes to its new place from now on.
    void begin_move(const PageAddress& from, const PageAddress& to) {
        Forward& f = state_.forwards[n_.block(from.plane, from.block)];
        MEMSIM_ASSERT(from.page == f.begun, "the pages of a block are moved out of order");
        f = {to.plane, to.block, to.log_block, f.begun + 1};
    }

    struct Promise {
        bool granted = false;
        bool low = false; ///< has no more than the reserve left, and that was not said before
        std::uint32_t left = 0;
        std::uint32_t blocks = 1; ///< of the log block, extensions included
    };
    /// A page of its log block, if one is left.
    Promise promise(const PageAddress& a) {
        Log& log = log_of(a);
        Promise p;
        p.blocks = static_cast<std::uint32_t>(1 + log.more.size());
        const std::uint32_t pages = p.blocks * n_.pages;
        p.granted = log.assigned < pages; // it may have been full before the run
        log.assigned += p.granted;
        p.left = pages - log.assigned;
        p.low = !log.reported && p.left <= config_.reserve;
        log.reported |= p.low;
        return p;
    }
    /// A log block goes on in an erased block of its plane when it is full.
    void extend(std::uint32_t plane, std::uint32_t log_block, std::uint32_t block) {
        MEMSIM_ASSERT(!array_.block(plane, block) || array_.block(plane, block)->written == 0,
                      "a log block goes on in a block that is not erased");
        Log& next = state_.logs[n_.block(plane, block)];
        next = {};
        next.first = log_block;
        Log& log = log_of({plane, 0, log_block, 0});
        log.more.push_back(block);
        log.reported = false;
    }
    /// The block whose next page takes what is programmed to a log block.
    std::uint32_t open_block(const PageAddress& a) {
        Log& log = log_of(a);
        for (;; ++log.open) {
            const std::uint32_t block = log.open ? log.more[log.open - 1] : a.log_block;
            const flash::NandBlock* const b = array_.block(a.plane, block);
            if (!b || b->written < n_.pages || log.open == log.more.size()) return block;
        }
    }
    /// The page that was promised is not needed: its data go elsewhere.
    void take_back(const PageAddress& a) { --state_.logs[n_.block(a.plane, a.log_block)].assigned; }
    /// A page was programmed to this one of its log block; true if none was there before.
    bool programmed(std::uint64_t page, std::uint32_t plane, Place at) {
        state_.logs[n_.block(plane, at.block)].owners.push_back(page);
        const bool first = !state_.lpmt.find(page);
        state_.lpmt[page] = at.block * n_.pages + at.page;
        return first;
    }
    /// A data block or a log block is erased, and what is known of it forgotten.
    void erase(std::uint32_t plane, std::uint32_t block) {
        const std::uint64_t number = n_.block(plane, block);
        for (std::uint32_t p = 0; p < n_.pages; ++p) state_.lpmt.erase(number * n_.pages + p);
        if (const Log* const log = state_.logs.find(number)) {
            for (const std::uint64_t owner : log->owners) {
                const std::uint32_t* const at = state_.lpmt.find(owner);
                if (at && *at / n_.pages == block) state_.lpmt.erase(owner);
            }
            state_.logs.erase(number);
        }
        state_.forwards.erase(number);
    }

    /// Whether the block, by its number, takes pages that are written anew.
    bool is_log(std::uint64_t number) const { return state_.logs.find(number); }
    /// Pages of blocks on the move that have begun to move: their old places are out of date.
    std::uint64_t moved_pages() const {
        std::uint64_t pages = 0;
        state_.forwards.all([&](std::uint64_t, const Forward& f) {
            pages += f.begun;
            return true;
        });
        return pages;
    }
    /// Whether a block, by its number, held data before the run.
    bool holds_data_before(std::uint64_t number) const {
        return number % n_.blocks < config_.first_log;
    }
    /// Pages of a block that were written before the run.
    std::uint32_t written_before(std::uint64_t number) const {
        const std::uint64_t block = number % n_.blocks;
        if (block < config_.first_log) return n_.pages;
        if (block > config_.last_log || config_.filled == 0) return 0;
        std::uint64_t draw = config_.seed ^ number << 16;
        const std::uint32_t least = config_.least_filled;
        return least + static_cast<std::uint32_t>(split_mix(draw) % (config_.filled - least + 1));
    }
    /// Calls f(pages) for each log block of which pages were written before the run.
    template <class F>
    void each_filled_before(F&& f) const {
        for (std::uint32_t plane = 0; plane < n_.planes() && config_.filled; ++plane)
            for (std::uint32_t b = config_.first_log; b <= config_.last_log; ++b)
                if (const std::uint32_t pages = written_before(n_.block(plane, b))) f(pages);
    }

    void check_loaded(Loader& l) const {
        l.within("decoders.forwards", [&] {
            l.check(state_.forwards.all([&](std::uint64_t, const Forward& f) {
                return f.plane < n_.planes() && f.block < n_.blocks && f.log_block < n_.blocks &&
                       ends(f);
            }),
                    "has a block that does not exist, or pages that move in a circle");
        });
        l.within("decoders.logs", [&] {
            l.check(state_.logs.all([&](std::uint64_t, const Log& log) {
                return log.assigned <= (1 + log.more.size()) * n_.pages &&
                       log.owners.size() <= n_.pages && log.open <= log.more.size();
            }),
                    "has more pages than its blocks");
            l.check(state_.logs.all([&](std::uint64_t, const Log& log) {
                return std::ranges::all_of(log.more, [&](auto b) { return b < n_.blocks; });
            }),
                    "goes on in a block that does not exist");
        });
    }

  private:
    /// A log block of the start holds pages that newer ones, merged since, have replaced.
    Log& log_of(const PageAddress& a) {
        const std::uint64_t number = n_.block(a.plane, a.log_block);
        if (Log* const log = state_.logs.find(number)) return *log;
        Log& log = state_.logs[number];
        if (config_.filled == 0 || a.log_block < config_.first_log ||
            a.log_block > config_.last_log || array_.block(a.plane, a.log_block))
            return log;
        log.assigned = written_before(number);
        array_.written_before(a.plane, a.log_block, log.assigned);
        return log;
    }
    bool goes_on_in(const PageAddress& a, std::uint32_t block) const {
        const Log* const log = state_.logs.find(n_.block(a.plane, block));
        return log && log->first == a.log_block;
    }
    bool ends(const Forward& from) const {
        const Forward* f = &from;
        for (std::size_t left = state_.forwards.size(); f && left; --left)
            f = state_.forwards.find(n_.block(f->plane, f->block));
        return !f;
    }

    Config config_;
    Numbering n_;
    flash::NandArray& array_;
    State& state_;
};

} // namespace memsim::zng::package
