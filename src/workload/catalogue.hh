#pragma once

#include "workload/application.hh"

/// All applications by name. Each stands in one file of src/workload, with one registration.
namespace memsim::workload {

struct Workload {
    std::vector<std::string> names; ///< as the papers' tables write them; the first is ours
    std::string doc;                ///< what it computes, after whose program
    std::string tables;             ///< which tables of papers name it
    std::string size_is;            ///< what `size` counts
    u64 size = 0;                   ///< default
    u64 check_size = 0;             ///< small enough for tests
    u64 least = 1, most = 1 << 30;  ///< sizes that work
    u32 iterations = 1;             ///< default, where it has iterations
    /// About the host's memory at its peak, in bytes, for a generated input: the program's arrays,
    /// what they are copied from, and what its reference keeps. Measured
    /// (tests/python/test_memory.py).
    u64 (*memory)(const Options&) = nullptr;
    std::string reads {}; ///< what its file holds, such as "a graph"; empty: it reads none
    std::unique_ptr<Application> (*make)(const Options&) = nullptr;
};

/// Puts a workload into the catalogue: `static const Entry entry {{.names = {"vadd"}, ...}};`
struct Entry {
    explicit Entry(Workload workload);
};

/// `.make = make<VectorAdd>`
template <class A>
std::unique_ptr<Application> make(const Options& options) {
    return std::make_unique<A>(options);
}

/// In the order of their first names.
std::vector<const Workload*> all_workloads();
/// Throws a ConfigError with the nearest name.
const Workload& workload_named(const std::string& name);
/// With defaults filled in, sizes checked, and a file refused that the workload would not read.
std::unique_ptr<Application> make_workload(const std::string& name, Options options);

} // namespace memsim::workload
