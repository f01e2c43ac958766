#include "python/bindings.hh"

#include "protocol/dispatch.hh"
#include "workload/profile.hh"
#include "workload/program.hh"

#include <map>
#include <tuple>

namespace memsim::python {

namespace {

using NoGil = py::call_guard<py::gil_scoped_release>;

/// An application created to determine its size, which a machine may take over so that its input is
/// read or generated only once.
struct Prepared {
    Arguments params;
    std::unique_ptr<Object> component;
    bool given = false; ///< a machine has taken it

    Prepared(const std::string& type, Arguments given) : params(std::move(given)) {
        const auto found = registry().find(type);
        if (found == registry().end())
            throw ConfigError("there is no component type '" + type + "'");
        component = found->second.create(type, params);
        if (!host()) throw ConfigError(type + " is not an application: it has no kernels");
    }
    // No port leads to a component that the user names by its type or path, so its interfaces are
    // found by casts.
    protocol::HasKernels* host() { return dynamic_cast<protocol::HasKernels*>(component.get()); }
    gpu_program::KernelSource& kernels() { return host()->kernels(); }
    workload::Application& application() {
        auto* const found = dynamic_cast<workload::Application*>(&kernels());
        if (!found) throw ConfigError("only a workload of the catalogue can be checked");
        return *found;
    }
    void give_to(Machine& machine, const std::string& path) {
        auto* const to = dynamic_cast<protocol::HasKernels*>(&machine.at(path));
        if (!to || !to->prepared() || !host()->prepared()) return;
        *to->prepared() = std::move(*host()->prepared());
        given = true;
    }
};

py::dict describe(const workload::Workload& w) {
    using namespace py::literals;
    return py::dict("names"_a = w.names, "doc"_a = w.doc, "tables"_a = w.tables,
                    "size_is"_a = w.size_is, "size"_a = w.size, "check_size"_a = w.check_size,
                    "least"_a = w.least, "most"_a = w.most, "iterations"_a = w.iterations,
                    "reads"_a = w.reads);
}

py::dict profile(Prepared& prepared, std::uint64_t limit) {
    using namespace py::literals;
    workload::Profile p;
    {
        py::gil_scoped_release no_gil;
        p = workload::profile_of(prepared.kernels(), limit);
    }
    return py::dict("footprint"_a = p.footprint, "launches"_a = p.launches,
                    "warp_instructions"_a = p.warp_instructions,
                    "thread_instructions"_a = p.thread_instructions, "loads"_a = p.loads,
                    "stores"_a = p.stores, "atomics"_a = p.atomics,
                    "shared_loads"_a = p.shared_loads, "shared_stores"_a = p.shared_stores,
                    "load_requests"_a = p.load_requests, "store_requests"_a = p.store_requests,
                    "atomic_requests"_a = p.atomic_requests);
}

/// The arrays of an application, by address.
std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t, bool>>
allocations(Prepared& prepared) {
    const Loading loading;
    std::map<std::uint64_t, bool> read_only;
    for (const gpu_program::MemoryView& view : prepared.kernels().memory())
        read_only[view.base] = view.read_only;
    std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t, bool>> all;
    for (const gpu_program::Allocation& a : prepared.kernels().allocations())
        all.emplace_back(a.name, a.base, a.bytes, read_only[a.base]);
    return all;
}

/// The bytes of an array, as they are now.
py::bytes contents(Prepared& prepared, const std::string& name) {
    for (const gpu_program::Allocation& a : prepared.kernels().allocations())
        if (a.name == name)
            for (const gpu_program::MemoryView& view : prepared.kernels().memory())
                if (view.base == a.base) return {reinterpret_cast<const char*>(view.data), a.bytes};
    throw ConfigError("the application has no array '" + name + "'");
}

} // namespace

void bind_workloads(py::module_& m) {
    using namespace py::literals;
    py::class_<Prepared>(m, "Prepared")
        .def(py::init<const std::string&, Arguments>(), "type"_a, "params"_a,
             py::call_guard<Loading>())
        .def_readonly("params", &Prepared::params)
        .def_readonly("given", &Prepared::given)
        .def_property_readonly("footprint",
                               [](Prepared& p) {
                                   const Loading loading;
                                   return p.kernels().footprint_bytes();
                               })
        .def_property_readonly("allocations", &allocations,
                               "Name, first address, bytes, and whether no kernel writes it")
        .def("contents", &contents, "name"_a, "The bytes of an array, as they are now")
        .def_property_readonly("input_digest",
                               [](Prepared& p) {
                                   const Loading loading;
                                   return p.application().input_digest();
                               })
        .def("give_to", &Prepared::give_to, "machine"_a, "path"_a)
        .def("profile", &profile, "limit"_a = 0, "Runs the application to its end without timing")
        .def(
            "difference", [](Prepared& p) { return p.application().difference(); }, NoGil(),
            "First difference from the reference, after profile(); empty: none");
    m.def(
        "workload_memory",
        [](const std::string& name, std::uint64_t size) {
            workload::Options options;
            options.size = size;
            return workload::workload_named(name).memory(options);
        },
        "name"_a, "size"_a, "Approximate peak of host memory in bytes");
    m.def("workloads", [] {
        py::list all;
        for (const workload::Workload* w : workload::all_workloads()) all.append(describe(*w));
        return all;
    });
}

} // namespace memsim::python
