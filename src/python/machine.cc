#include "core/base/name.hh"
#include "core/machine/directed_link.hh"
#include "core/machine/output_file.hh"
#include "core/observe/message_log.hh"
#include "core/observe/timeline.hh"
#include "core/observe/work.hh"
#include "core/parallel/by_hand.hh"
#include "python/bindings.hh"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

namespace memsim::python {

namespace {

QueueKind queue_kind(const std::string& name) {
    if (name == "fast") return QueueKind::fast;
    if (name == "naive") return QueueKind::naive;
    throw ConfigError("there is no event queue '" + name + "': use fast or naive");
}

const char* run(Machine& machine, Tick until) {
    switch (machine.run(until)) {
    case Stop::limit:
        return "limit";
    case Stop::exit:
        return "exit";
    case Stop::idle:
        return "idle";
    default:
        return "attention";
    }
}

void perturb(Machine& machine, std::uint64_t seed, unsigned one_in) {
    if (machine.components().empty()) return;
    std::vector<Component*> all;
    for (const auto& c : machine.components()) all.push_back(c);
    machine.sim().perturb(seed, one_in, all);
}

/// Enables debug flags. Output is written to the file, or to stderr if its name is empty.
void set_debug(Machine& machine, const std::vector<std::string>& flags, Tick from, Tick to,
               const std::string& file, bool append) {
    std::vector<std::string> known;
    for (const DebugFlag* flag : DebugFlag::all()) known.emplace_back(flag->name());
    std::vector<std::uint8_t> on(known.size());
    for (const std::string& name : flags) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end())
            throw ConfigError("there is no debug flag '" + name + "'" + nearest(name, known));
        on[static_cast<std::size_t>(found - known.begin())] = 1;
    }
    machine.sim().watch(std::make_unique<MessageLog>(machine));
    if (file.empty()) {
        machine.sim().set_debug(on, from, to, [](const std::string& line) { std::cerr << line; });
        return;
    }
    auto out = std::make_shared<std::ofstream>(file, append ? std::ios::app : std::ios::out);
    if (!*out)
        throw ConfigError("cannot write the debug file '" + file + "' (" + std::strerror(errno) +
                          "): name a writable file, on a disk with free space");
    machine.sim().set_debug(on, from, to,
                            [out](const std::string& line) { *out << line << std::flush; });
}

py::list connections(const Machine& machine) {
    py::list all;
    for (const Machine::Connection& c : machine.connections())
        all.append(py::make_tuple(c.from, c.from_port, c.to, c.to_port));
    return all;
}

py::list work(const Machine& machine) {
    py::list all;
    for (const Work& w : work_of(machine)) {
        py::dict row;
        row["what"] = w.what;
        row["unit"] = w.unit;
        row["done"] = w.done;
        row["all"] = w.all;
        row["last"] = w.last;
        all.append(row);
    }
    return all;
}

/// The messages that wait in receivers' queues or are in flight to them. For a queue without a
/// depth, such as that of answers with reserved places: None.
py::list queues(const Machine& machine) {
    py::list all;
    for (const DirectedLink& x : directed_links(machine)) {
        if (!x.link->in_queue() && !x.link->sender_waits()) continue;
        py::dict row;
        row["sender"] = x.sender + "." + x.sender_port;
        row["receiver"] = x.receiver + "." + x.receiver_port;
        row["messages"] = x.link->in_queue();
        row["depth"] = x.link->depth() == ~0u ? py::object(py::none()) : py::int_(x.link->depth());
        row["sender_waits"] = x.link->sender_waits();
        all.append(row);
    }
    return all;
}

py::dict counts(Machine& machine) {
    py::dict all;
    all["ticks_of_parts"] = machine.sim().ticks_of_parts();
    all["events"] = machine.sim().events_executed();
    all["wakes"] = machine.sim().wakes();
    return all;
}

void bind_snapshot(py::module_& m) {
    py::class_<Snapshot>(m, "Snapshot")
        .def_readonly("now", &Snapshot::now)
        .def_readonly("configuration", &Snapshot::configuration)
        .def_property_readonly("objects",
                               [](const Snapshot& s) {
                                   py::list all;
                                   for (const auto& o : s.objects)
                                       all.append(py::make_tuple(o.path, o.type, o.state.size()));
                                   return all;
                               })
        .def_property_readonly("events", [](const Snapshot& s) {
            py::list all;
            for (const auto& e : s.events) all.append(py::make_tuple(e.tick, e.path, e.handler));
            return all;
        });
}

void bind_timeline(py::module_& m) {
    py::class_<TimelineLeftOut>(m, "TimelineLeftOut")
        .def_readonly("since", &TimelineLeftOut::since)
        .def_readonly("requests", &TimelineLeftOut::requests)
        .def_readonly("launches", &TimelineLeftOut::launches)
        .def_readonly("wakes", &TimelineLeftOut::wakes);
    py::class_<Timeline>(m, "Timeline").def("complete", [](Timeline& timeline, Machine& machine) {
        return timeline.complete(machine.sim());
    });
}

