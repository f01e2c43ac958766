#include "python/bindings.hh"

PYBIND11_MODULE(_memsim, m) {
    using namespace memsim;
    namespace py = pybind11;
    m.doc() = "The compiled part of memsim; use the package memsim.";
    // The names under which a user meets them.
    py::register_exception<ConfigError>(m, "Error").attr("__module__") = "memsim";
    py::register_exception<Panic>(m, "Panic").attr("__module__") = "memsim";
    python::bind_schema(m);
    python::bind_workloads(m);
    python::bind_machine(m);
    python::bind_results(m);
    python::bind_traces(m);
}
