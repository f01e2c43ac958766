#pragma once

#include "core/kernel/stamps.hh"
#include "protocol/sectors.hh"

#include <cstdint>

/// DDR-T: the protocol between a memory controller and an XPoint module on the channel that it
/// shares with DRAM. XPoint's latency is unknown in advance, so the module reports when data are
/// ready, the controller grants a slot of the shared channel, and the data are then transferred.
/// Responses may be out of order; they are identified by the command's id. Two message pairs, so
/// that a grant never waits behind a command: Ddrt (command, ready) and DdrtTransfer (grant, data).
/// The controller owns the channel and books the slots; wire_bytes() counts the traffic on the
/// separate command and signal lanes. After Ohm-GPU II-C and Ramanujan et al. (US 13/994,726), the
/// paper's reference 56.
namespace memsim::protocol {

/// A swap exchanges `bytes` of the module from `address` on with the DRAM's from `other` on
/// (SWAP-CMD, Ohm-GPU IV-B); ready then reports the end, and a grant confirms it. A write carries
/// its data, is sent so that it leaves at the end of its slot, and has no response: the module has
/// space for all writes that it removes from its queue. A snarf is not a command of the controller:
/// it represents what the module observes when a line of DRAM crosses the channel, namely its tag
/// bits, its data and the requested address (Ohm-GPU IV-B). If the access is a miss and the line is
/// dirty, the module stores the line in its register, and reports when the place is free again. The
/// controller has reserved the place before.
struct DdrtCommand {
    std::uint64_t address = 0; ///< in the module
    std::uint32_t bytes = 0;   ///< within one 256-byte line
    std::uint32_t id = 0;      ///< chosen by the controller, returned in ready and data
    Contents::Id contents;     ///< of a write or a snarf, if the machine carries contents
    bool write = false;
    bool migration = false;    ///< for statistics only
    std::uint16_t sectors = 0; ///< mask of 32-byte sectors: see protocol/sectors.hh
    std::uint16_t partial = 0; ///< sectors that a write covers partly
    bool snarf = false;
    bool dirty = false; ///< snarf: the line is valid and dirty
    bool swap = false;
    std::uint64_t other = 0; ///< snarf: the line's own address in the module, from its tag; swap:
                             ///< the page's address in the DRAM

    static constexpr std::uint32_t largest_wire_bytes = 8;
    std::uint32_t payload() const { return protocol::payload(*this); }
    bool evicts() const { return dirty && other != address; }
    bool needs_response() const { return snarf ? evicts() : !write; }
};

/// The data of read `id` are in the module's read buffer; or the snarfed line is in its write
/// buffer; or swap `id` is complete.
struct DdrtReady {
    std::uint32_t id = 0;
    bool taken = false; ///< a snarfed line

    static constexpr std::uint32_t largest_wire_bytes = 4;
};

/// Read `id` owns the channel up to `slot_end`; or the end of swap `id` is confirmed, which has no
/// response.
struct DdrtGrant {
    std::uint32_t id = 0;
    Tick slot_end = 0;
    bool reverse = false; ///< to the DRAM; the controller's DDR monitor snarfs it
    bool confirm = false; ///< the end of a swap

    static constexpr std::uint32_t largest_wire_bytes = 4;
    bool needs_response() const { return !confirm; }
};

/// Leaves the module at the end of the slot, and arrives with its last bit. For a reverse-write:
/// the data collected by the DDR monitor, with the completion signal, which leaves with the last
/// bit.
struct DdrtData {
    std::uint32_t id = 0;
    Contents::Id contents; ///< data read, if the machine carries contents

    static constexpr std::uint32_t largest_wire_bytes = 256;
};

struct Ddrt : MessageFamily<DdrtCommand, DdrtReady> {};
struct DdrtTransfer : MessageFamily<DdrtGrant, DdrtData> {};

} // namespace memsim::protocol
