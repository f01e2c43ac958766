#pragma once

#include "core/kernel/component.hh"

namespace memsim {

/// A functional (untimed) read or write of one sector through the whole machine. It takes no time,
/// counts in no statistic and moves no data: a cache neither allocates nor records a use. It
/// accesses the data that components hold, including their queues, but not messages in flight; none
/// are in flight after a run's end. A read returns the data that a load of the next kernel launch
/// would get. A write is the host's copy into memory.
struct FunctionalAccess {
    std::uint64_t address = 0; ///< of the sector's first byte, as used by the port's requests
    std::uint16_t application = 0;
    bool write = false;
    SectorBytes data; ///< to write; for a read, the bytes found: nearer levels take precedence

    bool complete() const { return !write && data.known == SectorBytes::all; }
};

/// Implemented by every component that receives requests with an address, for machines that carry
/// contents.
class Functional {
  public:
    virtual ~Functional() = default;
    /// `at`: the component's port at which such a request would arrive.
    virtual void functional(const PortBase& at, FunctionalAccess& access) = 0;
};

/// The result of a comparison of the machine's contents with the program's memory.
struct ContentsReport {
    std::uint64_t bytes = 0;     ///< compared
    std::uint64_t different = 0; ///< of these bytes
    std::uint64_t left_out = 0;  ///< not compared: written by atomics that are not performed
    std::string first;           ///< a sentence about the first difference
};

/// Implemented by the component that hands a program to the machine and therefore knows the
/// expected contents of its memory.
class ChecksContents {
  public:
    virtual ~ChecksContents() = default;
    virtual void compare_contents(ContentsReport& report) = 0;
};

/// Forwards an access to the component bound to one of the caller's own ports.
inline void look_through(const PortBase& mine, FunctionalAccess& access) {
    auto* next = dynamic_cast<Functional*>(&mine.peer()->owner());
    MEMSIM_ASSERT(next, "a component that receives requests with contents must be Functional");
    next->functional(*mine.peer(), access);
}

} // namespace memsim
