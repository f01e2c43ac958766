#include "gpu/dispatch/program_memory.hh"

#include "core/base/text.hh"
#include "gpu/sm/store_contents.hh"
#include "gpu_program/memory_copy.hh"

namespace memsim::gpu {

using gpu_program::HostWrite;
using gpu_program::MemoryView;

void ProgramMemory::load() const {
    for (const MemoryView& view : program_.memory())
        gpu_program::for_each_sector_of(
            view, [&](std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes) {
                FunctionalAccess a = access(address);
                a.write = true;
                a.data = gpu_program::sector_at(data, bytes);
                look_through(sm_, a);
            });
}

void ProgramMemory::deliver(const std::vector<HostWrite>& writes, std::uint32_t order) const {
    for (const HostWrite& w : writes) {
        FunctionalAccess a = access(w.address);
        a.write = true;
        a.data = w.data;
        a.data.order.fill(order);
        look_through(sm_, a);
    }
}

void ProgramMemory::compare(const Contents& contents, ContentsReport& report) const {
    for (const MemoryView& view : program_.memory())
        gpu_program::for_each_sector_of(
            view, [&](std::uint64_t address, const std::uint8_t* data, std::uint32_t bytes) {
                const SectorBytes should = gpu_program::sector_at(data, bytes);
                FunctionalAccess a = access(address);
                look_through(sm_, a);
                const std::uint32_t left_out =
                    contents.left_out(left_out_key(a.address, application_)) & should.known;
                report.left_out += bits_set(left_out);
                for (std::uint32_t i = 0; i < bytes; ++i) {
                    if (left_out >> i & 1) continue;
                    ++report.bytes;
                    const bool known = a.data.known >> i & 1;
                    if (known && a.data.bytes[i] == data[i]) continue;
                    if (report.different++) continue;
                    report.first = "the byte at address " + std::to_string(a.address + i) +
                                   " of application " + std::to_string(application_) + " is " +
                                   (known ? std::to_string(a.data.bytes[i]) : "unknown") +
                                   ", but the program's value is " + std::to_string(data[i]);
                }
            });
}

} // namespace memsim::gpu
