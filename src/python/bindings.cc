#include "python/bindings.hh"

#include "core/base/heed.hh"
#include "core/base/host_memory.hh"
#include "core/base/legible.hh"

#include <sys/prctl.h>
#include <utility>

namespace memsim::python {

namespace {

using namespace py::literals;

/// Binds an exception under the name that users see. Replaces bytes that are not UTF-8, for example
/// in a file path, because Python would drop the message.
template <class E>
void bind_error(py::module_& m, const char* name) {
    static PyObject* const type =
        PyErr_NewException(("memsim." + std::string(name)).c_str(), PyExc_Exception, nullptr);
    m.add_object(name, type);
    // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 states the signature
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const E& error) {
            PyErr_SetString(type, legible(error.what()).c_str());
        }
    });
}

/// Turns failed allocations into Errors with a sentence.
void bind_memory(py::module_& m) {
    static PyObject* const error = py::object(m.attr("Error")).release().ptr();
    // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 states the signature
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {
            PyErr_SetString(error, out_of_memory().c_str());
        } catch (const std::length_error&) { // a container that exceeds any memory
            PyErr_SetString(error, out_of_memory().c_str());
        }
    });
    m.def("limit_memory", &limit_memory, "on"_a);
    m.def("out_of_memory", &out_of_memory);
    m.def("available_memory", &available_memory);
    m.def("show_bytes", &show_bytes);
    m.def("signal_at_parents_end", [](int number) { prctl(PR_SET_PDEATHSIG, number); });
}

thread_local bool loads = false;

/// The implementation of heed(): Python handles pending signals and decides whether to continue. A
/// running machine has released Python's lock and checks for signals between two ticks instead.
void ask_python() {
    if (!loads && PyGILState_Check() == 0) return;
    const py::gil_scoped_acquire gil;
    try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        py::module_::import("memsim.run.signals").attr("heed")();
    } catch (const py::error_already_set& error) {
        if (error.matches(PyExc_SystemExit))
            PySys_WriteStderr("memsim: ended by SIGTERM while an input was loaded\n");
        throw;
    }
}

} // namespace

Loading::Loading() : before_(std::exchange(loads, true)) {}
Loading::~Loading() { loads = before_; }

} // namespace memsim::python

PYBIND11_MODULE(_memsim, m) {
    using namespace memsim;
    m.doc() = "The compiled part of memsim; use the package memsim.";
    python::bind_error<ConfigError>(m, "Error");
    python::bind_error<Panic>(m, "Panic");
    python::bind_memory(m);
    set_heed(&python::ask_python);
    python::bind_schema(m);
    python::bind_tables(m);
    python::bind_workloads(m);
    python::bind_machine(m);
    python::bind_threads(m);
    python::bind_results(m);
    python::bind_traces(m);
}
