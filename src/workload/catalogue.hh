#pragma once

#include "workload/application.hh"

/// All applications by name. Each is one file of src/workload with one registration.
namespace memsim::workload {

struct Workload {
    std::vector<std::string> names; ///< as in the papers' tables; the first is used here
    std::string doc;                ///< what it computes, and the origin of the program
    std::string tables;             ///< the papers' tables that list it
    std::string size_is;            ///< what `size` counts
    u64 size = 0;                   ///< default
    u64 check_size = 0;             ///< small enough for tests
    u64 least = 1, most = 1 << 30;  ///< valid sizes
    u32 iterations = 1;             ///< default, if it has iterations
    /// Approximate peak of host memory in bytes for a generated input: the program's arrays, their
    /// sources, and the data of its reference. Measured (tests/python/test_memory.py).
    u64 (*memory)(const Options&) = nullptr;
    std::string reads {}; ///< contents of its input file, such as "a graph"; empty: none
    std::unique_ptr<Application> (*make)(const Options&) = nullptr;
};

/// Adds a workload to the catalogue: `static const Entry entry {{.names = {"vadd"}, ...}};`
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
/// Throws ConfigError, with the nearest name, if there is no such workload.
const Workload& workload_named(const std::string& name);
/// Creates a workload with default options filled in. Throws ConfigError for invalid sizes or for a
/// file that the workload does not read.
std::unique_ptr<Application> make_workload(const std::string& name, Options options);

} // namespace memsim::workload
