#pragma once

#include "core/machine/machine.hh"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

/// The one place that knows Python. The module `_memsim` binds the schema as data and the machine
/// by names and text; the classes that users see are made from the schema in python/memsim.
namespace memsim::python {

namespace py = pybind11;

/// While one lives, an input may be read or generated: Python's other threads run, and heed() asks
/// Python for signals.
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
void bind_results(py::module_& m);
void bind_traces(py::module_& m);

} // namespace memsim::python
