#pragma once

#include "core/machine.hh"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

/// The one place that knows Python. The module `_memsim` binds the schema as data and the machine
/// by names and text; the classes that users see are made from the schema in python/memsim.
namespace memsim::python {

namespace py = pybind11;

void bind_workloads(py::module_& m);
void bind_schema(py::module_& m);
void bind_dram(py::module_& m);
void bind_machine(py::module_& m);
void bind_results(py::module_& m);
void bind_traces(py::module_& m);

} // namespace memsim::python
