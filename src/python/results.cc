#include "python/bindings.hh"

#include "checkpoint/file.hh"
#include "core/base/hash.hh"
#include "core/machine/version.hh"
#include "stats/database.hh"
#include "stats/schema.hh"

namespace memsim::python {

namespace {

using namespace py::literals;
using checkpoint::Checkpoint;
using checkpoint::Configuration;

/// Plain Python values: objects with their parameters as (name, value, tunable), and connections.
py::dict plain(const Configuration& c) {
    py::list objects, connections;
    for (const auto& o : c.objects) {
        py::list params;
        for (const auto& p : o.params) params.append(py::make_tuple(p.name, p.value, p.tunable));
        objects.append(py::make_tuple(o.path, o.type, params));
    }
    for (const auto& x : c.connections)
        connections.append(py::make_tuple(x.from, x.from_port, x.to, x.to_port));
    return py::dict("objects"_a = objects, "connections"_a = connections,
                    "contents"_a = c.contents);
}

py::dict info(const std::string& path) {
    const checkpoint::Info i = checkpoint::read_info(path);
    return py::dict("version"_a = i.version, "script"_a = i.script, "argv"_a = i.argv,
                    "run"_a = i.run, "configuration"_a = i.configuration, "now"_a = i.now,
                    "written"_a = i.written, "objects"_a = i.objects, "events"_a = i.pending,
                    "bytes"_a = i.bytes, "bytes_unpacked"_a = i.bytes_unpacked);
}

void write(const std::string& path, Machine& machine, const checkpoint::Script& script,
           const checkpoint::Run& run) {
    Checkpoint c;
    c.script = script;
    c.script.seed = machine.sim().seed();
    c.run = run;
    c.configuration = checkpoint::configuration_of(machine);
    c.snapshot = machine.save();
    checkpoint::write(path, c);
}

/// Files by name, with the hash of their contents.
using Files = std::vector<std::pair<std::string, std::string>>;

Files plain(const std::vector<checkpoint::Script::Module>& files) {
    Files all;
    for (const auto& f : files) all.emplace_back(f.path, f.hash);
    return all;
}

checkpoint::Script make_script(const std::string& path, const std::string& hash,
                               const std::string& cwd, const std::vector<std::string>& argv,
                               const Files& modules, const Files& package, const Files& inputs,
                               const py::bytes& journal) {
    checkpoint::Script s;
    s.path = path, s.hash = hash, s.cwd = cwd, s.argv = argv, s.journal = std::string(journal);
    const auto take = [](const Files& files, auto& to) {
        for (const auto& [file, of] : files) to.push_back({file, of});
    };
    take(modules, s.modules), take(package, s.package), take(inputs, s.inputs);
    return s;
}

void bind_checkpoint(py::module_& m) {
    py::class_<checkpoint::Script>(m, "Script")
        .def(py::init(&make_script), "path"_a, "hash"_a, "cwd"_a, "argv"_a, "modules"_a,
             "package"_a, "inputs"_a, "journal"_a)
        .def_readonly("path", &checkpoint::Script::path)
        .def_readonly("hash", &checkpoint::Script::hash)
        .def_readonly("cwd", &checkpoint::Script::cwd)
        .def_readonly("argv", &checkpoint::Script::argv)
        .def_readonly("seed", &checkpoint::Script::seed)
        .def_property_readonly("modules",
                               [](const checkpoint::Script& s) { return plain(s.modules); })
        .def_property_readonly("package",
                               [](const checkpoint::Script& s) { return plain(s.package); })
        .def_property_readonly("inputs",
                               [](const checkpoint::Script& s) { return plain(s.inputs); })
        .def_property_readonly("journal",
                               [](const checkpoint::Script& s) { return py::bytes(s.journal); });
    py::class_<checkpoint::Run>(m, "RunAt")
        .def(
            py::init([](const std::string& uuid, const std::string& database,
                        const std::string& outdir, const stats::Position& at, double host_seconds) {
                return checkpoint::Run {uuid,           database,    outdir,      at.dumps,
                                        at.series_tick, at.launches, host_seconds};
            }),
            "uuid"_a, "database"_a, "outdir"_a, "position"_a, "host_seconds"_a)
        .def_readonly("uuid", &checkpoint::Run::uuid)
        .def_readonly("database", &checkpoint::Run::database)
        .def_readonly("outdir", &checkpoint::Run::outdir)
        .def_readonly("host_seconds", &checkpoint::Run::host_seconds)
        .def_property_readonly("position", [](const checkpoint::Run& r) {
            return stats::Position {r.dumps, r.series_tick, r.launches};
        });
    py::class_<Checkpoint>(m, "Checkpoint")
        .def_readonly("version", &Checkpoint::version)
        .def_readonly("build", &Checkpoint::build)
        .def_readonly("script", &Checkpoint::script)
        .def_readonly("run", &Checkpoint::run)
        .def_readonly("snapshot", &Checkpoint::snapshot)
        .def_property_readonly("configuration",
                               [](const Checkpoint& c) { return plain(c.configuration); })
        .def("show", &checkpoint::show_state, "path"_a);
    m.def("write_checkpoint", &write, "path"_a, "machine"_a, "script"_a, "run"_a);
    m.def("read_checkpoint", &checkpoint::read, "path"_a);
    m.def("checkpoint_info", &info, "path"_a);
    m.def("configuration_of",
          [](const Machine& machine) { return plain(checkpoint::configuration_of(machine)); });
}

void bind_database(py::module_& m) {
    m.attr("database_version") = stats::schema_version;
    m.attr("database_tables") = stats::schema;
    m.attr("database_views") = stats::views;
    py::register_exception<stats::InUse>(m, "InUse", m.attr("Error")).attr("__module__") = "memsim";
    py::class_<stats::Position>(m, "Position")
        .def(py::init<>())
        .def_readonly("dumps", &stats::Position::dumps)
        .def_readonly("series_tick", &stats::Position::series_tick);
    py::class_<stats::Run>(m, "Run")
        .def_property_readonly("uuid", &stats::Run::uuid)
        .def("write_machine", &stats::Run::write_machine, "machine"_a,
             "sources"_a = stats::Sources {})
        .def("dump", &stats::Run::dump, "machine"_a, "label"_a)
        .def("flush_series", &stats::Run::flush_series, "machine"_a)
        .def("position", &stats::Run::position, "machine"_a)
        .def(
            "finish",
            [](stats::Run& run, Machine& machine, const std::string& cause, double host_seconds) {
                run.finish({cause, machine.digest(), host_seconds, machine.sim().now()});
            },
            "machine"_a, "cause"_a, "host_seconds"_a);
    py::class_<stats::Database>(m, "Database")
        .def(py::init([](const std::string& path) { return stats::Database::open(path); }),
             "path"_a)
        .def_property_readonly("path", &stats::Database::path)
        .def(
            "begin_run",
            [](stats::Database& db, const std::string& name, const std::string& script,
               const std::vector<std::string>& argv, std::uint64_t seed, const std::string& parent,
               const std::string& configuration, const std::string& arguments,
               const std::string& cwd, bool only) {
                return db.begin_run({name, script, argv, seed, version(), parent, configuration,
                                     arguments, cwd, only});
            },
            "name"_a, "script"_a, "argv"_a, "seed"_a, "parent"_a, "configuration"_a, "arguments"_a,
            "cwd"_a, "only"_a)
        .def("in_use", &stats::Database::in_use, "run"_a)
        .def("resume_run", &stats::Database::resume_run, "uuid"_a, "position"_a);
}

} // namespace

void bind_results(py::module_& m) {
    m.def("version", [] { return std::string(version()); });
    m.def("build_id", [] { return std::string(build_id()); });
    m.def("hash_of_file", &hash128_of_file, "path"_a, py::call_guard<py::gil_scoped_release>());
    bind_checkpoint(m);
    bind_database(m);
}

} // namespace memsim::python
