#include "../../mem/driver.hh"
#include "core/machine/machine.hh"
#include "core/machine/output_file.hh"
#include "support.hh"
#include "workload/traces/address_trace.hh"

#include <optional>

namespace memsim::recorder_test {

using namespace memsim::workload;
using namespace memsim::test;

namespace {

std::vector<TraceRecord> read(const std::string& path, Time unit = {}) {
    TraceOptions o;
    o.unit = unit;
    const auto reader = open_trace(path, o);
    std::vector<TraceRecord> records;
    for (TraceRecord r; reader->next(r);) records.push_back(r);
    return records;
}

/// Random traffic through a recorder.
std::unique_ptr<Machine> recorded(const Arguments& recorder, bool begin = true) {
    auto m = std::make_unique<Machine>();
    m->add("gen", "mem.TrafficGen",
           {{"requests", "500"}, {"period", "7ns"}, {"read_share", "50%"}, {"range", "1MiB"}});
    m->add("recorder", "workload.TraceRecorder", recorder);
    m->add("ram", "mem.SimpleMemory", {{"latency", "100ns"}});
    m->bind("gen", "mem_side", "recorder", "cpu_side");
    m->bind("recorder", "mem_side", "ram", "cpu_side");
    m->build();
    if (begin) m->start();
    return m;
}

std::unique_ptr<Machine> playing(const Arguments& player, const Arguments& memory = {}) {
    auto m = std::make_unique<Machine>();
    m->add("player", "workload.TracePlayer", player);
    m->add("ram", "mem.SimpleMemory", memory);
    m->bind("player", "mem_side", "ram", "cpu_side");
    m->build();
    m->start();
    return m;
}

} // namespace

TEST_CASE("a recorder passes commands to caches and does not write them", "[traces]") {
    const Folder folder;
    Machine m;
    m.add("driver", "test_mem.Driver", {});
    m.add("recorder", "workload.TraceRecorder", {{"file", folder.at("t.mst")}});
    m.add("ram", "mem.SimpleMemory", {});
    m.bind("driver", "mem_side", "recorder", "cpu_side");
    m.bind("recorder", "mem_side", "ram", "cpu_side");
    m.build();
    auto& driver = m.get<test_mem::Driver>("driver");
    using protocol::Command;
    for (const Command c : {Command::read, Command::invalidate, Command::flush, Command::reserve})
        driver.plan(0, c, 0, 32);
    m.start();
    m.run(never);
    CHECK(driver.state.answers.size() == 4);
    CHECK(m.stat_value("recorder", "records", "") == 1);
}

TEST_CASE("a recorder writes requests with their times", "[traces]") {
    const Folder folder;
    for (const auto& [format, name] : std::vector<std::pair<std::string, std::string>> {
             {"memsim", "t.mst"}, {"gem5", "t.trc.gz"}, {"dramsim3", "t.trace"}}) {
        const auto file = folder.at(name);
        {
            const auto m =
                recorded({{"file", file}, {"format", format}, {"cycle", "1ns"}, {"batch", "64"}});
            m->run(never);
            CHECK(m->stat_value("recorder", "records", "") == 500);
            CHECK(m->imbalances().empty());
            complete_outputs(*m);
        }
        const auto records = read(file, 1_ns);
        REQUIRE(records.size() == 500);
        // The first is sent at 1 fs and passes 1 fs later; the next 7 ns after it.
        CHECK(records[0].time == (format == "memsim" ? 2 : 0));
        CHECK(records[1].time == Time {7_ns}.raw + (format == "memsim" ? 2 : 0));
        CHECK(records[1].bytes == 64);
    }
}

TEST_CASE("a recording continues from a checkpoint without damage", "[traces]") {
    const Folder folder;
    const Arguments arguments {{"file", folder.at("t.mst")}, {"batch", "16"}};
    {
        const auto m = recorded(arguments);
        m->run(never);
        complete_outputs(*m);
    }
    const std::string whole = Folder::read(folder.at("t.mst"));
    std::filesystem::remove(folder.at("t.mst"));
    std::optional<Snapshot> snapshot;
    {
        const auto m = recorded(arguments);
        m->run(Time {1_us}.raw);
        snapshot = m->save();
        m->run(Time {2_us}.raw); // and then it dies, having written more
    }
    const std::string longer = Folder::read(folder.at("t.mst"));
    { // A machine that is only looked at leaves the file alone.
        const auto m = recorded(arguments, false);
        m->load(*snapshot);
    }
    CHECK(Folder::read(folder.at("t.mst")) == longer);
    {
        const auto m = recorded(arguments, false);
        m->load(*snapshot);
        m->run(never);
        complete_outputs(*m);
    }
    CHECK(Folder::read(folder.at("t.mst")) == whole);
    CHECK(Folder::read(folder.at("t.mst.before")) == longer);

    folder.write("t.mst", "short");
    const auto m = recorded(arguments, false);
    m->load(*snapshot);
    CHECK(
        sentence_of([&] { m->run(never); }).starts_with("t.mst: has 5 bytes, and the checkpoint"));
}

TEST_CASE("a recording can be completed at any time and continues afterwards", "[traces]") {
    const Folder folder;
    for (const auto& [format, name] : std::vector<std::pair<std::string, std::string>> {
             {"memsim", "t.mst"}, {"gem5", "t.trc.gz"}, {"dramsim3", "t.trace"}}) {
        const auto file = folder.at(name);
        const Arguments arguments {
            {"file", file}, {"format", format}, {"cycle", "1ns"}, {"batch", "64"}};
        const auto at_once = recorded(arguments);
        at_once->run(never);
        complete_outputs(*at_once);
        const std::string whole = Folder::read(file);
        const auto in_parts = recorded(arguments);
        std::optional<Snapshot> snapshot;
        for (Tick t = Time {300_ns}.raw; t < Time {4_us}.raw; t += Time {300_ns}.raw) {
            in_parts->run(t);
            complete_outputs(*in_parts);
            CHECK(read(file, 1_ns).size() == in_parts->stat_value("recorder", "records", ""));
            if (t == Time {600_ns}.raw) snapshot = in_parts->save();
        }
        const auto restored = recorded(arguments, false);
        restored->load(*snapshot);
        restored->run(never);
        complete_outputs(*restored);
        CHECK(Folder::read(file) == whole);
        in_parts->run(never);
    }
}

TEST_CASE("a recorder on a full disk fails its run", "[traces]") {
    // DRAMsim3's traces have no head: the first byte is written during the run, or at its end.
    const Arguments full {{"file", "/dev/full"}, {"format", "dramsim3"}, {"cycle", "1ns"}};
    const std::string sentence = "/dev/full: cannot be written further (No space left on device): "
                                 "name a file where there is room for the trace";
    const auto refusal = [](const std::function<void()>& act) -> std::string {
        try {
            act();
        } catch (const ConfigError& e) {
            return e.what();
        }
        return "";
    };
    Arguments batches = full;
    batches.emplace_back("batch", "64");
    const auto during = recorded(batches), at_end = recorded(full);
    CHECK(refusal([&] { during->run(never); }) == sentence);
    CHECK(refusal([&] { at_end->run(never); }).empty());
    CHECK(refusal([&] { complete_outputs(*at_end); }) == sentence);
    CHECK(refusal([] { recorded({{"file", "/dev/full"}}); }) == sentence);
}

TEST_CASE("a recorded file belongs to one component", "[traces]") {
    const Folder folder;
    const auto file = folder.write("t.trace", "0x40 READ 3\n");
    std::filesystem::create_symlink(file, folder.at("link"));
    const auto refusal = [&](const std::string& record, const std::string& play) {
        return sentence_of([&] {
            Machine m;
            m.add("player", "workload.TracePlayer", {{"trace", play}, {"unit", "1ns"}});
            m.add("recorder", "workload.TraceRecorder", {{"file", record}});
            m.add("again", "workload.TraceRecorder", {{"file", folder.at("again.mst")}});
            m.add("ram", "mem.SimpleMemory", {});
            m.bind("player", "mem_side", "recorder", "cpu_side");
            m.bind("recorder", "mem_side", "again", "cpu_side");
            m.bind("again", "mem_side", "ram", "cpu_side");
            m.build();
            m.start();
        });
    };
    CHECK(refusal(folder.at("other"), file).empty());
    CHECK(refusal(file, file) == "recorder.file: '" + file +
                                     "' is the file of player.trace, too: a file that is written "
                                     "belongs to one component; name another file");
    CHECK(refusal(folder.at("link"), file).starts_with("recorder.file: '"));
    CHECK(refusal(folder.at("again.mst"), file).find("' is the file of again.file, too") !=
          std::string::npos);
    CHECK(Folder::read(file) == "0x40 READ 3\n");
}

TEST_CASE("a player sends each record at its time, not a femtosecond sooner", "[traces]") {
    const Folder folder;
    const auto file = folder.write("t", "0x40 READ 3\n0x80 WRITE 6\n0xc0 READ 10\n");
    const auto m = playing({{"trace", file}, {"unit", "1ns"}}, {{"latency", "100ns"}});
    m->run(never);
    // The last is sent at 10 ns, 1 fs on the way there, and answered 100 ns later.
    CHECK(m->sim().now() == Time {110_ns}.raw + 1);
    CHECK(m->stat_value("player", "reads", "") == 2);
    CHECK(m->stat_value("player", "writes", "") == 1);
    CHECK(m->stat_value("player", "late", "") == 0);
    CHECK(m->imbalances().empty());
    const auto twice =
        playing({{"trace", file}, {"unit", "1ns"}, {"speed", "200%"}}, {{"latency", "100ns"}});
    twice->run(never);
    CHECK(twice->sim().now() == Time {105_ns}.raw + 1);
    const auto fast = playing({{"trace", file}, {"timed", "false"}}, {{"latency", "100ns"}});
    fast->run(never);
    CHECK(fast->sim().now() < Time {103_ns}.raw);
}

TEST_CASE("a player splits large records and reports missing settings", "[traces]") {
    const Folder folder;
    const auto file = folder.write("t", "5 0 0 8 1\n");
    const auto m = playing({{"trace", file}, {"unit", "1us"}, {"largest", "128"}});
    m->run(never);
    CHECK(m->stat_value("player", "reads", "") == 32);
    CHECK(m->stat_value("player", "records", "") == 1);
    CHECK(m->stat_value("player", "bytes", "") == 4096);
    const auto refusal = [&](const Arguments& a) { return sentence_of([&] { playing(a); }); };
    CHECK(refusal({}) == "player.trace: no trace is given: set it to a file name");
    const auto text = folder.write("d", "0x40 READ 3\n");
    CHECK(refusal({{"trace", text}}).starts_with("player.unit: '"));
    const auto untimed = folder.write("r", "LD 0x40\n");
    CHECK(refusal({{"trace", untimed}}).ends_with("has no times: set timed to false"));
    CHECK(refusal({{"trace", untimed}, {"timed", "false"}}).empty());
    const auto late = playing({{"trace", folder.write("e", "0x40 READ 3\nno\n")}, {"unit", "1ns"}});
    CHECK(sentence_of([&] { late->run(never); }).starts_with("e: line 2, column 1: "));
}

TEST_CASE("a recording plays back unchanged", "[traces]") {
    const Folder folder;
    {
        const auto m = recorded({{"file", folder.at("a.mst")}});
        m->run(never);
        complete_outputs(*m);
    }
    {
        Machine m;
        m.add("player", "workload.TracePlayer", {{"trace", folder.at("a.mst")}});
        m.add("recorder", "workload.TraceRecorder", {{"file", folder.at("b.mst")}});
        m.add("ram", "mem.SimpleMemory", {{"latency", "100ns"}});
        m.bind("player", "mem_side", "recorder", "cpu_side");
        m.bind("recorder", "mem_side", "ram", "cpu_side");
        m.build();
        m.start();
        m.run(never);
        complete_outputs(m);
    }
    const auto a = read(folder.at("a.mst")), b = read(folder.at("b.mst"));
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(a[i].address == b[i].address);
        CHECK(b[i].time - a[i].time == 1); // the link to the recorder
    }
}

TEST_CASE("DRAMsim3's example trace is played into a DRAM to its end", "[traces]") {
    const std::string path = shared_data("dram_traces/dramsim3-example.trace");
    if (path.empty()) return;
    Machine m;
    m.add("player", "workload.TracePlayer", {{"trace", path}, {"unit", "630ps"}});
    m.add("dram", "mem.DramController", {});
    m.bind("player", "mem_side", "dram", "cpu_side");
    m.build();
    m.start();
    m.run(never);
    CHECK(m.stat_value("player", "reads", "") == 5365);
    CHECK(m.stat_value("player", "writes", "") == 33009);
    CHECK(m.imbalances().empty());
}

} // namespace memsim::recorder_test
