#pragma once

#include "core/kernel/component.hh"

namespace memsim {

/// An untimed look at one sector, or a write into it, through the whole machine. It takes no time,
/// counts in no statistic and moves nothing: a cache neither allocates nor notes a use. It sees
/// what components hold, in their queues too, but no message on its way; when a run has ended there
/// is none. A read gives what a load of the next kernel launch would get; a write is what the host
/// copies in.
struct FunctionalAccess {
    std::uint64_t address = 0; ///< of the sector's first byte, as the port's requests name it
    std::uint16_t application = 0;
    bool write = false;
    SectorBytes data; ///< to be written; of a read, what was found so far: nearer levels come first

    bool complete() const { return !write && data.known == SectorBytes::all; }
};

/// Implemented by every component that takes requests with an address, for machines that carry
/// contents.
class Functional {
  public:
    virtual ~Functional() = default;
    /// `at`: the component's port that such a request would come in by.
    virtual void functional(const PortBase& at, FunctionalAccess& access) = 0;
};

/// What a comparison of the machine's contents with the program's memory found.
struct ContentsReport {
    std::uint64_t bytes = 0;     ///< compared
    std::uint64_t different = 0; ///< of them
    std::uint64_t left_out = 0;  ///< that atomics wrote where the machine does not perform them
    std::string first;           ///< a sentence about the first that differs
};

/// Implemented by who hands a program to the machine and so knows what its memory should hold.
class ChecksContents {
  public:
    virtual ~ChecksContents() = default;
    virtual void compare_contents(ContentsReport& report) = 0;
};

/// Looks at what is bound to one of the component's own ports.
inline void look_through(const PortBase& mine, FunctionalAccess& access) {
    auto* next = dynamic_cast<Functional*>(&mine.peer()->owner());
    MEMSIM_ASSERT(next, "what takes requests with contents must be Functional");
    next->functional(*mine.peer(), access);
}

} // namespace memsim
