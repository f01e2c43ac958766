#pragma once

#include "core/machine/machine.hh"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

/// The Python binding, the only part of memsim that uses Python. The module `_memsim` binds the
/// schema as data, and the machine by names and text. python/memsim makes the classes that users
/// see from the schema.
namespace memsim::python {

namespace py = pybind11;

/// Marks a scope in which an input is read or generated: Python's other threads run, and heed()
/// makes Python handle signals.
class Loading {
  public:
    Loading();
    ~Loading();
    Loading(const Loading&) = delete;
    Loading& operator=(const Loading&) = delete;

  private:
    const bool before_;
    py::gil_scoped_release no_gil_;
};

void bind_workloads(py::module_& m);
void bind_schema(py::module_& m);
void bind_tables(py::module_& m);
void bind_machine(py::module_& m);
void bind_threads(py::module_& m);
void bind_results(py::module_& m);
void bind_traces(py::module_& m);

} // namespace memsim::python
