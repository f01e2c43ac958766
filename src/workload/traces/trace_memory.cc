#include "workload/traces/trace_memory.hh"

#include "core/error.hh"

namespace memsim::workload {

void TraceMemory::check() const {
    if ((next_page_ << shift_) + local_ * chunk > capacity_)
        throw ConfigError("the trace touches " + std::to_string(next_page_) + " pages of " +
                          std::to_string(std::uint64_t {1} << shift_) + " bytes and " +
                          std::to_string(local_ * chunk) + " bytes of local memory, more than " +
                          std::to_string(capacity_) +
                          " bytes hold: set memory (or page) of the workload.TraceProgram");
}

std::uint64_t TraceMemory::place(std::uint64_t page) {
    if (const std::uint64_t* at = pages_.find(page)) return *at << shift_;
    const std::uint64_t at = pages_[page] = next_page_++;
    check();
    return at << shift_;
}

std::uint64_t TraceMemory::local(std::uint64_t warp, std::uint32_t lane, std::uint64_t offset) {
    // 24 bits of offset: a thread's local memory is a window of 16 MiB.
    const std::uint64_t key = warp << 17 | (offset & 0xff'ffff) >> 7;
    std::uint64_t n;
    if (const std::uint64_t* at = chunks_.find(key)) {
        n = *at;
    } else {
        n = chunks_[key] = ++local_;
        check();
    }
    return capacity_ - n * chunk + (offset >> 2 & 31) * 128 + std::uint64_t {lane} * 4 +
           (offset & 3);
}

} // namespace memsim::workload
