#pragma once

#include "core/state/hash_map.hh"
#include "flash/nand/page_contents.hh"
#include "flash/nand/timing.hh"

#include <vector>

namespace memsim::flash {

/// The record of an accessed block.
struct NandBlock {
    std::uint32_t erases = 0;
    std::uint16_t written = 0; ///< pages, from the first; the next page to program
};

/// Plain values for State.
struct NandArrayState {
    HashMap<NandBlock> blocks; ///< accessed ones, by plane x blocks + block
    PageContents contents;     ///< by page: see NandArray::page()
    std::uint32_t most_erases = 0;
};

/// The cells of one package: the state of each block, and checks of the rules of NAND. Blocks that
/// were never accessed are erased and need no memory. A violation of a rule (programming out of
/// order, programming twice without an erase, reading an erased page) is a bug of the simulator and
/// stops the run. A part: its owner models the time. Not modelled: bad blocks, read disturb,
/// retention, ECC.
class NandArray {
  public:
    struct Config {
        std::uint32_t planes = 1; ///< of all dies
        std::uint32_t blocks = 1; ///< of a plane
        std::uint32_t pages = 1;  ///< of a block
        bool carries = false;     ///< the machine carries contents
    };
    NandArray(const Config& figures, NandArrayState& state) : figures_(figures), state_(state) {}

    void read(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
        const NandBlock* const b = state_.blocks.find(key(plane, block));
        MEMSIM_ASSERT(b && page < b->written, "an erased page is read");
    }
    void program(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
        NandBlock& b = at(plane, block);
        MEMSIM_ASSERT(page >= b.written, "a page is programmed twice without an erase");
        MEMSIM_ASSERT(page == b.written, "the pages of a block are programmed out of order");
        ++b.written;
    }
    void erase(std::uint32_t plane, std::uint32_t block) {
        NandBlock& b = at(plane, block);
        for (std::uint32_t p = 0; p < figures_.pages && figures_.carries; ++p)
            state_.contents.forget(page(plane, block, p));
        b.written = 0;
        state_.most_erases = std::max(state_.most_erases, ++b.erases);
    }
    /// Marks the first `pages` pages as written before the run.
    void written_before(std::uint32_t plane, std::uint32_t block, std::uint32_t pages) {
        NandBlock& b = at(plane, block);
        if (b.written < pages) b.written = static_cast<std::uint16_t>(pages);
    }
    const NandBlock* block(std::uint32_t plane, std::uint32_t block) const {
        return state_.blocks.find(key(plane, block));
    }
    /// Calls f(number of the block, block) for each accessed block, until it returns false.
    template <class F>
    void each_touched(F&& f) const {
        state_.blocks.all(std::forward<F>(f));
    }
    std::size_t touched() const { return state_.blocks.size(); }
    /// The key of a page in `contents`.
    std::uint64_t page(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
        return key(plane, block) * figures_.pages + page;
    }
    PageContents& contents() { return state_.contents; }
    const PageContents& contents() const { return state_.contents; }

  private:
    std::uint64_t key(std::uint32_t plane, std::uint32_t block) const {
        MEMSIM_ASSERT(plane < figures_.planes && block < figures_.blocks,
                      "a block is outside its package");
        return std::uint64_t {plane} * figures_.blocks + block;
    }
    NandBlock& at(std::uint32_t plane, std::uint32_t block) {
        return state_.blocks[key(plane, block)];
    }

    Config figures_;
    NandArrayState& state_;
};

} // namespace memsim::flash
