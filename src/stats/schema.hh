#pragma once

/// The database's tables and views; docs/database.md says what each holds. A change of them is a
/// new version. Values are REAL, so that a quotient of two counts is none of integers; SQLite
/// stores a whole number as one all the same. Relations are declared for readers; the writer keeps
/// them without their being checked row by row. There is no index but what a primary key or a
/// resume needs.
namespace memsim::stats {

inline constexpr int application_id = 0x6d73696d; ///< 'msim': marks a database as ours
inline constexpr int schema_version = 4;

inline constexpr const char* schema = R"sql(
CREATE TABLE run(
    id TEXT PRIMARY KEY, name TEXT, script TEXT, argv TEXT, seed INTEGER, version TEXT,
    started TEXT, finished TEXT, sim_time_fs INTEGER, host_seconds REAL, exit_cause TEXT,
    digest TEXT, parent TEXT, configuration TEXT, owner TEXT) WITHOUT ROWID;
CREATE TABLE dump(
    id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE,
    tick INTEGER, since_tick INTEGER, label TEXT);
CREATE INDEX dump_of_run ON dump(run);
CREATE TABLE object(
    id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE, path TEXT, type TEXT,
    UNIQUE(run, path));
CREATE TABLE param(
    object INTEGER REFERENCES object ON DELETE CASCADE, name TEXT, text TEXT, value REAL,
    unit TEXT, tunable INTEGER, PRIMARY KEY(object, name)) WITHOUT ROWID;
CREATE TABLE connection(
    run TEXT REFERENCES run ON DELETE CASCADE, source TEXT, source_port TEXT, target TEXT,
    target_port TEXT, PRIMARY KEY(run, source, source_port)) WITHOUT ROWID;
CREATE TABLE link(
    run TEXT REFERENCES run ON DELETE CASCADE, sender TEXT, sender_port TEXT, receiver TEXT,
    receiver_port TEXT, latency_fs INTEGER, bytes_per_second REAL, depth INTEGER,
    PRIMARY KEY(run, sender, sender_port)) WITHOUT ROWID;
CREATE TABLE stat(
    id INTEGER PRIMARY KEY, object INTEGER REFERENCES object ON DELETE CASCADE,
    name TEXT, kind TEXT, unit TEXT, doc TEXT, UNIQUE(object, name));
CREATE TABLE part(
    id INTEGER PRIMARY KEY, stat INTEGER REFERENCES stat ON DELETE CASCADE,
    name TEXT, unit TEXT, UNIQUE(stat, name));
CREATE TABLE value(
    dump INTEGER REFERENCES dump ON DELETE CASCADE,
    part INTEGER REFERENCES part ON DELETE CASCADE, value REAL,
    PRIMARY KEY(dump, part)) WITHOUT ROWID;
CREATE TABLE distribution(
    dump INTEGER REFERENCES dump ON DELETE CASCADE,
    stat INTEGER REFERENCES stat ON DELETE CASCADE, low REAL, high REAL, count REAL,
    PRIMARY KEY(dump, stat, low)) WITHOUT ROWID;
CREATE TABLE series(
    part INTEGER REFERENCES part ON DELETE CASCADE, tick INTEGER, value REAL,
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

} // namespace memsim::stats
