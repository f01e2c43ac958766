#pragma once

#include "core/machine/functional.hh"
#include "gpu_program/kernel_source.hh"

namespace memsim::gpu {

/// The expected memory contents of an application, and functional access to the machine's copy
/// through one of the SMs that run its blocks.
class ProgramMemory {
  public:
    ProgramMemory(const gpu_program::KernelSource& program, const PortBase& sm, std::uint64_t base,
                  std::uint16_t application)
        : program_(program), sm_(sm), base_(base), application_(application) {}

    /// Copies all of the memory into the machine.
    void load() const;
    /// Copies the host's writes into the machine, as store number `order`.
    void deliver(const std::vector<gpu_program::HostWrite>& writes, std::uint32_t order) const;
    /// Compares the memory, byte by byte, with the data that loads would return.
    void compare(const Contents& contents, ContentsReport& report) const;

  private:
    FunctionalAccess access(std::uint64_t address) const {
        return {base_ + address, application_, false, {}};
    }
    const gpu_program::KernelSource& program_;
    const PortBase& sm_;
    std::uint64_t base_;
    std::uint16_t application_;
};

} // namespace memsim::gpu
