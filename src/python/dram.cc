#include "core/reflect.hh"
#include "mem/dram/preset.hh"
#include "python/bindings.hh"

namespace memsim::python {

namespace {

/// Name, source and figures of what a parameter says of a DRAM's timing. Throws ConfigError.
py::dict dram_table(const std::string& text) {
    using namespace py::literals;
    const mem::DramPreset preset(text);
    const mem::DramTiming timing = preset.timing();
    mem::check(timing);
    py::dict figures;
    reflect::for_each_field(timing, [&](std::string_view name, const auto& f) {
        using F = std::remove_cvref_t<decltype(f)>;
        if constexpr (!std::is_same_v<F, const char*>)
            figures[py::str(std::string(name))] = Text<F>::show(f);
    });
    return py::dict("name"_a = preset.name(), "source"_a = preset.source(), "figures"_a = figures);
}

} // namespace

void bind_dram(py::module_& m) {
    using namespace py::literals;
    m.def("dram_tables", &mem::DramTable::names);
    m.def("dram_table", &dram_table, "text"_a);
}

} // namespace memsim::python
