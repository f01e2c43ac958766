#pragma once

#include "core/kernel/port.hh"
#include "core/kernel/stamps.hh"
#include "core/machine/functional.hh"

#include <optional>

/// Flash commands on two levels: requests of a flash controller to a channel (a page to read or
/// program, a block to erase), and commands on the wires to one package (its array and its
/// registers).
namespace memsim::protocol {

enum class FlashOp : std::uint8_t { read, program, erase };
constexpr std::array<std::string_view, 3> names_of(FlashOp) { return {"read", "program", "erase"}; }

/// A page of one channel; a block for an erase.
struct FlashPlace {
    std::uint32_t block = 0; ///< of the plane
    std::uint16_t page = 0;  ///< of the block
    std::uint16_t package = 0;
    std::uint8_t die = 0;
    std::uint8_t plane = 0;
    bool operator==(const FlashPlace&) const = default;
};

/// Reads of one class are served in order; lower classes precede higher ones.
enum class FlashClass : std::uint8_t { mapping, urgent, normal, background };
inline constexpr unsigned flash_classes = 4;

struct FlashRequest {
    static constexpr std::uint32_t largest_wire_bytes = 16;

    FlashPlace place;
    Contents::Id contents;   ///< of a program: contents of the page from its first sector
    std::uint32_t bytes = 0; ///< transferred over the channel; may be part of a page
    std::uint32_t tag = 0;   ///< chosen by the sender, returned in the response
    /// Pages of this block, from its first, written before the run. The package applies it at the
    /// first access to the block. For preconditioning; 0 for an erased block.
    std::uint16_t written_before = 0;
    FlashOp op = FlashOp::read;
    FlashClass urgency = FlashClass::normal;
    bool behind_collection = false; ///< a block of its plane is being collected
    /// The request moves a page of a collected block, or finally erases the block; other programs
    /// of its package wait meanwhile. `begins`: it is the first of the collection.
    bool collects = false, begins = false;
    Stamps::Id stamps {}; ///< of a read: those of a request that waits for it
};

/// The data were sent, or the array operation is complete.
struct FlashResponse {
    static constexpr std::uint32_t largest_wire_bytes = 8;

    Contents::Id contents; ///< of a read: contents of the page from its first sector
    std::uint32_t tag = 0;
    FlashOp op = FlashOp::read;
};

struct Flash : MessageFamily<FlashRequest, FlashResponse> {};

/// One command at a package's pins, received after its last cycle (for a program: after its last
/// byte of data). Commands for planes that work together follow one another; all but the last have
/// `more` set (ONFI's multi-plane commands). `sense` reads a page from the array into a register,
/// `program` writes a register's page to the array. The sender models the transfer of data over the
/// pins.
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

    Contents::Id contents; ///< contents of the sensed page
    std::uint8_t die = 0;
    std::uint8_t plane = 0;
    std::uint8_t reg = 0;
    FlashOp op = FlashOp::read;
};

struct NandBus : MessageFamily<NandCommand, NandReady> {};

/// Times of the arrays behind a channel, averaged over the pages of a block.
struct FlashTimes {
    Tick read = 0, program = 0, erase = 0;
};
/// Implemented by channels and packages, for components that need these times.
class HasFlashTimes {
  public:
    static constexpr bool constant = true;
    virtual ~HasFlashTimes() = default;
    virtual FlashTimes flash_times() const = 0;
};

/// The geometry of the flash behind a channel, as claimed by a component: each value is per unit of
/// the previous one. 0: not claimed.
struct FlashGeometry {
    std::uint32_t packages = 0, dies = 0, planes = 0, blocks = 0, pages = 0;
    std::uint32_t registers = 0; ///< per plane
    std::optional<bool> independent_planes;
    bool suspends_erases = false; ///< for reads: of packages
};
/// Implemented by channels and packages. Components that address the same pages must claim equal
/// values; a channel uses at most as many registers as there are.
class HasFlashGeometry {
  public:
    static constexpr bool constant = true;
    virtual ~HasFlashGeometry() = default;
    /// Available before init().
    virtual FlashGeometry flash_geometry() const = 0;
};
/// Refuses a component behind a port whose geometry differs from that of the port's owner.
void check_flash_geometry(const PortBase& mine, const FlashGeometry& stated);

/// A functional access to a page, at ports of these two families. `address` counts from the page's
/// first byte.
struct FlashAccess : FunctionalAccess {
    FlashPlace place;
};

} // namespace memsim::protocol
