#include "stats/database.hh"
#include "stats/ownership.hh"

#include "ask.hh"

namespace memsim::upgrade_test {

using namespace memsim::results_test;
using Catch::Matchers::Contains;
using stats::Database;

namespace {

/// The tables of version 1; below, what each later version changed. Versions 3 and 4 were written
/// by memsims that had a part of their changes only, too.
const std::string version_1 = R"sql(
CREATE TABLE run(
    id TEXT PRIMARY KEY, name TEXT, script TEXT, argv TEXT, seed INTEGER, version TEXT,
    started TEXT, finished TEXT, sim_time_fs INTEGER, host_seconds REAL, exit_cause TEXT,
    digest TEXT, parent TEXT) WITHOUT ROWID;
CREATE TABLE dump(
    id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE,
    tick INTEGER, since_tick INTEGER, label TEXT);
CREATE INDEX dump_of_run ON dump(run);
CREATE TABLE object(
    id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE, path TEXT, type TEXT,
    UNIQUE(run, path));
CREATE TABLE param(
    object INTEGER REFERENCES object ON DELETE CASCADE, name TEXT, value TEXT, unit TEXT,
    tunable INTEGER, PRIMARY KEY(object, name)) WITHOUT ROWID;
CREATE TABLE connection(
    run TEXT REFERENCES run ON DELETE CASCADE, source TEXT, source_port TEXT, target TEXT,
    target_port TEXT, PRIMARY KEY(run, source, source_port)) WITHOUT ROWID;
CREATE TABLE stat(
    id INTEGER PRIMARY KEY, object INTEGER REFERENCES object ON DELETE CASCADE,
    name TEXT, kind TEXT, unit TEXT, doc TEXT, UNIQUE(object, name));
CREATE TABLE part(
    id INTEGER PRIMARY KEY, stat INTEGER REFERENCES stat ON DELETE CASCADE,
    name TEXT, unit TEXT, UNIQUE(stat, name));
CREATE TABLE value(
    dump INTEGER REFERENCES dump ON DELETE CASCADE,
    part INTEGER REFERENCES part ON DELETE CASCADE, value, PRIMARY KEY(dump, part)) WITHOUT ROWID;
CREATE TABLE distribution(
    dump INTEGER REFERENCES dump ON DELETE CASCADE,
    stat INTEGER REFERENCES stat ON DELETE CASCADE, low, high, count INTEGER,
    PRIMARY KEY(dump, stat, low)) WITHOUT ROWID;
CREATE TABLE series(
    part INTEGER REFERENCES part ON DELETE CASCADE, tick INTEGER, value,
    PRIMARY KEY(part, tick)) WITHOUT ROWID;

CREATE VIEW named AS
    SELECT part.id AS part, object.run AS run, object.path AS path,
           stat.name || CASE part.name WHEN '' THEN '' ELSE '.' || part.name END AS name,
           part.unit AS unit
    FROM part JOIN stat ON stat.id = part.stat JOIN object ON object.id = stat.object;
CREATE VIEW results AS
    SELECT dump.run AS run, dump.id AS dump, dump.label AS label, dump.tick AS tick,
           dump.since_tick AS since_tick, named.path AS path, named.name AS name,
           value.value AS value, named.unit AS unit
    FROM dump JOIN value ON value.dump = dump.id JOIN named ON named.part = value.part;
CREATE VIEW result AS
    SELECT run, path, name, value, unit FROM results
    WHERE dump = (SELECT max(id) FROM dump AS last WHERE last.run = results.run);
CREATE VIEW samples AS
    SELECT named.run AS run, named.path AS path, named.name AS name, series.tick AS tick,
           series.value AS value, named.unit AS unit
    FROM named JOIN series ON series.part = named.part;
)sql";

std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}
std::string with_configuration(const std::string& t) {
    return changed(t, "parent TEXT)", "parent TEXT, configuration TEXT)");
}
std::string with_owner(const std::string& t) {
    return changed(t, "configuration TEXT)", "configuration TEXT, owner TEXT)");
}
std::string with_numbers(std::string t) {
    t = changed(t, "name TEXT, value TEXT, unit TEXT,\n    tunable",
                "name TEXT, text TEXT, value REAL,\n    unit TEXT, tunable");
    t = changed(t, "value, PRIMARY KEY(dump, part)", "value REAL,\n    PRIMARY KEY(dump, part)");
    t = changed(t, "low, high, count INTEGER", "low REAL, high REAL, count REAL");
    return changed(t, "value,\n    PRIMARY KEY(part, tick)",
                   "value REAL,\n    PRIMARY KEY(part, tick)");
}
std::string with_links(const std::string& t) {
    return t + R"sql(
CREATE TABLE link(
    run TEXT REFERENCES run ON DELETE CASCADE, sender TEXT, sender_port TEXT, receiver TEXT,
    receiver_port TEXT, latency_fs INTEGER, bytes_per_second REAL, depth INTEGER,
    PRIMARY KEY(run, sender, sender_port)) WITHOUT ROWID;)sql";
}
std::string with_launches(const std::string& t) {
    return t + R"sql(
CREATE TABLE slow(
    dump INTEGER REFERENCES dump ON DELETE CASCADE, rank INTEGER, stage TEXT, time REAL,
    number INTEGER, address INTEGER, opened INTEGER, PRIMARY KEY(dump, rank, stage)) WITHOUT ROWID;
CREATE TABLE total(
    id INTEGER PRIMARY KEY, object INTEGER REFERENCES object ON DELETE CASCADE,
    path TEXT, name TEXT, unit TEXT, UNIQUE(object, name));
CREATE TABLE launch(
    id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE, dispatcher TEXT,
    application INTEGER, number INTEGER, kernel TEXT, started INTEGER, ended INTEGER,
    instructions REAL, cycles REAL);
CREATE INDEX launch_of_run ON launch(run);
CREATE TABLE counted(
    launch INTEGER REFERENCES launch ON DELETE CASCADE,
    total INTEGER REFERENCES total ON DELETE CASCADE, value REAL,
    PRIMARY KEY(launch, total)) WITHOUT ROWID;)sql";
}

