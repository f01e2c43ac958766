#include "stats/database.hh"

#include "core/machine/version.hh"

#include "ask.hh"

namespace memsim::database_test {

using namespace memsim::results_test;
using namespace memsim::literals;
using Catch::Matchers::Contains;
using stats::Database;
using stats::Position;

namespace {

stats::RunInfo info(const std::string& name = "first") {
    return {name, "configs/a.py", {"--graph", "it's \"b\"", ""}, 7, version(), ""};
}

/// 20 dumps of a run that ends normally, with a sample every 100 ns.
void simulate(Machine& m, stats::Run& run, int from, int to) {
    for (int i = from; i < to; ++i) {
        m.run((i + 1) * (500_ns).raw);
        run.dump(m, "part " + std::to_string(i));
    }
}

} // namespace

TEST_CASE("A run is in the database with its machine, its results and its end", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    Machine m(7);
    assemble(m);
    m.sample_every(100_ns, {"memory.*", "memory.reads"}); // one of them twice: sampled once
    m.start();
    auto run = Database::open(path).begin_run(info());
    run.write_machine(m);
    CHECK(ask(path, "SELECT name, script, argv, seed, finished, exit_cause, parent FROM run") ==
          R"(first|configs/a.py|["--graph","it's \"b\"",""]|7|NULL|NULL|NULL)");
    CHECK(ask(path, "SELECT path, type FROM object ORDER BY id") ==
          "gen|mem.TrafficGen monitor|mem.Monitor memory|mem.SimpleMemory");
    CHECK(ask(path,
              "SELECT text, value, p.unit, tunable FROM param p JOIN object o ON o.id = object "
              "WHERE path = 'memory' AND p.name IN ('latency', 'queue') ORDER BY p.name") ==
          "100ns|100000000.0|fs|1 16|16.0||0");
    CHECK(ask(path, "SELECT source, source_port, target, target_port FROM connection") ==
          "gen|mem_side|monitor|cpu_side monitor|mem_side|memory|cpu_side");
    // Each direction of both; the answers' places are reserved, so that their depth is none.
    CHECK(ask(path, "SELECT sender, sender_port, receiver, receiver_port, latency_fs, "
                    "bytes_per_second, depth FROM link WHERE 'memory' IN (sender, receiver)") ==
          "memory|cpu_side|monitor|mem_side|100000000|NULL|NULL "
          "monitor|mem_side|memory|cpu_side|1|NULL|16");
    CHECK(ask(path, "SELECT kind, stat.unit, doc FROM stat JOIN object o ON o.id = object WHERE "
                    "path = 'gen' AND name = 'read_latency'") ==
          "distribution|ns|Time from sending a read to its response");

    simulate(m, run, 0, 3);
    CHECK(ask(path, "SELECT count(*), count(DISTINCT part) > 10, (SELECT sim_time_fs FROM run) "
                    "FROM value WHERE dump = 1") != "");
    // The views agree with the machine, in the unit shown.
    std::ostringstream mean;
    mean.precision(15);
    mean << m.stat_value("gen", "read_latency", "mean") << "|ns";
    CHECK(ask(path, "SELECT value, unit FROM result WHERE path = 'gen' AND name = "
                    "'read_latency.mean'") == mean.str());
    CHECK(ask(path, "SELECT value, unit FROM result WHERE path = 'memory' AND name = 'reads'") ==
          std::to_string(static_cast<long>(m.stat_value("memory", "reads", ""))) + ".0|Count");
    CHECK(ask(path, "SELECT DISTINCT typeof(value) FROM value UNION SELECT typeof(value) FROM "
                    "series UNION SELECT typeof(low * high * count) FROM distribution") == "real");
    CHECK(ask(path, "SELECT label, tick, since_tick FROM results WHERE path = 'memory' AND name = "
                    "'reads' ORDER BY tick") ==
          "part 0|500000000|0 part 1|1000000000|0 part 2|1500000000|0");
    CHECK(ask(path, "SELECT sum(d.count) = r.value FROM distribution d JOIN stat s ON s.id = "
                    "d.stat JOIN object o ON o.id = s.object JOIN result r ON r.path = o.path AND "
                    "r.name = s.name || '.count' WHERE o.path = 'gen' AND s.name = 'read_latency' "
                    "AND d.dump = 3") == "1");
    CHECK(ask(path, "SELECT count(*) FROM samples WHERE path = 'memory' AND name = 'reads' AND "
                    "unit = 'Count'") == "15");
    CHECK(ask(path, "SELECT max(tick) FROM samples") == "1500000000");

    run.finish({"every request is answered", m.digest(), 1.5, m.sim().now()});
    CHECK(ask(path, "SELECT exit_cause, digest, host_seconds, sim_time_fs, finished >= started "
                    "FROM run") == "every request is answered|" + m.digest() + "|1.5|1500000000|1");
}

TEST_CASE("Stages of a request are rows when stamps are enabled", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    Machine m;
    assemble(m);
    auto run = Database::open(path).begin_run(info());
    run.write_machine(m);
    const Stage network {"network"}, dram {"dram"}, unused {"unused"};
    run.dump(m, "off");
    CHECK(ask(path, "SELECT count(*) FROM results WHERE path = 'stages'") == "0");
    m.sim().stamps().enable(1);
    for (const Tick taken : {(10_ns).raw, (20_ns).raw}) {
        const auto id = m.sim().stamps().open(0, 4096);
        m.sim().stamps().mark(id, network, (5_ns).raw);
        m.sim().stamps().close(id, dram, (5_ns).raw + taken);
    }
    run.dump(m, "on");
    CHECK(ask(path, "SELECT name, value, unit FROM result WHERE path = 'stages' AND name NOT LIKE "
                    "'%.p_0' ORDER BY name") ==
          "dram.count|2.0|Count dram.max|20.0|ns dram.mean|15.0|ns dram.p99|20.0|ns "
          "dram.sum|30.0|ns network.count|2.0|Count network.max|5.0|ns network.mean|5.0|ns "
          "network.p99|5.0|ns network.sum|10.0|ns requests|2.0|Count");
    CHECK(ask(path, "SELECT value FROM result WHERE path = 'requests' AND name = 'life.max'") ==
          "25.0");
    // The slowest first, each with stages that tile its life.
    CHECK(ask(path, "SELECT rank, number, address, latency_ns, stages_ns FROM slowest") ==
          "1|1|0x1000|25.0|dram 20.0, network 5.0 2|0|0x1000|15.0|dram 10.0, network 5.0");
}

TEST_CASE("Of the slowest requests ten are kept, the slowest first", "[stats]") {
    Stamps stamps;
    stamps.enable(1);
    const Stage dram {"dram"};
    for (const Tick life : {5, 3, 14, 4, 11, 9, 2, 10, 13, 6, 8, 12, 7, 1})
        stamps.close(stamps.open(0, 0), dram, life);
    std::string lifetimes;
    for (const Stamps::Record& r : stamps.slowest()) lifetimes += std::to_string(r.life()) + " ";
    CHECK(lifetimes == "14 13 12 11 10 9 8 7 6 5 ");
    stamps.reset();
    CHECK(stamps.slowest().empty());
}

TEST_CASE("Launches are rows; a resumed run deletes those after its checkpoint", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    Machine m;
    assemble(m);
    m.start();
    auto db = Database::open(path);
    auto run = db.begin_run(info());
    run.write_machine(m);
    const auto launch = [&](std::uint32_t number, Tick until) {
        m.sim().launches().begin(
            {0, 0, 0, number, "k" + std::to_string(number), m.sim().now(), 0, 0, 0});
        m.run(until);
        m.sim().launches().end(0, 0, number, m.sim().now(), 640, 32);
    };
    launch(1, (500_ns).raw);
    const Position at = run.position(m);
    CHECK(at.launches == 1);
    launch(2, (900_ns).raw);
    run.dump(m, "both");
    CHECK(ask(path, "SELECT kernel, started, ended, time_ns, instructions, ipc FROM launches") ==
          "k1|0|500000000|500.0|640.0|20.0 k2|500000000|900000000|400.0|640.0|20.0");
    // The counts of both add up to the total.
    const std::string reads = "name = 'reads' AND path = 'memory'";
    CHECK(ask(path, "SELECT sum(value) FROM launch_results WHERE " + reads) ==
          ask(path, "SELECT value FROM result WHERE " + reads));
    run.finish({"done", m.digest(), 1, m.sim().now()});
    REQUIRE(db.resume_run(run.uuid(), at));
    CHECK(ask(path, "SELECT kernel FROM launches") == "k1");
    CHECK(ask(path, "SELECT count(DISTINCT launch) FROM counted") == "1");
}

TEST_CASE("A run that is killed leaves whole dumps, marked unfinished", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    Database::open(path);
    const pid_t child = fork();
    if (child == 0) {
        Machine m;
        assemble(m);
        m.start();
        auto run = Database::open(path).begin_run(info());
        run.write_machine(m);
        for (int i = 0;; ++i, usleep(1000)) simulate(m, run, i, i + 1);
    }
    while (ask(path, "SELECT count(*) > 5 FROM dump") != "1") usleep(10'000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(ask(path, "SELECT finished, exit_cause, digest FROM run") == "NULL|NULL|NULL");
    CHECK(ask(path, "PRAGMA integrity_check") == "ok");
    CHECK(ask(path, "SELECT count(*) FROM dump WHERE id NOT IN (SELECT dump FROM value)") == "0");
    // Complete: once all is answered, each dump has as many rows.
    CHECK(ask(path, "SELECT count(DISTINCT n) FROM (SELECT count(*) AS n FROM value WHERE dump > 3 "
                    "GROUP BY dump)") == "1");
    auto next = Database::open(path).begin_run(info("second"));
    CHECK(ask(path, "SELECT count(*) FROM run") == "2");
}

TEST_CASE("A resumed run deletes the rows after its checkpoint", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db", other = folder / "other.db";
    const std::string everything =
        "SELECT dump, label, tick, path, name, value FROM results UNION ALL SELECT 0, 's', tick, "
        "path, name, value FROM samples ORDER BY 1, 2, 3, 4, 5";
    std::string digest, uuid, whole;
    Position at;
    Snapshot snapshot;
    {
        Machine m;
        assemble(m);
        m.sample_every(70_ns, {"memory.*"});
        m.start();
        auto run = Database::open(path).begin_run(info());
        uuid = run.uuid();
        run.write_machine(m);
        simulate(m, run, 0, 2);
        m.run((1234_ns).raw);
        at = run.position(m);
        CHECK(at.dumps == 2);
        CHECK(at.series_tick == (1190_ns).raw);
        snapshot = m.save();
        simulate(m, run, 2, 6);
        digest = m.digest();
        run.finish({"done", digest, 2.0, m.sim().now()});
        whole = ask(path, everything);
    }
    Machine m;
    assemble(m);
    m.load(snapshot);
    const std::string before = ask(path, "SELECT count(*) FROM value");

    SECTION("and then writes the same again") {
        auto run = Database::open(path).resume_run(uuid, at);
        REQUIRE(run);
        CHECK(run->uuid() == uuid);
        CHECK(
            ask(path, "SELECT finished, exit_cause, digest, host_seconds, sim_time_fs FROM run") ==
            "NULL|NULL|NULL|NULL|1000000000");
        CHECK(ask(path, "SELECT count(*), max(tick) FROM dump") == "2|1000000000");
        CHECK(ask(path, "SELECT max(tick) FROM series") == "1190000000");
        CHECK(ask(path, "SELECT count(*) FROM distribution WHERE dump > 2") == "0");
        simulate(m, *run, 2, 6);
        CHECK(m.digest() == digest);
        CHECK(ask(path, everything) == whole);
        CHECK(ask(path, "SELECT count(*) FROM object") == "3");
    }
    SECTION("in one transaction") {
        ask(path, "CREATE TRIGGER stop BEFORE UPDATE ON run BEGIN SELECT RAISE(ABORT, 'no'); END");
        CHECK_THROWS(Database::open(path).resume_run(uuid, at));
        CHECK(ask(path, everything) == whole);
        CHECK(ask(path, "SELECT count(*) FROM value") == before);
    }
    SECTION("only in a database that has it") {
        CHECK_FALSE(Database::open(other).resume_run(uuid, at));
        CHECK_FALSE(Database::open(path).resume_run(uuid, {7, at.series_tick, 0}));
        CHECK_FALSE(Database::open(path).resume_run(uuid, {2, never - 1, 0}));
        CHECK(ask(path, everything) == whole);
        auto heir = info();
        heir.parent = uuid;
        Database::open(other).begin_run(heir);
        CHECK(ask(other, "SELECT parent FROM run") == uuid);
    }
    SECTION("and leaves other runs alone") {
        auto db = Database::open(path);
        auto mine = db.begin_run(info("second"));
        Machine second(3);
        assemble(second);
        second.start();
        mine.write_machine(second);
        simulate(second, mine, 0, 2);
        const std::string of_mine = "SELECT * FROM results WHERE run = '" + mine.uuid() + "'";
        const std::string rows = ask(path, of_mine);
        CHECK(db.resume_run(uuid, {}));
        CHECK(ask(path, of_mine) == rows);
        CHECK(ask(path, "SELECT count(*) FROM results WHERE run = '" + uuid + "'") == "0");
    }
}

TEST_CASE("A run belongs to one process until that ends, however it ends", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    auto same = info();
    same.configuration = "same";
    same.only = true;
    Database::open(path);
    const pid_t child = fork();
    if (child == 0) {
        auto run = Database::open(path).begin_run(same);
        for (;;) pause();
    }
    std::string uuid;
    while ((uuid = ask(path, "SELECT id FROM run")).empty()) usleep(1000);
    auto db = Database::open(path);
    const std::string owner = ask(path, "SELECT owner FROM run");
    CHECK_THAT(owner, Contains("process " + std::to_string(child) + " on "));
    CHECK(db.in_use(uuid));
    CHECK_THROWS_WITH(db.resume_run(uuid, {}),
                      "results database " + path + ": run " + uuid + " is in use by " + owner +
                          ": end that process first, or continue as a new run with -d DIR");
    CHECK_THROWS_WITH(db.begin_run(same), "results database " + path + ": " + owner +
                                              " simulates the same run, " + uuid + ": wait for it");
    CHECK(ask(path, "SELECT count(*), owner FROM run") == "1|" + owner);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_FALSE(db.in_use(uuid));
    {
        const auto resumed = db.resume_run(uuid, {});
        CHECK(resumed);
        CHECK_THROWS_AS(db.resume_run(uuid, {}), stats::InUse); // by this process, too
    }
    CHECK(db.resume_run(uuid, {}));
}

TEST_CASE("A run that was taken over is not written by its former process", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    Machine m;
    assemble(m);
    m.start();
    auto run = Database::open(path).begin_run(info());
    run.write_machine(m);
    simulate(m, run, 0, 2);
    ask(path, "UPDATE run SET owner = 'process 1 on mars since then'");
    const std::string before = ask(path, "SELECT count(*) FROM value");
    const std::string message = "run " + run.uuid() +
                                " was taken over by process 1 on mars since then; this process has "
                                "written nothing since then and ends";
    CHECK_THROWS_WITH(simulate(m, run, 2, 3), Contains(message));
    CHECK_THROWS_WITH(run.position(m), Contains(message));
    CHECK_THROWS_WITH(run.finish({"done", "", 0, 0}), Contains(message));
    CHECK(ask(path, "SELECT count(*) FROM value") == before);
    CHECK(ask(path, "SELECT finished FROM run") == "NULL");
    ask(path, "DELETE FROM run");
    CHECK_THROWS_WITH(run.position(m), Contains(run.uuid() + " was deleted; "));
}

TEST_CASE("Several processes write one database", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db"; // they create it together, too
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        children.push_back(fork());
        if (children.back() != 0) continue;
        int code = 1;
        try {
            Machine m(static_cast<unsigned>(i));
            assemble(m);
            m.start();
            auto run = Database::open(path).begin_run(info(std::to_string(i)));
            run.write_machine(m);
            simulate(m, run, 0, 10);
            run.finish({"done", m.digest(), 0.1, m.sim().now()});
            code = 0;
        } catch (const std::exception&) {
        }
        _exit(code);
    }
    for (const pid_t child : children) {
        int status = 1;
        waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    CHECK(ask(path, "SELECT count(*) FROM run WHERE exit_cause = 'done'") == "4");
    CHECK(ask(path, "SELECT DISTINCT n FROM (SELECT count(*) AS n FROM dump GROUP BY run)") ==
          "10");
    CHECK(ask(path, "PRAGMA integrity_check") == "ok");
}

TEST_CASE("A file that is no database of results is rejected and unchanged", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    const auto refusal = [&] { return error_of([&] { Database::open(path, 100); }); };
    SECTION("text") {
        spill(path, std::string(5000, 'x'));
        CHECK(refusal() == "results database " + path +
                               ": this file is not an SQLite database; choose another file with "
                               "--stats-db");
        CHECK(slurp(path) == std::string(5000, 'x'));
    }
    SECTION("another program's") {
        ask(path, "CREATE TABLE mine(a)");
        const std::string bytes = slurp(path);
        CHECK_THAT(refusal(), Contains(path) && Contains("another program's SQLite database"));
        CHECK(slurp(path) == bytes);
    }
    SECTION("another version's") {
        Database::open(path);
        ask(path, "PRAGMA user_version = 99");
        CHECK_THAT(refusal(),
                   Contains("its tables have version 99, of a later memsim, and this one writes"));
    }
    SECTION("damaged") {
        Database::open(path);
        std::string bytes = slurp(path);
        std::fill(bytes.begin() + 100, bytes.end(), '\x55');
        spill(path, bytes);
        CHECK_THAT(refusal(), Contains("the file is damaged"));
    }
    SECTION("in no folder") {
        CHECK_THAT(error_of([&] { Database::open(folder / "none/stats.db"); }),
                   Contains("cannot be opened or created") && Contains("--stats-db"));
    }
    SECTION("in a folder without write permission") {
        const std::string closed = folder / "closed";
        std::filesystem::create_directory(closed);
        std::filesystem::permissions(closed, std::filesystem::perms(0555));
        CHECK_THAT(in_child([&] {
                       if (geteuid() == 0 && setuid(65534) != 0) return std::string("no setuid");
                       return error_of([&] { Database::open(closed + "/stats.db"); });
                   }),
                   Contains("cannot be opened or created (Permission denied)"));
    }
    SECTION("not writable") {
        Database::open(path);
        std::filesystem::permissions(path, std::filesystem::perms(0444));
        CHECK_THAT(in_child([&] {
                       if (geteuid() == 0 && setuid(65534) != 0) return std::string("no setuid");
                       return refusal();
                   }),
                   Contains("it may not be written"));
    }
    SECTION("locked") {
        Database::open(path);
        sqlite3* db = nullptr;
        sqlite3_open(path.c_str(), &db);
        sqlite3_exec(db, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr);
        CHECK_THAT(refusal(), Contains("another process holds its lock"));
        sqlite3_close(db);
        CHECK(refusal() == "");
    }
}

TEST_CASE("A full disk gives an error message and keeps every earlier dump", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    // Dumps until it fails, then reports the reason and the contents left.
    const auto until_full = [&] {
        Machine m;
        assemble(m);
        m.start();
        auto run = Database::open(path).begin_run(info());
        run.write_machine(m);
        int dumps = 0;
        const std::string message = error_of([&] {
            for (;; ++dumps) simulate(m, run, dumps, dumps + 1);
        });
        const bool whole = ask(path, "SELECT count(*) FROM dump") == std::to_string(dumps) &&
                           ask(path, "PRAGMA integrity_check") == "ok";
        return std::to_string(whole && dumps > 3) + " " + message;
    };
    SECTION("a small disk") {
        if (const auto message = on_small_disk(folder.path.string(), 200'000, until_full))
            CHECK_THAT(*message, Catch::Matchers::StartsWith("1 results database " + path) &&
                                     Contains("the disk is full") && Contains("free some space"));
    }
    SECTION("a limit on the size of files") {
        const std::string message = in_child([&] {
            limit_files(150'000);
            return until_full();
        });
        CHECK_THAT(message, Catch::Matchers::StartsWith("1 results database " + path) &&
                                Contains("earlier results are intact"));
    }
}

} // namespace memsim::database_test
