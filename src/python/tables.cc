#include "core/base/reflect.hh"
#include "flash/nand/timing.hh"
#include "mem/dram/presets/preset.hh"
#include "python/bindings.hh"
#include "workload/traces/address_trace.hh"

namespace memsim::python {

namespace {

/// The numeric fields of a table by name.
template <class Table>
py::dict figures_of(const Table& table) {
    py::dict figures;
    reflect::for_each_field(table, [&](std::string_view name, const auto& f) {
        using F = std::remove_cvref_t<decltype(f)>;
        if constexpr (!std::is_same_v<F, const char*>)
            figures[py::str(std::string(name))] = Text<F>::show(f);
    });
    return figures;
}

/// Name, source and figures of the DRAM timing selected by a parameter value. Throws ConfigError.
py::dict dram_table(const std::string& text) {
    using namespace py::literals;
    const mem::DramPreset preset(text);
    const mem::DramTiming timing = preset.timing();
    mem::check(timing);
    return py::dict("name"_a = preset.name(), "source"_a = preset.source(),
                    "figures"_a = figures_of(timing));
}

/// All tables of a type: name, type of the parameters that use it, source and figures.
template <class Table>
void add_tables(py::list& all, const char* what) {
    using namespace py::literals;
    for (const std::string& name : Named<Table>::names()) {
        const Table& table = Named<Table>::find(name);
        all.append(py::dict("name"_a = name, "what"_a = what,
                            "type"_a = Text<NameOf<Table>>::type(), "source"_a = table.source,
                            "figures"_a = figures_of(table)));
    }
}

void add_formats(py::list& all) {
    using namespace py::literals;
    for (const std::string& name : Named<workload::TraceFormat>::names()) {
        const workload::TraceFormat& format = Named<workload::TraceFormat>::find(name);
        py::dict figures;
        const auto add = [&](const char* what, std::string_view text) {
            if (!text.empty()) figures[what] = std::string(text);
        };
        add("line", format.shape);
        add("notes", format.notes);
        all.append(py::dict("name"_a = name, "what"_a = "a format of traces",
                            "type"_a = Text<NameOf<workload::TraceFormat>>::type(),
                            "source"_a = std::string(format.title), "figures"_a = figures));
    }
}

} // namespace

void bind_tables(py::module_& m) {
    using namespace py::literals;
    m.def("dram_tables", &mem::DramTable::names);
    m.def("dram_table", &dram_table, "text"_a);
    m.def(
        "named_tables",
        [] {
            py::list all;
            add_tables<flash::NandTiming>(all, "a timing table of NAND");
            add_tables<flash::BusTiming>(all, "a timing table of a NAND channel's bus");
            add_formats(all);
            return all;
        },
        "Every table that a parameter can name, except those of DRAM");
}

} // namespace memsim::python
