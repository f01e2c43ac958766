#include "workload/catalogue.hh"

#include "core/base/host_memory.hh"
#include "core/kernel/registry.hh"

namespace memsim::workload {

namespace {
std::vector<Workload>& catalogue() {
    static std::vector<Workload> all; // filled before main() by the Entry of each file
    return all;
}

/// Checked before anything is built, because the kernel ends a process that exceeds memory.
void check_memory(const std::string& name, const Workload& workload, const Options& options) {
    const u64 needed = workload.memory(options), available = available_memory();
    if (needed > available)
        throw BadOption("size", std::to_string(options.size) + " needs about " +
                                    show_bytes(needed) + " of memory for " + name + ", but only " +
                                    show_bytes(available) +
                                    " are available: choose a smaller size, or a machine "
                                    "with more memory");
}
} // namespace

Entry::Entry(Workload workload) { catalogue().push_back(std::move(workload)); }

std::vector<const Workload*> all_workloads() {
    std::vector<const Workload*> all;
    for (const Workload& w : catalogue()) all.push_back(&w);
    std::sort(all.begin(), all.end(),
              [](const Workload* a, const Workload* b) { return a->names[0] < b->names[0]; });
    return all;
}

const Workload& workload_named(const std::string& name) {
    std::vector<std::string> known;
    for (const Workload& w : catalogue())
        for (const std::string& its : w.names) {
            if (its == name) return w;
            known.push_back(its);
        }
    throw BadOption("name", "there is no workload '" + name + "'" + nearest(name, known) +
                                "; `memsim workloads` lists them");
}

std::unique_ptr<Application> make_workload(const std::string& name, Options options) {
    const Workload& workload = workload_named(name);
    if (!options.input.empty() && workload.reads.empty())
        throw BadOption("input", name + " reads no input file: remove '" + options.input +
                                     "'; the input is generated from size and seed");
    if (options.size == 0) options.size = workload.size;
    if (options.input.empty() && (options.size < workload.least || options.size > workload.most))
        throw BadOption("size", std::to_string(options.size) + " is out of range for " + name +
                                    ", whose size is " + workload.size_is + ": from " +
                                    std::to_string(workload.least) + " to " +
                                    std::to_string(workload.most));
    if (options.input.empty() && workload.memory) check_memory(name, workload, options);
    if (options.iterations == 0) options.iterations = workload.iterations;
    return workload.make(options);
}

} // namespace memsim::workload
