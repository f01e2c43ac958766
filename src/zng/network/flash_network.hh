#pragma once

#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"
#include "core/machine/functional.hh"

/// The flash network of ZnG: packets between flash controllers and packages, and what a garbage
/// collector asks of a controller. A packet is about one line of 128 bytes at most, so that links
/// are shared fairly; a page moves as several.
namespace memsim::zng {

/// The stages of a request whose line is in ZnG's flash: on the network, waiting for a plane,
/// until its page is sensed, waiting for a register, out of the package.
struct FlashStage {
    static inline const memsim::Stage network {"flash_network"}, plane {"plane_queue"},
        sensing {"sensing"}, reg {"register"}, out {"flash_channel"};
};

inline constexpr std::uint32_t flash_line_bytes = 128; ///< an L2 line

/// read -> data, write -> written, move -> moved, erase -> erased, extend -> extended. `copy_out`
/// and `copy_back` carry a page from one register of a package to another through a controller's
/// buffer. `log_low` says that a log block has few pages left. `rest` is a line of a page that was
/// read, which nobody asked for. In `written`, `sectors` is 1 if the write found its page in a
/// register at once.
enum class PacketKind : std::uint8_t {
    read,
    write,
    move,
    erase,
    extend,
    copy_back,
    data,
    written,
    moved,
    erased,
    extended,
    copy_out,
    log_low,
    rest
};
constexpr std::array<std::string_view, 14> names_of(PacketKind) {
    return {"read",    "write", "move",   "erase",    "extend",   "copy_back", "data",
            "written", "moved", "erased", "extended", "copy_out", "log_low",   "rest"};
}
constexpr bool is_answer(PacketKind k) {
    return k >= PacketKind::data && k <= PacketKind::extended;
}

/// A plane of a package.
struct FlashPlane {
    std::uint8_t die = 0, plane = 0;
    bool operator==(const FlashPlane&) const = default;
};

struct FlashPacket {
    static constexpr std::uint32_t header_bytes = 16; ///< assumption: two flits, for all kinds
    static constexpr std::uint32_t largest_wire_bytes = header_bytes + flash_line_bytes;

    Contents::Id contents;       ///< what it carries of its line, from the line's first sector
    Stamps::Id stamps;           ///< of the first request that it is for
    std::uint32_t tag = 0;       ///< the sender's own; comes back
    std::uint32_t block = 0;     ///< data block of the plane (erase: any block)
    std::uint32_t log_block = 0; ///< its log block, of the same plane
    /// Of a move (plane `to`) or extend (`at`): an erased block. Of log_low: how many blocks the
    /// log block has.
    std::uint32_t to_block = 0;
    std::uint32_t to_log = 0;                  ///< the log block of to_block
    std::uint32_t bytes = 0;                   ///< of data that it asks for or carries
    std::uint16_t source = 0, destination = 0; ///< endpoints of the network
    std::uint16_t page = 0;                    ///< of the block; in log_low: pages left
    FlashPlane at, to;
    std::uint8_t line = 0;    ///< of the page
    std::uint8_t sectors = 0; ///< of the line, 32 bytes each: asked for, or written whole
    std::uint8_t partial = 0; ///< of them, those written in part (a bit here excludes one there)
    PacketKind kind = PacketKind::read;

    bool carries_data() const {
        return kind == PacketKind::write || kind == PacketKind::data ||
               kind == PacketKind::copy_out || kind == PacketKind::copy_back ||
               kind == PacketKind::rest;
    }
    std::uint32_t wire_bytes() const { return header_bytes + (carries_data() ? bytes : 0); }
};

/// An untimed look at one sector of a package, through the network. `address` counts from the
/// page's first byte.
struct FlashPacketAccess : FunctionalAccess {
    FlashPacket packet; ///< names the page, and where it goes
};

/// What a garbage collector asks of a flash controller. Blocks are mapped blocks, pages those of a
/// mapped block (see zng/layout/address.hh). A request is for one plane: that of `page`.
/// `move`: the newest version of a page (data page, log page and register merged) is programmed to
/// the same page of block `to`, and the register, if it held some of it, is empty then. `to` lies
/// in the same package, is erased before the first page, and takes its pages in order, from 0:
/// the next page of a plane may be asked for before the one before is answered. Once the move of a
/// page has begun, the package forwards what comes for it to its new place, until `data` is erased:
/// so requests under way need not be answered before the first move (and may wait for it, if their
/// log block is full), but must be before the erase. The new log block must have a page for each of
/// them. `erase`: the part of block `data` in the plane; what its LPMT says, if it was a log block,
/// is forgotten. `extend`: when log block `log`, which is `data` too, is full in the plane, its
/// writes there continue in the erased block `to` of its group.
enum class CollectOp : std::uint8_t { move, erase, extend };
constexpr std::array<std::string_view, 3> names_of(CollectOp) {
    return {"move", "erase", "extend"};
}

struct CollectRequest {
    static constexpr std::uint32_t largest_wire_bytes = 20;

    std::uint32_t tag = 0;
    std::uint32_t data = 0; ///< block that is moved, erased or extended
    std::uint32_t log = 0;  ///< its log block
    std::uint32_t to = 0;
    std::uint32_t to_log = 0; ///< the log block of `to`
    std::uint32_t page = 0;
    CollectOp op = CollectOp::move;
};
struct CollectResponse {
    static constexpr std::uint32_t largest_wire_bytes = 8;

    std::uint32_t tag = 0;
    std::uint32_t page = 0; ///< of the request
    CollectOp op = CollectOp::move;
};
struct Collect : MessageFamily<CollectRequest, CollectResponse> {};

/// The part of a log block in one plane has no more than a package's `log_reserve` pages left: sent
/// once by each plane until the log block is erased or extended. Pages that are evicted for it when
/// none is left stay in their registers until they are moved.
struct LogLow {
    static constexpr std::uint32_t largest_wire_bytes = 8;

    std::uint32_t log = 0;    ///< mapped block
    std::uint32_t data = 0;   ///< a data block that uses it
    std::uint32_t left = 0;   ///< pages, in the plane that reports it
    std::uint32_t blocks = 1; ///< that the log block has, extensions included
};

} // namespace memsim::zng
