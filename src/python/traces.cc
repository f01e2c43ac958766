#include "core/base/text.hh"
#include "python/bindings.hh"
#include "workload/traces/trace_tools.hh"

/// `memsim trace`: the tools of workload/traces, with parameters as text.
namespace memsim::python {

using namespace workload;
using namespace py::literals;

namespace {

Time time_of(const std::string& text) { return text.empty() ? Time {0} : Text<Time>::parse(text); }

TraceOptions options_of(const std::string& format, const std::string& unit, std::uint32_t bytes,
                        const std::string& geometry, const std::string& map, bool from_first,
                        const std::string& gem5) {
    return {Text<NameOf<TraceFormat>>::parse(format),
            time_of(unit),
            bytes,
            parse_geometry(geometry),
            map,
            from_first,
            Text<Gem5Commands>::parse(gem5)};
}

/// The registered formats as rows of a table: name, title, shape, notes, whether it can be written,
/// the component that plays it.
std::vector<std::vector<std::string>> formats() {
    std::vector<std::vector<std::string>> rows;
    for (const std::string& name : Named<TraceFormat>::names()) {
        const TraceFormat& f = Named<TraceFormat>::find(name);
        if (f.detect)
            rows.push_back({name, std::string(f.title), std::string(f.shape), std::string(f.notes),
                            f.written ? "yes" : "", std::string(f.played_by)});
    }
    return rows;
}

} // namespace

void bind_traces(py::module_& m) {
    py::class_<TraceOptions>(m, "TraceOptions")
        .def(py::init(&options_of), "format"_a, "unit"_a, "bytes"_a, "geometry"_a, "map"_a,
             "from_first"_a, "gem5"_a);
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
    m.attr("trace_formats") = Named<TraceFormat>::names();
    m.attr("gem5_commands") = words(names_of(Gem5Commands {}));
    m.def("trace_format_rows", &formats);
    m.attr("trace_output_formats") = words(names_of(TraceOutputFormat {}));
}

} // namespace memsim::python
