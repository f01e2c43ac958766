#include "workload/traces/trace_memory.hh"

#include "core/base/error.hh"

namespace memsim::workload {

void TraceMemory::check() const {
    const std::uint64_t local = local_used_ ? local_ : 0;
    if ((next_page_ << shift_) + local > capacity_)
        throw ConfigError("the trace accesses " + std::to_string(next_page_) + " pages of " +
                          std::to_string(std::uint64_t {1} << shift_) + " bytes and needs " +
                          std::to_string(local) + " bytes for local memory, more than " +
                          std::to_string(capacity_) +
                          " bytes hold: set memory, page or local_memory of the "
                          "workload.TraceProgram");
}

std::uint64_t TraceMemory::place(std::uint64_t page) {
    if (const std::uint64_t* at = pages_.find(page)) return *at << shift_;
    const std::uint64_t at = pages_[page] = next_page_++;
    check();
    return at << shift_;
}

} // namespace memsim::workload
