#pragma once

#include "core/base/rng.hh"
#include "core/state/hash_map.hh"
#include "flash/nand/nand.hh"
#include "zng/package/page_address.hh"

#include <algorithm>

namespace memsim::zng::package {

/// The state of a package's programmable row decoders: the log block page to which each page was
/// last programmed (the LPMT), the pages of log blocks promised to registers, and the destinations
/// of blocks that a collector moves.
class RowDecoders {
  public:
    static constexpr std::uint32_t none = ~0u;
    struct Config {
        Numbering numbers;
        std::uint32_t first_log = 0, last_log = 0; ///< log blocks per plane at the start
        std::uint32_t filled = 0;       ///< pages of each that are written at the start, at most
        std::uint64_t seed = 0;         ///< selects the number of written pages
        std::uint32_t reserve = 0;      ///< pages left in a block that is reported as low
        std::uint32_t least_filled = 0; ///< pages of each that are written at the start, at least
    };
    struct Log {
        std::uint32_t assigned = 0;        ///< pages programmed or promised to a register
        bool reported = false;             ///< as low
        std::vector<std::uint64_t> owners; ///< page numbers, by programmed page
        std::vector<std::uint32_t> more;   ///< blocks of the plane that extend it
        std::uint32_t open = 0;     ///< which of these is programmed next; 0: the block itself
        std::uint32_t first = none; ///< if it is in the `more` of another block: that block
    };
    struct Forward { ///< the destination of a block's pages while they are moved
        std::uint32_t plane = 0, block = 0, log_block = 0;
        std::uint32_t begun = 0; ///< pages whose move has begun, counted from the first
    };
    struct State {
        HashMap<Log> logs;           ///< by number of block
        HashMap<std::uint32_t> lpmt; ///< page to block x pages + page of its log block
        HashMap<Forward> forwards;   ///< by number of block
    };
    RowDecoders(const Config& config, flash::NandArray& array, State& state)
        : config_(config), numbering_(config.numbers), array_(array), state_(state) {}

    struct Place {
        std::uint32_t block = 0, page = 0;
    };
    /// The page of the array, in the plane of `a`, that holds the newest version.
    Place locate(const PageAddress& a) const {
        const std::uint32_t* const found = state_.lpmt.find(numbering_.page(a));
        if (!found) return {a.block, a.page};
        const Place p {*found / numbering_.pages, *found % numbering_.pages};
        MEMSIM_ASSERT(p.block == a.log_block || goes_on_in(a, p.block),
                      "a request names a log block that is not its page's");
        return p;
    }
    /// The current place of a page that may be being moved.
    PageAddress forwarded(const PageAddress& a) const {
        PageAddress at = a;
        for (;;) { // the destination may be moving on already, if its log block is full
            const Forward* const f =
                state_.forwards.empty()
                    ? nullptr
                    : state_.forwards.find(numbering_.block(at.plane, at.block));
            if (!f || at.page >= f->begun) return at;
            at = {f->plane, f->block, f->log_block, at.page};
        }
    }
    /// The move of a page begins. Its requests are forwarded to the new place from now on.
    void begin_move(const PageAddress& from, const PageAddress& to) {
        Forward& f = state_.forwards[numbering_.block(from.plane, from.block)];
        MEMSIM_ASSERT(from.page == f.begun, "the pages of a block are moved out of order");
        f = {to.plane, to.block, to.log_block, f.begun + 1};
    }

