#pragma once

#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"
#include "core/machine/functional.hh"

#include <optional>

/// Flash commands, on two levels: what a flash controller asks of a channel (a page to read or to
/// program, a block to erase), and what goes over the wires to one package (its array and its
/// registers).
namespace memsim::protocol {

enum class FlashOp : std::uint8_t { read, program, erase };
constexpr std::array<std::string_view, 3> names_of(FlashOp) { return {"read", "program", "erase"}; }

/// A page of one channel; for an erase its block.
struct FlashPlace {
    std::uint32_t block = 0; ///< of the plane
    std::uint16_t page = 0;  ///< of the block
    std::uint16_t package = 0;
    std::uint8_t die = 0;
    std::uint8_t plane = 0;
    bool operator==(const FlashPlace&) const = default;
};

/// Reads of one class are served in their order, those of a lower class first.
enum class FlashClass : std::uint8_t { mapping, urgent, normal, background };
inline constexpr unsigned flash_classes = 4;

struct FlashRequest {
    static constexpr std::uint32_t largest_wire_bytes = 16;

    FlashPlace place;
    Contents::Id contents;   ///< of a program: what its page holds, from the page's first sector
    std::uint32_t bytes = 0; ///< that go over the channel: a part of a page will do
    std::uint32_t tag = 0;   ///< the sender's own; comes back
    /// Pages of this block, from its first, that were written before the run began: the package
    /// takes it from there when it meets the block. For preconditioning; 0 for an erased block.
    std::uint16_t written_before = 0;
    FlashOp op = FlashOp::read;
    FlashClass urgency = FlashClass::normal;
    bool behind_collection = false; ///< a block of its plane is being collected
    /// It moves a page of a block that is collected, or at last erases it, and other programs of
    /// its package wait meanwhile; `begins`: it is the first that does.
    bool collects = false, begins = false;
    Stamps::Id stamps {}; ///< of a read, of a request that waits for it
};

/// The data have been sent, or the array has done its work.
struct FlashResponse {
    static constexpr std::uint32_t largest_wire_bytes = 8;

    Contents::Id contents; ///< of a read: what the page holds, from its first sector
    std::uint32_t tag = 0;
    FlashOp op = FlashOp::read;
};

struct Flash : MessageFamily<FlashRequest, FlashResponse> {};

/// One command at a package's pins, seen when its last cycle is over (for a program: its last byte
/// of data). Planes that shall work together are named one after another; all but the last have
/// `more` set (ONFI's multi-plane commands).
/// `sense` takes a page from the array into a register, `program` a register's page to the array.
/// Data cross the pins apart from this: whoever sends commands accounts for that.
struct NandCommand {
    static constexpr std::uint32_t largest_wire_bytes = 8;

    FlashPlace place;
    Contents::Id contents; ///< of a program
    std::uint16_t written_before = 0;
    std::uint8_t reg = 0; ///< register of the plane
    FlashOp op = FlashOp::read;
    bool more = false;
};

/// Ready/busy has risen for this plane.
struct NandReady {
    static constexpr std::uint32_t largest_wire_bytes = 1;

    Contents::Id contents; ///< what was sensed
    std::uint8_t die = 0;
    std::uint8_t plane = 0;
    std::uint8_t reg = 0;
    FlashOp op = FlashOp::read;
};

struct NandBus : MessageFamily<NandCommand, NandReady> {};

/// What the arrays behind a channel take, on average of a block's pages.
struct FlashTimes {
    Tick read = 0, program = 0, erase = 0;
};
/// Implemented by channels and packages, for who plans with these times.
class HasFlashTimes {
  public:
    virtual ~HasFlashTimes() = default;
    virtual FlashTimes flash_times() const = 0;
};

/// What a component states of the flash behind a channel: each figure is a number for each of the
/// figure before. 0: it does not state the figure.
struct FlashGeometry {
    std::uint32_t packages = 0, dies = 0, planes = 0, blocks = 0, pages = 0;
    std::uint32_t registers = 0; ///< of a plane
    std::optional<bool> independent_planes;
};
/// Implemented by channels and packages. Components that name the same pages state equal figures; a
/// channel uses at most as many registers as there are.
class HasFlashGeometry {
  public:
    virtual ~HasFlashGeometry() = default;
    /// Known before init().
    virtual FlashGeometry flash_geometry() const = 0;
};
/// Refuses a component behind a port that contradicts what the port's owner states.
void check_flash_geometry(const PortBase& mine, const FlashGeometry& stated);

/// An untimed look at a page: what comes to ports of these two families. `address` counts from the
/// page's first byte.
struct FlashAccess : FunctionalAccess {
    FlashPlace place;
};

} // namespace memsim::protocol