struct Old {
    const char* name;
    int version;
    std::string tables;
    bool numbers = false, launches = false, links = false;
};
std::vector<Old> old_versions() {
    const std::string two = with_configuration(version_1), three = with_numbers(with_owner(two));
    return {{"1", 1, version_1},
            {"2", 2, two},
            {"3, with owners only", 3, with_owner(two)},
            {"3, with numbers only", 3, with_numbers(two), true},
            {"3", 3, three, true},
            {"4, with links only", 4, with_links(three), true, false, true},
            {"4, with launches only", 4, with_launches(three), true, true},
            {"4", 4, with_launches(with_links(three)), true, true, true}};
}

/// One run, as that version's memsim wrote it: a dump at the start and one at the end.
std::string rows(const Old& old) {
    std::string sql = R"sql(
INSERT INTO run(id, name, argv, seed, started, finished, digest)
    VALUES('1a2b3c4d-0000-4000-8000-000000000000', 'ohm_planar', '["--platform","ohm-base"]', 7,
           '2026-11-21', '2026-11-21', 'd1');
INSERT INTO dump VALUES(1, '1a2b3c4d-0000-4000-8000-000000000000', 10, 0, 'early'),
    (2, '1a2b3c4d-0000-4000-8000-000000000000', 20, 10, 'end');
INSERT INTO object VALUES(1, '1a2b3c4d-0000-4000-8000-000000000000', 'memory', 'ohm.Planar');
INSERT INTO connection VALUES('1a2b3c4d-0000-4000-8000-000000000000', 'memory', 'a', 'gpu', 'b');
INSERT INTO stat VALUES(1, 1, 'migration_share', 'ratio', 'Ratio', 'Share'),
    (2, 1, 'latency', 'distribution', 'ns', 'Time');
INSERT INTO part VALUES(1, 1, '', 'Ratio'), (2, 2, 'mean', 'ns'), (3, 2, 'count', 'Count');
INSERT INTO value VALUES(1, 1, 0.5), (1, 2, 8), (1, 3, 1), (2, 1, 0.25), (2, 2, 12.5), (2, 3, 4);
INSERT INTO distribution VALUES(2, 2, 8, 15, 3), (2, 2, 16.5, 31, 1);
INSERT INTO series VALUES(3, 5, 1), (3, 15, 2);)sql";
    for (const auto& [name, text, value, unit] :
         std::vector<std::array<std::string, 4>> {{"t_read", "190ns", "190000000", "fs"},
                                                  {"size", "6MiB", "6291456", "B"},
                                                  {"clock", "1.2GHz", "1200000000", "Hz"},
                                                  {"threshold", "12.5%", "125000000", "ppb"},
                                                  {"ways", "16", "16", ""},
                                                  {"dual", "true", "1", ""},
                                                  {"order", "frfcfs", "NULL", ""}})
        sql += "INSERT INTO param VALUES(1, '" + name + "', '" + text + "', " +
               (old.numbers ? value + ", " : "") + "'" + unit + "', 0);";
    if (old.launches)
        sql += "INSERT INTO total VALUES(1, 1, 'memory', 'reads', 'Count');"
               "INSERT INTO launch VALUES(1, '1a2b3c4d-0000-4000-8000-000000000000', 'gpu', 0, 1, "
               "'k', 0, 20, 64, 2);"
               "INSERT INTO counted VALUES(1, 1, 9);"
               "INSERT INTO slow VALUES(2, 1, 'dram', 7, 3, 64, 11);";
    if (old.links)
        sql += "INSERT INTO link VALUES('1a2b3c4d-0000-4000-8000-000000000000', 'memory', 'a', "
               "'gpu', 'b', 1, NULL, 16);";
    return sql;
}

