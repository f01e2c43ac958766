#pragma once

#include "core/kernel/component.hh"
#include "ohm/planar/placement.hh"
#include "parts/deferred_writes.hh"
#include "parts/named.hh"
#include "parts/sector_store.hh"
#include "protocol/mem.hh"

#include <bit>

namespace memsim::ohm {

using namespace memsim::literals;

/// What a page that the controller copies keeps from requests.
enum class SwapHold : std::uint8_t {
    nothing,   ///< they have what the copy leaves of the channel
    channel,   ///< they are issued to XPoint, but none of their data cross (Ohm-GPU III-B)
    controller ///< none is issued (Ohm-GPU IV-B: the controller is unavailable)
};
constexpr std::array<std::string_view, 3> names_of(SwapHold) {
    return {"nothing", "channel", "controller"};
}

/// What a memory controller is told about swaps of pages.
struct SwapParams {
    using group = void;
    Param<unsigned> hot_threshold {6,
                                   {1, 60000},
                                   "Competing counter at which a page is hot",
                                   cited("PoM, MICRO'14; range 1-48")};
    Param<unsigned> swaps {4, {0, 64}, "Swaps under way at most; 0: no migration", assumed()};
    Param<Bytes> swap_buffer {
        16_KiB, {0_B, 1_MiB}, "Holds two pages for each swap", assumed("4 x 2 x 2 KiB")};
    Param<bool> buffer_reads {true, "Reads are served from the swap buffer",
                              assumed("the paper is silent")};
    Param<Time> swap_patience {1_us,
                               {0_fs, 1_s},
                               "Age from which a swap goes before demand",
                               assumed("no source gives it; range 0-10 us"),
                               Change::tunable};
    Param<SwapHold> swap_hold {SwapHold::nothing,
                               "What a page that the controller copies keeps from requests: the "
                               "channel (Ohm-GPU III-B), or all of the controller",
                               stated("Ohm-GPU IV-B")};
    Param<unsigned> held_reads {32,
                                {0, 1024},
                                "Reads issued to a module while the channel is held, at most; and "
                                "half of its loads and of its read buffer, as copies need the rest",
                                assumed("no source gives it; range 0-32")};
    Param<bool> auto_rw {false, "XPoint snarfs what swaps read from DRAM", stated("Ohm-GPU IV-B")};
    Param<bool> swap_function {false, "XPoint swaps pages by itself, over the memory route",
                               stated("Ohm-GPU IV-B")};
    Param<bool> behind_writes {false,
                               "Swaps over the memory route are begun when writes are served",
                               stated("Ohm-GPU VI-A"), Change::tunable};
    Param<Bytes> swap_command {16_B,
                               {1_B, 256_B},
                               "SWAP-CMD on the channel",
                               assumed("two addresses of 6 bytes, size, number")};

    /// Reads and writes of the DRAM by all swaps at once.
    unsigned accesses() const { return 2 * 16 * std::max(swaps(), 1u); }
};

struct SwapStats {
    using group = void;
    Counter swaps {Unit::count, "Swaps completed"};
    Counter swaps_postponed {Unit::count, "Hot accesses that found every swap buffer in use"};
    Distribution swap_latency {Unit::time, "A swap, from the decision to its end"};
    Distribution command_latency {Unit::time,
                                  "A swap by the swap function, from SWAP-CMD's end to ready"};
    ElapsedTime hold_time {"Time in which a copied page kept requests back (swap_hold)"};
    Counter snarfed {Unit::byte, "Bytes that XPoint snarfed instead of getting them"};
};

/// A hot page of XPoint and the DRAM page of its group change places.
struct Swap {
    static constexpr std::uint32_t piece_bytes =
        256; ///< an XPoint line: unit of a swap's transfers
    static constexpr std::uint32_t most_pieces = 16;
    using Mask = std::uint16_t; ///< a bit a piece
    enum class Phase : std::uint8_t {
        decided, ///< not begun: its pages are served where they are
        quiet,   ///< waits until its pages are still; the controller's own copying stays here
        preset,  ///< of the bank
        command, ///< waits for the channel
        ordered, ///< SWAP-CMD has its slot
        ready,   ///< XPoint is done
    };
    std::uint64_t group = 0;
    std::uint32_t waits_for = 0; ///< requests under way to its pages
    std::uint32_t postponed_writes = 0;
    std::uint32_t postponed = 0; ///< requests that wait for it, those writes included
    std::uint8_t slot_in = 0, slot_out = 0;
    std::uint8_t location = 0; ///< of slot_in, in XPoint
    std::uint8_t module = 0;   ///< that has it
    bool live = false;
    Phase phase = Phase::quiet;
    std::uint32_t bank = 0, row = 0; ///< of the DRAM page
    Tick decided = 0;
    Tick ordered = 0; ///< SWAP-CMD has been sent
    Mask dram_read_asked = 0, xpoint_read_asked = 0;
    Mask dram_read = 0, xpoint_read = 0;
    Mask dram_written = 0; ///< with the scheduler, which serves reads of it
    Mask xpoint_write_asked = 0, xpoint_written = 0;