    struct Promise {
        bool granted = false;
        bool low = false; ///< at most the reserve is left, and this was not reported before
        std::uint32_t left = 0;
        std::uint32_t blocks = 1; ///< of the log block, extensions included
    };
    /// Promises a page of its log block, if one is left.
    Promise promise(const PageAddress& a) {
        Log& log = log_of(a);
        Promise p;
        p.blocks = static_cast<std::uint32_t>(1 + log.more.size());
        const std::uint32_t pages = p.blocks * numbering_.pages;
        p.granted = log.assigned < pages; // a block may be full before the run
        log.assigned += p.granted;
        p.left = pages - log.assigned;
        p.low = !log.reported && p.left <= config_.reserve;
        log.reported |= p.low;
        return p;
    }
    /// Adds an erased block of the same plane, which a log block uses when it is full.
    void extend(std::uint32_t plane, std::uint32_t log_block, std::uint32_t block) {
        MEMSIM_ASSERT(!array_.block(plane, block) || array_.block(plane, block)->written == 0,
                      "a log block is extended by a block that is not erased");
        Log& next = state_.logs[numbering_.block(plane, block)];
        next = {};
        next.first = log_block;
        Log& log = log_of({plane, 0, log_block, 0});
        log.more.push_back(block);
        log.reported = false;
    }
    /// The block that receives the next page programmed to a log block.
    std::uint32_t open_block(const PageAddress& a) {
        Log& log = log_of(a);
        for (;; ++log.open) {
            const std::uint32_t block = log.open ? log.more[log.open - 1] : a.log_block;
            const flash::NandBlock* const b = array_.block(a.plane, block);
            if (!b || b->written < numbering_.pages || log.open == log.more.size()) return block;
        }
    }
    /// Returns a promised page that is not needed, because its data go elsewhere.
    void take_back(const PageAddress& a) {
        --state_.logs[numbering_.block(a.plane, a.log_block)].assigned;
    }
    /// Records that a page was programmed to its log block. Returns true for the first time.
    bool programmed(std::uint64_t page, std::uint32_t plane, Place at) {
        state_.logs[numbering_.block(plane, at.block)].owners.push_back(page);
        const bool first = !state_.lpmt.find(page);
        state_.lpmt[page] = at.block * numbering_.pages + at.page;
        return first;
    }
    /// Erases a data block or log block and drops its entries.
    void erase(std::uint32_t plane, std::uint32_t block) {
        const std::uint64_t number = numbering_.block(plane, block);
        for (std::uint32_t p = 0; p < numbering_.pages; ++p)
            state_.lpmt.erase(number * numbering_.pages + p);
        if (const Log* const log = state_.logs.find(number)) {
            for (const std::uint64_t owner : log->owners) {
                const std::uint32_t* const at = state_.lpmt.find(owner);
                if (at && *at / numbering_.pages == block) state_.lpmt.erase(owner);
            }
            state_.logs.erase(number);
        }
        state_.forwards.erase(number);
    }

    /// Whether a block, by number, is a log block.
    bool is_log(std::uint64_t number) const { return state_.logs.find(number); }
    /// Pages of moving blocks whose move has begun. Their old places are out of date.
    std::uint64_t moved_pages() const {
        std::uint64_t pages = 0;
        state_.forwards.all([&](std::uint64_t, const Forward& f) {
            pages += f.begun;
            return true;
        });
        return pages;
    }
    /// Whether a block, by number, held data before the run.
    bool holds_data_before(std::uint64_t number) const {
        return number % numbering_.blocks < config_.first_log;
    }
    /// Pages of a block that were written before the run.
    std::uint32_t written_before(std::uint64_t number) const {
        const std::uint64_t block = number % numbering_.blocks;
        if (block < config_.first_log) return numbering_.pages;
        if (block > config_.last_log || config_.filled == 0) return 0;
        std::uint64_t draw = config_.seed ^ number << 16;
        const std::uint32_t least = config_.least_filled;
        return least + static_cast<std::uint32_t>(split_mix(draw) % (config_.filled - least + 1));
    }
    /// Calls f(pages) for each log block with pages written before the run.
    template <class F>
    void each_filled_before(F&& f) const {
        for (std::uint32_t plane = 0; plane < numbering_.planes() && config_.filled; ++plane)
            for (std::uint32_t b = config_.first_log; b <= config_.last_log; ++b)
                if (const std::uint32_t pages = written_before(numbering_.block(plane, b)))
                    f(pages);
    }

    void check_loaded(Loader& l) const {
        l.within("decoders.forwards", [&] {
            l.check(state_.forwards.all([&](std::uint64_t, const Forward& f) {
                return f.plane < numbering_.planes() && f.block < numbering_.blocks &&
                       f.log_block < numbering_.blocks && ends(f);
            }),
                    "has a block that does not exist, or pages that move in a cycle");
        });
        l.within("decoders.logs", [&] {
            l.check(state_.logs.all([&](std::uint64_t, const Log& log) {
                return log.assigned <= (1 + log.more.size()) * numbering_.pages &&
                       log.owners.size() <= numbering_.pages && log.open <= log.more.size();
            }),
                    "has more pages than its blocks");
            l.check(state_.logs.all([&](std::uint64_t, const Log& log) {
                return std::ranges::all_of(log.more, [&](auto b) { return b < numbering_.blocks; });
            }),
                    "is extended by a block that does not exist");
        });
    }

  private:
    /// Pages in a log block of the start are out of date: newer versions were merged since.
    Log& log_of(const PageAddress& a) {
        const std::uint64_t number = numbering_.block(a.plane, a.log_block);
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
        const Log* const log = state_.logs.find(numbering_.block(a.plane, block));
        return log && log->first == a.log_block;
    }
    bool ends(const Forward& from) const {
        const Forward* f = &from;
        for (std::size_t left = state_.forwards.size(); f && left; --left)
            f = state_.forwards.find(numbering_.block(f->plane, f->block));
        return !f;
    }

    Config config_;
    Numbering numbering_;
    flash::NandArray& array_;
    State& state_;
};

} // namespace memsim::zng::package
