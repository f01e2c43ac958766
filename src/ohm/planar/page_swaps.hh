#pragma once

#include "core/base/bits.hh"
#include "core/kernel/component.hh"
#include "device_parts/deferred_writes.hh"
#include "device_parts/named.hh"
#include "device_parts/sector_store.hh"
#include "ohm/planar/placement.hh"
#include "protocol/mem.hh"

#include <bit>

namespace memsim::ohm {

using namespace memsim::literals;

/// What requests must wait for while the controller copies a page.
enum class SwapHold : std::uint8_t {
    nothing,   ///< they use the channel time that the copy leaves
    channel,   ///< they are issued to XPoint, but their data do not cross (Ohm-GPU III-B)
    controller ///< none is issued (Ohm-GPU IV-B: the controller is unavailable)
};
constexpr std::array<std::string_view, 3> names_of(SwapHold) {
    return {"nothing", "channel", "controller"};
}

/// Parameters of page swaps.
struct SwapParams {
    using group = void;
    Param<unsigned> hot_threshold {
        6,
        {1, 60000},
        "Competing counter at which a page is hot",
        assumed("a threshold of PoM's kind (Sim et al., MICRO'14; not looked up); range 1 to 48")};
    Param<unsigned> swaps {4, {0, 64}, "Concurrent swaps (0: no migration)", assumed()};
    Param<Bytes> swap_buffer {16_KiB,
                              {0_B, 1_MiB},
                              "Bytes of the swap buffer, which holds two pages per swap",
                              assumed("4 x 2 x 2 KiB")};
    Param<bool> buffer_reads {true, "Serve reads from the swap buffer",
                              assumed("the paper is silent")};
    Param<Time> swap_patience {1_us,
                               {0_fs, 1_s},
                               "Age above which a swap precedes demand",
                               assumed("no source gives it; range 0-10 us"),
                               Change::tunable};
    Param<SwapHold> swap_hold {
        SwapHold::nothing,
        "Resource that a page copy by the controller withholds from requests: the "
        "channel (Ohm-GPU III-B) or the whole controller",
        stated("Ohm-GPU IV-B")};
    Param<unsigned> held_reads {
        32,
        {0, 1024},
        "Reads issued to a module while the channel is held; at most "
        "half of its loads and of its read buffer, because copies need the rest",
        assumed("no source gives it; range 0-32")};
    Param<bool> auto_rw {false, "XPoint snarfs data that swaps read from DRAM",
                         stated("Ohm-GPU IV-B")};
    Param<bool> swap_function {false, "XPoint swaps pages over the memory route",
                               stated("Ohm-GPU IV-B")};
    Param<bool> behind_writes {false, "Begin swaps over the memory route while writes are served",
                               stated("Ohm-GPU VI-A"), Change::tunable};
    Param<Bytes> swap_command {16_B,
                               {1_B, 256_B},
                               "Bytes of SWAP-CMD on the channel",
                               assumed("two addresses of 6 bytes, size, number")};

    /// DRAM reads and writes of all concurrent swaps.
    unsigned accesses() const { return 2 * 16 * std::max(swaps(), 1u); }
};

struct SwapStats {
    using group = void;
    Counter swaps {Unit::count, "Swaps completed"};
    Counter swaps_postponed {Unit::count, "Hot accesses while all swap buffers were in use"};
    Distribution swap_latency {Unit::time, "Time of a swap from the decision to its end"};
    Distribution command_latency {
        Unit::time, "Time of a swap by the swap function from the end of SWAP-CMD to ready"};
    ElapsedTime hold_time {"Time during which a page copy delayed requests (swap_hold)"};
    Counter snarfed {Unit::byte, "Bytes that XPoint snarfed instead of receiving them"};
};

/// The exchange of a hot XPoint page with the DRAM page of its group.
struct Swap {
    static constexpr std::uint32_t piece_bytes =
        256; ///< an XPoint line, the unit of a swap's transfers
    static constexpr std::uint32_t most_pieces = 16;
    using Mask = std::uint16_t; ///< one bit per piece
    enum class Phase : std::uint8_t {
        decided, ///< not begun: its pages are served at their present place
        quiet,   ///< waits until its pages are idle; a copy by the controller stays in this phase
        preset,  ///< waits for the bank's row
        command, ///< waits for the channel
        ordered, ///< SWAP-CMD has its slot
        ready,   ///< XPoint is done
    };
    std::uint64_t group = 0;
    std::uint32_t waits_for = 0; ///< outstanding requests to its pages
    std::uint32_t postponed_writes = 0;
    std::uint32_t postponed = 0; ///< requests that wait for the swap
    std::uint8_t slot_in = 0, slot_out = 0;
    std::uint8_t location = 0; ///< of slot_in, within XPoint
    std::uint8_t module = 0;   ///< that holds it
    bool live = false;
    Phase phase = Phase::quiet;
    std::uint32_t bank = 0, row = 0; ///< of the DRAM page
    Tick decided = 0;
    Tick ordered = 0; ///< time at which SWAP-CMD was sent
    Mask dram_read_asked = 0, xpoint_read_asked = 0;
    Mask dram_read = 0, xpoint_read = 0;
    Mask dram_written = 0; ///< in the scheduler, which serves reads of them
    Mask xpoint_write_asked = 0, xpoint_written = 0;

