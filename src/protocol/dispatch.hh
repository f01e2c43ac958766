#pragma once

#include "core/kernel/port.hh"
#include "gpu_program/kernel_source.hh"

#include <memory>

/// Kernel dispatch: the dispatcher requests a stream's next launch from the host's application and
/// sends its blocks to SMs. Messages model the time; the execution of blocks comes directly from
/// the functional side, which is separate from timing.
namespace memsim::protocol {

struct LaunchRequest {
    std::uint32_t stream = 0; ///< stream of the application whose next launch is requested

    static constexpr std::uint32_t largest_wire_bytes = 0;
    std::uint32_t wire_bytes() const { return 0; }
};

struct LaunchReply {
    bool ended = false;       ///< the stream has no further launch
    std::uint32_t stream = 0; ///< of the application
    std::uint32_t launch = 0; ///< number in the application, from 1
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
    std::uint32_t stores_before = 0; ///< stores before it, in program order
    std::uint16_t application = 0;
    std::uint32_t local_warp = 0; ///< distance from a warp slot's row to the next slot's
    std::uint32_t local_row = 0;  ///< distance from a row to the warp's next one
    std::uint64_t local = 0;      ///< address of the row of this SM's first warp slot

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

/// Dependent instructions without memory accesses, executed by an assist warp: it uses issue slots
/// of an SM in addition to those of its warps, but no warp slot.
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

/// The functional side of a Launches responder, implemented by the component connected there.
class HasKernels {
  public:
    virtual ~HasKernels() = default;
    virtual gpu_program::KernelSource& kernels() = 0;
    /// The kernel of the last launch.
    virtual std::string kernel() const = 0;
    /// The application in its initial state, before any launch. A component that has already
    /// created it for equal parameters may store it here, so that a large input is read once.
    virtual std::unique_ptr<gpu_program::KernelSource>* prepared() { return nullptr; }
};

/// Maximum of resident warps and blocks in an SM.
struct SmSlots {
    std::uint32_t warps = 0, blocks = 0;
};
/// Implemented by a Dispatch responder.
class HasSlots {
  public:
    static constexpr bool constant = true;
    virtual ~HasSlots() = default;
    virtual SmSlots slots() const = 0;
};

/// The interface of an SM to its dispatcher.
class CountsInstructions {
  public:
    virtual ~CountsInstructions() = default;
    /// Thread instructions of an application issued since the start of the run.
    virtual std::uint64_t executed(std::uint32_t application) const = 0;
};

/// The functional side of a Dispatch requester: hands over the streams of each block once.
class HasBlocks {
  public:
    virtual ~HasBlocks() = default;
    /// Swaps the streams of a dispatched block's warps into `warps`; the previous buffers are
    /// reused for another block.
    virtual void take_block(std::uint16_t application, std::uint32_t launch, std::uint32_t block,
                            std::vector<std::vector<std::uint8_t>>& warps) = 0;
    /// Called by each SM before the run.
    virtual void counts_instructions(const CountsInstructions& sm) = 0;
    /// Whether SMs call issued().
    virtual bool watches_issue() const { return false; }
    /// An SM has issued `thread_instructions` more, which are included in its counts.
    virtual void issued(std::uint64_t /*thread_instructions*/) {}
};

} // namespace memsim::protocol
