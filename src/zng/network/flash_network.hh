#pragma once

#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"
#include "core/machine/functional.hh"

/// Messages of ZnG's flash network: packets between flash controllers and packages, and the
/// requests of a garbage collector to a controller. A packet carries at most one line of 128 bytes,
/// so that links are shared fairly; a page moves as several packets.
namespace memsim::zng {

/// The stages of a request to ZnG's flash: on the network, waiting for a plane, sensing the page,
/// waiting for a register, leaving the package.
struct FlashStage {
    static inline const memsim::Stage network {"flash_network"}, plane {"plane_queue"},
        sensing {"sensing"}, reg {"register"}, out {"flash_channel"};
};

inline constexpr std::uint32_t flash_line_bytes = 128; ///< an L2 line

/// Answers: read -> data, write -> written, move -> moved, erase -> erased, extend -> extended.
/// `copy_out` and `copy_back` carry a page between two registers of a package through a
/// controller's buffer. `log_low` reports a log block with few pages left. `rest` is a line of a
/// sensed page that was not requested. In `written`, `sectors` is 1 if a register held the page
/// when the write arrived.
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

    Contents::Id contents;       ///< bytes of its line, from the line's first sector
    Stamps::Id stamps;           ///< of the first request that it carries
    std::uint32_t tag = 0;       ///< chosen by the sender; returned in the answer
    std::uint32_t block = 0;     ///< data block within the plane (erase: any block)
    std::uint32_t log_block = 0; ///< its log block, in the same plane
    /// Of a move (plane `to`) or extend (`at`): an erased block. Of log_low: number of blocks of
    /// the log block.
    std::uint32_t to_block = 0;
    std::uint32_t to_log = 0;                  ///< the log block of to_block
    std::uint32_t bytes = 0;                   ///< data bytes that it requests or carries
    std::uint16_t source = 0, destination = 0; ///< endpoints of the network
    std::uint16_t page = 0;                    ///< of the block; in log_low: pages left
    FlashPlane at, to;
    std::uint8_t line = 0;    ///< of the page
    std::uint8_t sectors = 0; ///< of the line, 32 bytes each: requested, or written
    std::uint8_t partial = 0; ///< those of `sectors` that are written in part
    PacketKind kind = PacketKind::read;

    bool carries_data() const {
        return kind == PacketKind::write || kind == PacketKind::data ||
               kind == PacketKind::copy_out || kind == PacketKind::copy_back ||
               kind == PacketKind::rest;
    }
    std::uint32_t wire_bytes() const { return header_bytes + (carries_data() ? bytes : 0); }
};

/// An untimed access to one sector of a package, through the network. `address` counts from the
/// first byte of the page.
struct FlashPacketAccess : FunctionalAccess {
    FlashPacket packet; ///< names the page and its destination
};

/// A request of a garbage collector to a flash controller. Blocks are mapped blocks, pages those of
/// a mapped block (zng/layout/address.hh). A request concerns one plane: that of `page`.
///
/// `move`: the newest version of a page (data page, log page and register merged) is programmed to
/// the same page of block `to`; a register that held part of it becomes free. Requires: `to` lies
/// in the same package, is erased before the first page, and receives its pages in ascending order
/// from 0. The next page of a plane may be requested before the previous one is answered. Once the
/// move of a page has begun, the package forwards its requests to the new place until `data` is
/// erased. Outstanding requests must therefore be answered before the erase, but not before the
/// first move (they may wait for it if their log block is full). The new log block must have a page
/// for each of them.
/// `erase`: the part of block `data` in the plane. If it was a log block, its LPMT entries are
/// removed.
/// `extend`: `log`, which equals `data`, is a log block. When it is full in the plane, its writes
/// continue in the erased block `to` of its group.
enum class CollectOp : std::uint8_t { move, erase, extend };
constexpr std::array<std::string_view, 3> names_of(CollectOp) {
    return {"move", "erase", "extend"};
}

struct CollectRequest {
    static constexpr std::uint32_t largest_wire_bytes = 20;

    std::uint32_t tag = 0;
    std::uint32_t data = 0; ///< block to move, erase or extend
    std::uint32_t log = 0;  ///< its log block
    std::uint32_t to = 0;
    std::uint32_t to_log = 0; ///< the log block of `to`
    std::uint32_t page = 0;
    CollectOp op = CollectOp::move;
};
struct CollectResponse {
    static constexpr std::uint32_t largest_wire_bytes = 8;

    std::uint32_t tag = 0;
    std::uint32_t page = 0; ///< page of the request
    CollectOp op = CollectOp::move;
};
struct Collect : MessageFamily<CollectRequest, CollectResponse> {};

/// Reports that the part of a log block in one plane has at most `log_reserve` pages left. Each
/// plane sends it once until the log block is erased or extended. When no page is left, evicted
/// pages stay in their registers until they are moved.
struct LogLow {
    static constexpr std::uint32_t largest_wire_bytes = 8;

    std::uint32_t log = 0;    ///< mapped block
    std::uint32_t data = 0;   ///< a data block that uses it
    std::uint32_t left = 0;   ///< pages left in the plane that reports
    std::uint32_t blocks = 1; ///< blocks of the log block, extensions included
};

} // namespace memsim::zng