void make(const std::string& path, const Old& old) {
    ask(path, old.tables + rows(old) +
                  "PRAGMA application_id = 1836280173; PRAGMA user_version = " +
                  std::to_string(old.version));
}

const char* const readme = "SELECT path, value FROM result WHERE name = 'migration_share'";

} // namespace

TEST_CASE("A database of an older version is upgraded when it is opened to be written", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db", fresh = folder / "fresh.db";
    Database::open(fresh);
    for (const Old& old : old_versions()) {
        INFO("version " << old.name);
        std::filesystem::remove(path);
        make(path, old);
        const std::string results =
            "SELECT dump, label, tick, since_tick, path, name, value * 1.0, "
            "unit FROM results ORDER BY dump, name";
        const std::string before = ask(path, results);
        REQUIRE(before != "");
        auto db = Database::open(path);
        CHECK(ask(path, readme) == "memory|0.25");
        CHECK(ask(path, results) == before);
        CHECK(ask(path, "SELECT name, value, unit FROM result ORDER BY name") ==
              "latency.count|4.0|Count latency.mean|12.5|ns migration_share|0.25|Ratio");
        CHECK(ask(path, "SELECT name, tick, value FROM samples") ==
              "latency.count|5|1.0 latency.count|15|2.0");
        CHECK(ask(path, "SELECT low, high, count FROM buckets") == "8.0|15.0|3.0 16.5|31.0|1.0");
        CHECK(ask(path, "SELECT name, text, value, unit FROM param ORDER BY name") ==
              "clock|1.2GHz|1200000000.0|Hz dual|true|1.0| order|frfcfs|NULL| "
              "size|6MiB|6291456.0|B t_read|190ns|190000000.0|fs threshold|12.5%|125000000.0|ppb "
              "ways|16|16.0|");
        CHECK(ask(path, "SELECT name, seed, digest, configuration, owner, cwd FROM run") ==
              "ohm_planar|7|d1|NULL|NULL|NULL");
        CHECK(ask(path, "SELECT source, target FROM connection") == "memory|gpu");
        CHECK(ask(path, "SELECT kernel, ipc FROM launches") == (old.launches ? "k|32.0" : ""));
        CHECK(ask(path, "SELECT latency_ns FROM slowest") == (old.launches ? "7.0" : ""));
        CHECK(ask(path, "SELECT depth FROM link") == (old.links ? "16" : ""));
        const std::string all = "SELECT type, name, sql FROM sqlite_schema ORDER BY name, type";
        CHECK(ask(path, all) == ask(fresh, all));
        CHECK(ask(path, "PRAGMA user_version") == ask(fresh, "PRAGMA user_version"));
        CHECK(ask(path, "PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok");

        Machine m;
        assemble(m);
        m.start();
        auto run = db.begin_run({"next", "", {}, 1, "", ""});
        run.write_machine(m);
        run.dump(m, "end");
        CHECK(ask(path, "SELECT count(*) FROM run") == "2");
        CHECK(ask(path, readme) == "memory|0.25");
    }
}

TEST_CASE("An upgrade that does not succeed leaves the file as it was", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    const Old old = old_versions()[1];
    make(path, old);
    const auto refusal = [&] { return error_of([&] { Database::open(path, 100); }); };
    const auto refused = [&](const std::string& why) {
        const std::string bytes = slurp(path);
        CHECK(refusal() ==
              "results database " + path + ": " + why + ", or choose another file with --stats-db");
        CHECK(slurp(path) == bytes);
    };
    SECTION("no place for it") {
        ask(path,
            "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
            "INSERT INTO part SELECT i, i, 'p', '' FROM n");
        const std::string bytes = slurp(path);
        CHECK_THAT(in_child([&] {
                       limit_files(static_cast<unsigned>(bytes.size()));
                       return refusal();
                   }),
                   Contains("earlier results are intact"));
        CHECK(ask(path, "PRAGMA user_version; PRAGMA integrity_check") == "2 ok");
        CHECK(slurp(path) == bytes);
        CHECK(refusal() == "");
    }
    SECTION("a view of the user's has one of the names") {
        ask(path, "CREATE VIEW link AS SELECT 1");
        refused("its view link is not memsim's, which needs a table of that name: rename it");
    }
    SECTION("a table of the user's has one of the names") {
        ask(path, "CREATE TABLE launch(id, rocket)");
        refused("its table launch has a column rocket that is not memsim's, and memsim needs the "
                "name: rename the table");
    }
    SECTION("a process of the older memsim has a run in it") {
        ask(path, "ALTER TABLE run ADD COLUMN owner TEXT; UPDATE run SET finished = NULL, owner = "
                  "'process 7 on mars'");
        const std::string id = ask(path, "SELECT id FROM run");
        int go[2];
        REQUIRE(pipe(go) == 0);
        const pid_t child = fork();
        if (child == 0) {
            const auto mine = stats::Ownership::take(path, id);
            if (::write(go[1], mine ? "+" : "-", 1) == 1)
                for (;;) pause();
        }
        char byte = 0;
        CHECK(::read(go[0], &byte, 1) == 1);
        REQUIRE(byte == '+');
        refused("its tables have version 2 and are upgraded only while no process writes them, but "
                "process 7 "
                "on mars writes the run " +
                id + ": wait until it ends");
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        close(go[0]), close(go[1]);
        CHECK(refusal() == "");
    }
}

TEST_CASE("An upgrade keeps tables and views that the user added", "[stats]") {
    const Folder folder;
    const std::string path = folder / "stats.db";
    make(path, old_versions()[0]);
    ask(path, "CREATE TABLE mine(a); INSERT INTO mine VALUES(3);"
              "CREATE VIEW best AS SELECT max(value) AS value FROM result;"
              "CREATE INDEX by_unit ON part(unit);"
              "CREATE TRIGGER count AFTER DELETE ON value BEGIN UPDATE mine SET a = a + 1; END");
    Database::open(path);
    CHECK(ask(path, "SELECT value FROM best") == "12.5");
    CHECK(ask(path, "DELETE FROM value WHERE part = 3; SELECT a FROM mine") == "5");
    CHECK(ask(path, "SELECT tbl_name FROM sqlite_schema WHERE name = 'by_unit'") == "part");
}

} // namespace memsim::upgrade_test
