#pragma once

#include "core/kernel/port.hh"
#include "program/kernel_source.hh"

#include <memory>

/// How kernels come to the SMs: the dispatcher asks the host's application for a stream's next
/// launch and hands its blocks to SMs. The messages carry what takes time; what blocks do is taken
/// directly from the functional side (design: function is apart from timing).
namespace memsim::protocol {

struct LaunchRequest {
    std::uint32_t stream = 0; ///< of the application, whose next launch is asked for

    static constexpr std::uint32_t largest_wire_bytes = 0;
    std::uint32_t wire_bytes() const { return 0; }
};

struct LaunchReply {
    bool ended = false;       ///< the stream has no further launch
    std::uint32_t stream = 0; ///< of the application
    std::uint32_t launch = 0; ///< its number in the application, from 1
    std::uint32_t blocks = 0;
    std::uint32_t threads_per_block = 0;
    std::uint32_t registers_per_thread = 0;
    std::uint32_t shared_bytes = 0;

    static constexpr std::uint32_t largest_wire_bytes = 0;
    std::uint32_t wire_bytes() const { return 0; }
};

/// Between a host's application (responder) and the dispatcher.
struct Launches : MessageFamily<LaunchRequest, LaunchReply> {};

struct BlockStart {
    std::uint64_t base = 0; ///< added to the application's addresses
    std::uint32_t launch = 0;
    std::uint32_t block = 0;
    std::uint32_t warps = 0;
    std::uint32_t stores_before =
        0; ///< by which its stores' numbers begin in the application's order
    std::uint16_t application = 0;
    std::uint32_t local_warp = 0; ///< from a warp slot's row of local memory to the next slot's
    std::uint32_t local_row = 0;  ///< from a row to its warp's next one
    std::uint64_t local = 0;      ///< where that of this SM's first warp slot begins

    static constexpr std::uint32_t largest_wire_bytes = 0;
    std::uint32_t wire_bytes() const { return 0; }
};

struct BlockEnd {
    std::uint32_t launch = 0;
    std::uint32_t block = 0;
    std::uint16_t application = 0;

    static constexpr std::uint32_t largest_wire_bytes = 0;
    std::uint32_t wire_bytes() const { return 0; }
};

/// Between the dispatcher (requester) and an SM.
struct Dispatch : MessageFamily<BlockStart, BlockEnd> {};

/// So many dependent instructions without memory accesses, of an assist warp: it takes issue slots
/// of an SM beside those of its warps, and no warp slot.
struct AssistRequest {
    std::uint32_t instructions = 0;

    static constexpr std::uint32_t largest_wire_bytes = 0;
    std::uint32_t wire_bytes() const { return 0; }
};
struct AssistReply {
    static constexpr std::uint32_t largest_wire_bytes = 0;
    std::uint32_t wire_bytes() const { return 0; }
};
/// Between a helper thread (requester) and an SM.
struct Assist : MessageFamily<AssistRequest, AssistReply> {};

/// The functional side of a Launches responder: the component bound there implements it.
class HasKernels {
  public:
    virtual ~HasKernels() = default;
    virtual program::KernelSource& kernels() = 0;
    /// The kernel of the launch that it gave last.
    virtual std::string kernel() const = 0;
    /// Where the application stands once it was made, before anything ran: who has made it already
    /// for equal parameters may put it there, so that a large input is read once.
    virtual std::unique_ptr<program::KernelSource>* prepared() { return nullptr; }
};

/// Warps and blocks that are resident in an SM at once.
struct SmSlots {
    std::uint32_t warps = 0, blocks = 0;
};
/// Implemented by a Dispatch responder.
class HasSlots {
  public:
    virtual ~HasSlots() = default;
    virtual SmSlots slots() const = 0;
};

/// What an SM offers to its dispatcher.
class CountsInstructions {
  public:
    virtual ~CountsInstructions() = default;
    /// Thread instructions of an application that it has issued since the run began.
    virtual std::uint64_t executed(std::uint32_t application) const = 0;
};

/// The functional side of a Dispatch requester: hands over the streams of a block, once.
class HasBlocks {
  public:
    virtual ~HasBlocks() = default;
    /// Swaps the streams of a dispatched block's warps into `warps`; the buffers that were there
    /// are used again for another block.
    virtual void take_block(std::uint16_t application, std::uint32_t launch, std::uint32_t block,
                            std::vector<std::vector<std::uint8_t>>& warps) = 0;
    /// Each SM introduces itself before the run.
    virtual void counts_instructions(const CountsInstructions& sm) = 0;
    /// Whether SMs call issued().
    virtual bool watches_issue() const { return false; }
    /// An SM has issued `thread_instructions` more, which its counts include.
    virtual void issued(std::uint64_t /*thread_instructions*/) {}
};

} // namespace memsim::protocol