/// What a machine has before its run.
void bind_construction(py::class_<Machine>& machine) {
    using namespace py::literals;
    machine
        .def(py::init([](std::uint64_t seed, const std::string& queue) {
                 return std::make_unique<Machine>(seed, queue_kind(queue));
             }),
             "seed"_a = 1, "queue"_a = "fast")
        .def("add", &Machine::add, "path"_a, "type"_a, "params"_a)
        .def("bind", &Machine::bind)
        .def("carry_contents", &Machine::carry_contents)
        .def_property_readonly("carries_contents", &Machine::carries_contents)
        .def("compare_contents",
             [](Machine& machine) {
                 const ContentsReport r = machine.compare_contents();
                 return py::dict("bytes"_a = r.bytes, "different"_a = r.different,
                                 "left_out"_a = r.left_out, "first"_a = r.first,
                                 "overtaken"_a = machine.sim().contents().overtaken());
             })
        .def("build", &Machine::build, py::call_guard<Loading>())
        .def_property_readonly("warnings", &Machine::warnings)
        .def_property_readonly("inputs", &Machine::inputs)
        .def_property_readonly("outputs", &outputs_of)
        .def_property_readonly("configuration", &Machine::configuration)
        .def_property_readonly("connections", &connections)
        .def("load", &Machine::load);
}

void bind_run(py::class_<Machine>& machine) {
    using namespace py::literals;
    using NoGil = py::call_guard<py::gil_scoped_release>;
    machine.def("start", &Machine::start)
        .def("run", &run, "until"_a, NoGil())
        .def("complete_outputs", &complete_outputs)
        .def("attend", [](Machine& machine) { machine.sim().attention() = true; })
        .def_property_readonly("now", [](Machine& machine) { return machine.sim().now(); })
        .def_property_readonly("exit_cause",
                               [](Machine& machine) { return machine.sim().exit_cause(); })
        .def_property_readonly("pending", &Machine::pending)
        .def("wait_report", &Machine::wait_report)
        .def_property_readonly("work", &work)
        .def_property_readonly("endless", &endless_of)
        .def_property_readonly("queues", &queues)
        .def("imbalances", &Machine::imbalances)
        .def("stat_value", &Machine::stat_value, "path"_a, "stat"_a, "part"_a = "")
        .def("reset_stats", &Machine::reset_stats)
        .def(
            "sample_every",
            [](Machine& machine, Tick period, const std::vector<std::string>& patterns) {
                machine.sample_every(Time {period}, patterns);
            },
            "period"_a, "patterns"_a)
        .def_property_readonly("digest", &Machine::digest)
        .def_property_readonly("counts", &counts)
        .def("perturb", &perturb, "seed"_a, "one_in"_a)
        .def("set_debug", &set_debug, "flags"_a, "start"_a, "end"_a, "file"_a = "",
             "append"_a = false)
        .def("stamp_every",
             [](Machine& machine, std::uint64_t every) { machine.sim().stamps().enable(every); })
        .def(
            "show_on_timeline",
            [](Machine& machine, const std::string& file, Tick from, Tick to,
               std::uint64_t bytes) -> Timeline& {
                return show_on_timeline(machine, file, {from, to, bytes});
            },
            "file"_a, "start"_a = 0, "end"_a = never, "bytes"_a = ~std::uint64_t {0},
            py::return_value_policy::reference_internal)
        .def("save", &Machine::save);
}

} // namespace

void bind_machine(py::module_& m) {
    using namespace py::literals;
    bind_snapshot(m);
    bind_timeline(m);
    m.def("check_name", &check_name, "name"_a);
    py::class_<Machine> machine(m, "Machine");
    bind_construction(machine);
    bind_run(machine);
}

void bind_threads(py::module_& m) {
    using namespace py::literals;
    py::class_<Machine> machine = m.attr("Machine");
    machine
        .def(
            "set_threads",
            [](Machine& of, unsigned threads, std::uint64_t random_partitions) {
                of.threads().set({threads, random_partitions});
            },
            "threads"_a, "random_partitions"_a = 0)
        .def(
            "set_partitions",
            [](Machine& of, const std::vector<std::vector<std::string>>& groups) {
                const auto& all = of.components();
                of.threads().divide(all, groups.empty() ? std::vector<std::uint32_t> {}
                                                        : parts_of(all, groups));
            },
            "groups"_a)
        .def("take_thread_notes", [](Machine& of) { return of.threads().take_notes(); })
        .def_property_readonly("thread_summary",
                               [](Machine& of) { return of.threads().summary(); });
}

} // namespace memsim::python
