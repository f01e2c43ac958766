#pragma once

#include "core/kernel/stamps.hh"
#include "protocol/sectors.hh"

#include <cstdint>

/// DDR-T: how a memory controller talks to an XPoint module on the channel that it shares with
/// DRAM. XPoint's latency is not known beforehand, so the module says when data is ready, the
/// controller grants a slot of the shared channel, and then the data crosses it. Answers come out
/// of order, named by the command's id.
/// Two pairs, so that a grant never waits behind a command: Ddrt (command, ready) and
/// DdrtTransfer (grant, data). The slots themselves are booked by the controller, which owns the
/// channel; wire_bytes() is what crosses the command and signal lanes beside it.
/// After Ohm-GPU II-C and Ramanujan et al. (US 13/994,726), the paper's reference 56.
namespace memsim::protocol {

/// A swap asks the module to exchange `bytes` from `address` on with the DRAM's from `other` on
/// (SWAP-CMD, Ohm-GPU IV-B); ready then says that it is done, and a grant confirms that.
/// A write takes its data along and is sent so that it leaves when its slot ends; it is answered by
/// nothing: the module has room for what it takes out of its queue.
/// A snarf is no command of the controller's: it is what the module sees as a line of DRAM crosses
/// the channel, its tag bits and data and for which address it is read (Ohm-GPU IV-B). If that is a
/// miss and the line dirty, the module takes the line over into its register, in which the
/// controller has kept a place for it, and says so when the place is free again.
struct DdrtCommand {
    std::uint64_t address = 0; ///< in the module
    std::uint32_t bytes = 0;   ///< within one 256-byte line
    std::uint32_t id = 0;      ///< the controller's own; comes back in ready and data
    Contents::Id contents;     ///< of a write or a snarf, where a machine carries them
    bool write = false;
    bool migration = false;    ///< for statistics only
    std::uint16_t sectors = 0; ///< which of its 32-byte sectors: see protocol/sectors.hh
    std::uint16_t partial = 0; ///< those of them that a write does not cover whole
    bool snarf = false;
    bool dirty = false; ///< snarf: the line is valid and dirty
    bool swap = false;
    std::uint64_t other = 0; ///< snarf: the line's own address in the module, from its tag; swap:
                             ///< the page's in the DRAM

    static constexpr std::uint32_t largest_wire_bytes = 8;
    std::uint32_t payload() const { return protocol::payload(*this); }
    bool evicts() const { return dirty && other != address; }
    bool needs_response() const { return snarf ? evicts() : !write; }
};

/// The data of read `id` is in the module's read buffer; or the line snarfed is in its write
/// buffer; or swap `id` is done.
struct DdrtReady {
    std::uint32_t id = 0;
    bool taken = false; ///< a snarfed line

    static constexpr std::uint32_t largest_wire_bytes = 4;
};

/// Read `id` owns the channel up to `slot_end`; or the end of swap `id` is confirmed, which has no
/// answer.
struct DdrtGrant {
    std::uint32_t id = 0;
    Tick slot_end = 0;
    bool reverse = false; ///< to the DRAM; the controller's DDR monitor sees it pass
    bool confirm = false; ///< the end of a swap

    static constexpr std::uint32_t largest_wire_bytes = 4;
    bool needs_response() const { return !confirm; }
};

/// Leaves the module at the end of the slot, arrives with its last bit. Of a reverse-write: what
/// the DDR monitor has collected and the completion signal, which leaves with the last bit.
struct DdrtData {
    std::uint32_t id = 0;
    Contents::Id contents; ///< what was read, where a machine carries contents

    static constexpr std::uint32_t largest_wire_bytes = 256;
};

struct Ddrt : MessageFamily<DdrtCommand, DdrtReady> {};
struct DdrtTransfer : MessageFamily<DdrtGrant, DdrtData> {};

} // namespace memsim::protocol
