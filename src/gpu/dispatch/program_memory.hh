#pragma once

#include "core/machine/functional.hh"
#include "program/kernel_source.hh"

namespace memsim::gpu {

/// An application's memory as the machine should hold it, and the untimed way to where it does:
/// through one of the SMs that run its blocks.
class ProgramMemory {
  public:
    ProgramMemory(const program::KernelSource& program, const PortBase& sm, std::uint64_t base,
                  std::uint16_t application)
        : program_(program), sm_(sm), base_(base), application_(application) {}

    /// Copies all of it into the machine.
    void load() const;
    /// Copies in what the host wrote, as store number `order`.
    void deliver(const std::vector<program::HostWrite>& writes, std::uint32_t order) const;
    /// Compares it with what loads would get, byte by byte.
    void compare(const Contents& contents, ContentsReport& report) const;

  private:
    FunctionalAccess access(std::uint64_t address) const {
        return {base_ + address, application_, false, {}};
    }
    const program::KernelSource& program_;
    const PortBase& sm_;
    std::uint64_t base_;
    std::uint16_t application_;
};

} // namespace memsim::gpu