    /// Whether requests to this slot wait for the swap.
    bool moves(std::uint64_t slot) const {
        return live && phase != Phase::decided && (slot == slot_in || slot == slot_out);
    }
    /// Whether the buffer holds the piece at this offset of the slot's page.
    bool has(std::uint64_t slot, std::uint32_t offset) const {
        return (slot == slot_in ? xpoint_read : dram_read) >> offset / piece_bytes & 1;
    }
    /// Pieces whose XPoint place has been read and whose new data is present.
    unsigned pieces_to_xpoint() const { return dram_read & xpoint_read & ~xpoint_write_asked; }
    const char* doing() const;
};

struct PageSwapsState {
    GroupTable groups;
    std::vector<Swap> swaps;
    std::uint64_t live = 0;                ///< one bit per swap
    Tick held_since = never;               ///< no requests are issued since then
    device_parts::SectorStore buffer;      ///< by swap: the XPoint page, followed by the DRAM page
    device_parts::DeferredWrites deferred; ///< to pages being swapped, by group
};

/// The mapping table of a planar controller, its swaps and the buffer for their pages. The data is
/// moved by ohm/planar/copy_swaps.hh or ohm/planar/function_swaps.hh.
class PageSwaps {
  public:
    /// All references must outlive the object.
    PageSwaps(const SwapParams& params, SwapStats& stats, PageSwapsState& state,
              const Placement& placement, Contents& contents)
        : params_(params), stats_(stats), state_(state), placement_(placement),
          contents_(contents) {}
    /// Refuses pages that are not whole pieces, and too small a buffer.
    static void check(const Component& controller, const SwapParams& params, Bytes page);
    void init() {
        state_.swaps.resize(params_.swaps());
        all_ = low_bits<Swap::Mask>(placement_.page_bytes / Swap::piece_bytes);
    }

    GroupTable& groups() { return state_.groups; }
    std::vector<Swap>& all() { return state_.swaps; }
    std::uint64_t live() const { return state_.live; }
    Swap& operator[](std::size_t i) { return state_.swaps[i]; }
    /// The swap of a group, decided or in progress, or nullptr.
    Swap* of_group(const Group* g) {
        return g && g->swap != Group::none ? &state_.swaps[g->swap] : nullptr;
    }

    /// Larger ids name a piece of a swap: swap x 16 + piece.
    static constexpr std::uint32_t migration_id = 1u << 31;
    std::uint8_t number(const Swap& s) const {
        return static_cast<std::uint8_t>(&s - state_.swaps.data());
    }
    std::uint32_t id_of(const Swap& s) const {
        return migration_id | std::uint32_t {number(s)} << 4;
    }
    Swap& of(std::uint32_t id) { return device_parts::named(state_.swaps, id >> 4 & 0xff); }
    const Swap& of(std::uint32_t id) const {
        return device_parts::named(state_.swaps, id >> 4 & 0xff);
    }

    /// Starts or ends a time during which no request is issued.
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

    /// Counts an access to a page of a known group without a swap. Returns the swap that this
    /// decides, or nullptr.
    Swap* access(const Placement::Page& p, Group* g, Tick now);
    /// Decides a swap of the group's candidate. Returns nullptr if all buffers are in use.
    Swap* decide(std::uint64_t group, Group& g, Tick now);
    /// Ends a swap: both pages are at their new places.
    void end(Swap& s, Tick now);

    // The pages in the buffer: the one from XPoint and the one from DRAM.
    void put(const Swap& s, bool from_dram, unsigned piece, Contents::Id id) {
        state_.buffer.replace(contents_, sector(s, from_dram, piece * Swap::piece_bytes), id);
    }
    Contents::Id take_out(const Swap& s, bool from_dram, unsigned piece) const {
        if (!contents_.enabled()) return {};
        return state_.buffer.take_out(contents_, sector(s, from_dram, piece * Swap::piece_bytes),
                                      Swap::piece_bytes / SectorBytes::size);
    }
    /// The data that a read of a page receives from the buffer.
    Contents::Id read(const Swap& s, std::uint8_t slot, std::uint32_t offset,
                      protocol::MemRequest r) const {
        if (!contents_.enabled()) return {};
        r.address =
            sector(s, slot == s.slot_out, offset) * SectorBytes::size + offset % SectorBytes::size;
        return state_.buffer.read(contents_, r);
    }
    /// A functional access to a page being swapped. Returns true if the buffer holds it; otherwise
    /// the data is at its old place. A write goes to the present place, and is repeated at the new
    /// place when the swap ends, because pieces may have been moved already.
    bool functional(const Swap& s, std::uint8_t slot, std::uint32_t offset,
                    FunctionalAccess& access);
    device_parts::DeferredWrites& deferred() { return state_.deferred; }

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
