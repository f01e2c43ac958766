#include "checkpoint/file.hh"

#include "core/machine/version.hh"

#include "../stats/support.hh"
#include "core/version_number.hh"

#include <cstring>

namespace memsim::file_test {

using namespace memsim::results_test;
using namespace memsim::literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using checkpoint::Checkpoint;

namespace {

Checkpoint checkpoint_of(Machine& m) {
    Checkpoint c;
    c.script = {"configs/a.py",        "h1",
                "/home/\xff",          {"--scale", "tiny\xff"},
                {{"b.py", "h2"}},      {{"run.py", "h3"}},
                {{"a.csr", "h4"}},     7,
                std::string("{\0}", 3)};
    c.run = {"a-uuid", "out/stats.db", "out", 3, 1234, 5, 2.5};
    c.configuration = checkpoint::configuration_of(m);
    c.snapshot = m.save();
    return c;
}

/// A machine with requests in flight.
struct Rig {
    Machine m {7};
    explicit Rig(const std::string& outstanding = "16") {
        assemble(m, outstanding);
        m.sample_every(100_ns, {"memory.reads"});
    }
    void go(Time to) { m.run(to.raw); }
    std::string finish() {
        m.run((1_ms).raw);
        CHECK_FALSE(m.pending());
        Nowhere sink;
        m.dump("end", sink);
        return m.digest();
    }
};

/// The file of a machine at 333 ns.
std::string write_one(const std::string& path) {
    Rig rig("4");
    rig.m.start();
    rig.go(333_ns);
    checkpoint::write(path, checkpoint_of(rig.m));
    return slurp(path);
}

} // namespace

TEST_CASE("A machine continues from its file as if it had not stopped", "[checkpoint]") {
    const Folder folder;
    const std::string path = folder / "a.ckpt";
    Rig straight;
    straight.m.start();
    const std::string digest = straight.finish();
    for (const Time at : {0_fs, 333_ns, 1_us, 1000001_fs, 4321_ns}) {
        Rig first;
        first.m.start();
        first.go(at);
        checkpoint::write(path, checkpoint_of(first.m));
        Rig second;
        second.m.load(checkpoint::read(path).snapshot);
        CHECK(second.m.sim().now() == at.raw);
        CHECK(second.finish() == digest);
        CHECK(first.finish() == digest); // looking does not disturb
    }
    CHECK(folder.files() == 1);
}

TEST_CASE("A file holds all that was written", "[checkpoint]") {
    const Folder folder;
    const std::string path = folder / "a.ckpt";
    Rig rig;
    rig.m.start();
    rig.go(1_us);
    Checkpoint c = checkpoint_of(rig.m);
    c.snapshot.pending = 5;
    c.snapshot.events = {{5, "gen", "a", "u8", std::string("\0x", 2)},
                         {6, "memory", "b", "u8", ""}};
    checkpoint::write(path, c);
    const Checkpoint d = checkpoint::read(path);
    CHECK(d.version == version());
    CHECK(d.script.path == c.script.path);
    CHECK(d.script.hash == "h1");
    CHECK(d.script.cwd == c.script.cwd);
    CHECK(d.script.argv == c.script.argv);
    REQUIRE(d.script.modules.size() == 1);
    CHECK(d.script.modules[0].path + d.script.modules[0].hash == "b.pyh2");
    REQUIRE(d.script.package.size() == 1);
    CHECK(d.script.package[0].path + d.script.package[0].hash == "run.pyh3");
    REQUIRE(d.script.inputs.size() == 1);
    CHECK(d.script.inputs[0].path + d.script.inputs[0].hash == "a.csrh4");
    CHECK(d.build == build_id());
    CHECK(d.build.size() == 40);
    CHECK(d.script.seed == 7);
    CHECK(d.script.journal == c.script.journal);
    CHECK(d.run.uuid + d.run.database + d.run.outdir == "a-uuidout/stats.dbout");
    CHECK(d.run.dumps == 3);
    CHECK(d.run.series_tick == 1234);
    CHECK(d.run.host_seconds == 2.5);
    REQUIRE(d.configuration.objects.size() == 3);
    CHECK(d.configuration.objects[2].path == "memory");
    CHECK(d.configuration.objects[2].type == "mem.SimpleMemory");
    CHECK(d.configuration.objects[2].params[1].name == "latency");
    CHECK(d.configuration.objects[2].params[1].value == "100ns");
    CHECK(d.configuration.objects[2].params[1].tunable);
    CHECK_FALSE(d.configuration.objects[2].params[0].tunable);
    REQUIRE(d.configuration.connections.size() == 2);
    CHECK(d.configuration.connections[1].from_port == "mem_side");
    CHECK(d.configuration.connections[1].to == "memory");
    CHECK(d.snapshot.now == c.snapshot.now);
    CHECK(d.snapshot.configuration == rig.m.configuration());
    CHECK(d.snapshot.shared == c.snapshot.shared);
    REQUIRE(d.snapshot.objects.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto &a = c.snapshot.objects[i], &b = d.snapshot.objects[i];
        CHECK(a.path + a.type + a.shape == b.path + b.type + b.shape);
        CHECK(a.state == b.state);
        CHECK(a.stats == b.stats);
        CHECK(a.ports == b.ports);
    }
    REQUIRE(d.snapshot.events.size() == 2);
    CHECK(d.snapshot.events[0].payload == c.snapshot.events[0].payload);
    CHECK(d.snapshot.events[1].handler == "b");

    const auto info = checkpoint::read_info(path);
    CHECK(info.version == version());
    CHECK(info.script == "configs/a.py");
    CHECK(info.argv == c.script.argv);
    CHECK(info.run == "a-uuid");
    CHECK(info.now == (1_us).raw);
    CHECK(info.objects == 3);
    CHECK(info.pending == 5);
    CHECK(info.bytes == slurp(path).size());
    CHECK(info.bytes_unpacked > info.bytes);
    CHECK(info.written > 1'700'000'000);

    CHECK_THAT(checkpoint::show_state(d, "memory"), Contains("free_at"));
    CHECK_THAT(error_of([&] { checkpoint::show_state(d, "memry"); }),
               Contains("no component 'memry' (did you mean 'memory'?)"));
}

TEST_CASE("A file cut anywhere is refused", "[checkpoint]") {
    const Folder folder;
    const std::string path = folder / "a.ckpt", cut = folder / "cut.ckpt";
    const std::string bytes = write_one(path);
    CAPTURE(bytes.size());
    std::size_t accepted = 0, other = 0;
    spill(cut, bytes);
    for (std::size_t n = bytes.size(); n-- > 0;) {
        std::filesystem::resize_file(cut, n);
        const std::string message = error_of([&] { checkpoint::read(cut); });
        accepted += message.empty();
        other += message != "checkpoint " + cut + ": the file is cut off after " +
                                std::to_string(n) +
                                " bytes; use another checkpoint or copy this one again";
    }
    CHECK(accepted == 0);
    CHECK(other == 0);
    spill(cut, bytes + "x");
    CHECK_THAT(error_of([&] { checkpoint::read(cut); }), Contains("was altered"));
    spill(cut, bytes);
    CHECK(error_of([&] { checkpoint::read(cut); }) == "");
}

TEST_CASE("A file with one bit flipped anywhere is refused", "[checkpoint]") {
    const Folder folder;
    const std::string path = folder / "a.ckpt";
    const std::string bytes = write_one(path);
    std::size_t accepted = 0, altered = 0;
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    const auto put = [&](std::size_t n, int byte) {
        file.seekp(static_cast<std::streamoff>(n)).put(static_cast<char>(byte)).flush();
    };
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        put(n, bytes[n] ^ (1 << n % 8));
        const std::string message = error_of([&] { checkpoint::read(path); });
        accepted += message.empty() || error_of([&] { checkpoint::read_info(path); }).empty();
        altered += message.find("was altered") != std::string::npos;
        put(n, bytes[n]);
    }
    CHECK(accepted == 0);
    CHECK(error_of([&] { checkpoint::read(path); }) == "");
    CHECK(altered > bytes.size() - 32); // the rest: magic, format, lengths
}

TEST_CASE("A file of another kind or version is rejected", "[checkpoint]") {
    const Folder folder;
    const std::string path = folder / "a.ckpt";
    const auto refusal = [&] { return error_of([&] { checkpoint::read(path); }); };
    CHECK_THAT(refusal(), Contains("cannot be read (No such file or directory)"));
    CHECK_THAT(error_of([&] { checkpoint::read(folder.path.string()); }),
               Contains("cannot be read (Is a directory)"));
    spill(path, "import memsim\n");
    CHECK_THAT(refusal(), Contains("this is not a checkpoint of memsim"));
    std::string bytes = write_one(path);
    bytes[8] = 1;
    spill(path, bytes);
    CHECK_THAT(refusal(), Contains("its file format is version 1 and this memsim (" + version() +
                                   ") reads version 2"));
}

TEST_CASE("Only components outside of the machine may have changed", "[checkpoint]") {
    const Folder folder;
    const std::string path = folder / "a.ckpt";
    std::string bytes = write_one(path);
    bytes.replace(bytes.find(version()), 5, "0.0.9");
    // The checksum as docs/checkpoints.md has it, of a file that is one piece.
    std::string head = bytes.substr(0, 64).replace(32, 32, 32, '\0');
    Digest sum;
    sum.add(bytes.substr(64));
    sum.add(head);
    spill(path, bytes.replace(32, 32, sum.value));
    CHECK_THAT(checkpoint::read_info(path).version, StartsWith("0.0.9+"));
    const Snapshot good = checkpoint::read(path).snapshot;
    Rig("4").m.load(good);
    const auto refusal = [&](const std::string& from, const std::string& to) {
        Snapshot s = good;
        std::string& shape = s.objects.at(0).shape; // the generator's
        const auto at = shape.find(from);
        REQUIRE(at != shape.npos);
        shape.replace(at, from.size(), to);
        return error_of([&] { Rig("4").m.load(s); });
    };
    for (const auto& [from, to, what] :
         {std::array {"State sent u64", "State sent u32", "State sent"},
          std::array {"address:u64", "address:u32", "port mem_side"},
          std::array {"statistic reads counter\n", "", "statistic reads"},
          std::array {"statistic write_latency distribution\n", "", "statistic write_latency"}})
        CHECK(refusal(from, to) ==
              "gen (mem.TrafficGen): it was saved by a memsim in which " + std::string(what) +
                  " differs: resume with the memsim that wrote the checkpoint");
}

TEST_CASE("The version of the code consists of its release and its shapes", "[checkpoint]") {
    CHECK_THAT(version(), StartsWith(MEMSIM_VERSION "+"));
    CHECK(version().size() == std::string_view {MEMSIM_VERSION}.size() + 13);
}

TEST_CASE("A failed write leaves only the earlier file", "[checkpoint]") {
    const Folder folder;
    const std::string path = folder / "a.ckpt";
    // Writes a small file, then one that is too large, and reports the results.
    const auto fill = [&] {
        const std::string bytes = write_one(path);
        Rig rig;
        Checkpoint c = checkpoint_of(rig.m);
        Rng random(1, "noise");
        for (int i = 0; i < 50'000; ++i) {
            const std::uint64_t n = random.next();
            c.script.journal.append(reinterpret_cast<const char*>(&n), sizeof n);
        }
        const std::string message = error_of([&] { checkpoint::write(path, c); });
        const bool whole = slurp(path) == bytes && folder.files() == 1 &&
                           error_of([&] { checkpoint::read(path); }).empty();
        return std::to_string(whole) + " " + message;
    };
    SECTION("on a full disk") {
        if (const auto message = on_small_disk(folder.path.string(), 100'000, fill))
            CHECK_THAT(*message, StartsWith("1 checkpoint " + path) &&
                                     Contains("No space left on device") &&
                                     Contains("free some space") && Contains("is unchanged"));
    }
    SECTION("at a limit on the size of files") {
        const std::string message = in_child([&] {
            limit_files(100'000);
            return fill();
        });
        CHECK_THAT(message, StartsWith("1 checkpoint " + path) && Contains("File too large"));
    }
    SECTION("without the folder") {
        const std::string there = folder / "none/a.ckpt";
        Rig rig;
        CHECK_THAT(error_of([&] { checkpoint::write(there, checkpoint_of(rig.m)); }),
                   StartsWith("checkpoint " + there +
                              ": cannot be written here (No such file or "
                              "directory)"));
    }
    SECTION("without the right") {
        const std::string message = in_child([&] {
            if (geteuid() == 0 && setuid(65534) != 0) return std::string("no setuid");
            Rig rig;
            return error_of([&] { checkpoint::write(path, checkpoint_of(rig.m)); });
        });
        if (geteuid() == 0) CHECK_THAT(message, Contains("Permission denied"));
    }
    SECTION("where a folder has the name") {
        std::filesystem::create_directory(path);
        Rig rig;
        CHECK_THAT(error_of([&] { checkpoint::write(path, checkpoint_of(rig.m)); }),
                   Contains("cannot be renamed"));
        CHECK(folder.files() == 1);
    }
}

} // namespace memsim::file_test