    /// Requests to this slot wait for it.
    bool moves(std::uint64_t slot) const {
        return live && phase != Phase::decided && (slot == slot_in || slot == slot_out);
    }
    /// Whether the buffer has the piece at this offset of the slot's page.
    bool has(std::uint64_t slot, std::uint32_t offset) const {
        return (slot == slot_in ? xpoint_read : dram_read) >> offset / piece_bytes & 1;
    }
    /// Pieces whose place in XPoint has been read, as has what goes there.
    unsigned pieces_to_xpoint() const { return dram_read & xpoint_read & ~xpoint_write_asked; }
    const char* doing() const;
};

struct PageSwapsState {
    GroupTable groups;
    std::vector<Swap> swaps;
    std::uint64_t live = 0;         ///< a bit each
    Tick held_since = never;        ///< no requests are issued
    parts::SectorStore buffer;      ///< of each swap the page of XPoint, then that of DRAM
    parts::DeferredWrites deferred; ///< to pages that are being swapped, by their groups
};

/// The mapping table of a planar controller, the swaps under way, and the buffer that their pages
/// go through. Who moves the data is another's matter (ohm/planar/copy_swaps.hh,
/// ohm/planar/function_swaps.hh).
class PageSwaps {
  public:
    /// All outlive it.
    PageSwaps(const SwapParams& params, SwapStats& stats, PageSwapsState& state,
              const Placement& placement, Contents& contents)
        : params_(params), stats_(stats), state_(state), placement_(placement),
          contents_(contents) {}
    void init() {
        state_.swaps.resize(params_.swaps());
        all_ = static_cast<Swap::Mask>((1u << placement_.page_bytes / Swap::piece_bytes) - 1);
    }

    GroupTable& groups() { return state_.groups; }
    std::vector<Swap>& all() { return state_.swaps; }
    std::uint64_t live() const { return state_.live; }
    Swap& operator[](std::size_t i) { return state_.swaps[i]; }
    /// The swap of a group that is decided or under way, or nullptr.
    Swap* of_group(const Group* g) {
        return g && g->swap != Group::none ? &state_.swaps[g->swap] : nullptr;
    }

    /// Ids above this one name a piece of a swap: swap x 16 + piece.
    static constexpr std::uint32_t migration_id = 1u << 31;
    std::uint8_t number(const Swap& s) const {
        return static_cast<std::uint8_t>(&s - state_.swaps.data());
    }
    std::uint32_t id_of(const Swap& s) const {
        return migration_id | std::uint32_t {number(s)} << 4;
    }
    Swap& of(std::uint32_t id) { return parts::named(state_.swaps, id >> 4 & 0xff); }
    const Swap& of(std::uint32_t id) const { return parts::named(state_.swaps, id >> 4 & 0xff); }

    /// Whether no request may be issued from now on.
    void hold(bool on, Tick now) {
        if (on == held()) return;
        on ? stats_.hold_time.begin(now) : stats_.hold_time.end(state_.held_since, now);
        state_.held_since = on ? now : never;
    }
    bool held() const { return state_.held_since != never; }

    Tick old_at(const Swap& s) const { return s.decided + params_.swap_patience->raw; }
    bool old(const Swap& s, Tick now) const { return now >= old_at(s); }
    Swap::Mask all_pieces() const { return all_; }
    bool copied(const Swap& s) const { return s.dram_written == all_ && s.xpoint_written == all_; }

    /// Counts an access to a page of a group, if it is known, none of whose pages is being swapped.
    /// The swap that is decided upon by it, or nullptr.
    Swap* access(const Placement::Page& p, Group* g, Tick now);
    /// Decides upon a swap of the group's candidate; nullptr if every buffer is in use.
    Swap* decide(std::uint64_t group, Group& g, Tick now);
    /// It is over: both pages are at their new places.
    void end(Swap& s, Tick now);

    // The buffer's pages: the one from XPoint, the one from DRAM.
    void put(const Swap& s, bool from_dram, unsigned piece, Contents::Id id) {
        state_.buffer.replace(contents_, sector(s, from_dram, piece * Swap::piece_bytes), id);
    }
    Contents::Id take_out(const Swap& s, bool from_dram, unsigned piece) const {
        if (!contents_.enabled()) return {};
        return state_.buffer.take_out(contents_, sector(s, from_dram, piece * Swap::piece_bytes),
                                      Swap::piece_bytes / SectorBytes::size);
    }
    /// What a read of a page gets from it.
    Contents::Id read(const Swap& s, std::uint8_t slot, std::uint32_t offset,
                      protocol::MemRequest r) const {
        if (!contents_.enabled()) return {};
        r.address =
            sector(s, slot == s.slot_out, offset) * SectorBytes::size + offset % SectorBytes::size;
        return state_.buffer.read(contents_, r);
    }
    /// A look at a page that moves; true if the buffer has it, else it is where it was. What is
    /// copied in goes to where the page is now, and again to where it is when the swap is over:
    /// some of it may have gone already.
    bool functional(const Swap& s, std::uint8_t slot, std::uint32_t offset,
                    FunctionalAccess& access);
    parts::DeferredWrites& deferred() { return state_.deferred; }

    void check_loaded(Loader& l, unsigned slots, unsigned modules, std::size_t banks) const;
    void waits_on(const std::string& path, WaitReport& report) const;

  private:
    std::uint64_t sector(const Swap& s, bool from_dram, std::uint32_t offset) const {
        const std::uint64_t page = 2u * number(s) + from_dram;
        return (page * placement_.page_bytes + offset) / SectorBytes::size;
    }

    const SwapParams& params_;
    SwapStats& stats_;
    PageSwapsState& state_;
    const Placement& placement_;
    Contents& contents_;
    Swap::Mask all_ = 0;
};

} // namespace memsim::ohm
