#include "core/text.hh"
#include "python/bindings.hh"
#include "workload/traces/trace_tools.hh"

/// `memsim trace`: the tools of workload/traces with parameters as text.
namespace memsim::python {

using namespace workload;
using namespace py::literals;

namespace {

Time time_of(const std::string& text) { return text.empty() ? Time {0} : Text<Time>::parse(text); }

TraceOptions options_of(const std::string& format, const std::string& unit, std::uint32_t bytes,
                        const std::string& geometry) {
    return {Text<TraceFormat>::parse(format), time_of(unit), bytes, parse_geometry(geometry)};
}

} // namespace

void bind_traces(py::module_& m) {
    py::class_<TraceOptions>(m, "TraceOptions")
        .def(py::init(&options_of), "format"_a, "unit"_a, "bytes"_a, "geometry"_a);
    const py::call_guard<py::gil_scoped_release> released;
    m.def("trace_info", &trace_info, "path"_a, "options"_a, released);
    m.def("trace_head", &trace_head, "path"_a, "options"_a, "n"_a, released);
    m.def(
        "trace_convert",
        [](const std::string& from, const TraceOptions& options, std::uint64_t first,
           std::uint64_t count, const std::string& since, const std::string& until,
           const std::string& to, const std::string& format, const std::string& cycle) {
            return trace_convert(from, options, {first, count, time_of(since), time_of(until)}, to,
                                 Text<TraceOutputFormat>::parse(format), time_of(cycle));
        },
        "source"_a, "options"_a, "first"_a, "count"_a, "since"_a, "until"_a, "to"_a, "format"_a,
        "cycle"_a, released);
    const auto words = [](const auto& names) {
        return std::vector<std::string>(names.begin(), names.end());
    };
    m.attr("trace_formats") = words(names_of(TraceFormat {}));
    m.attr("trace_output_formats") = words(names_of(TraceOutputFormat {}));
}

} // namespace memsim::python
