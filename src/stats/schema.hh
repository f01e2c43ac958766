#pragma once

#include "stats/views.hh"

/// The database's tables; docs/database.md explains each. A change of the tables or views needs a
/// new version, to which older files are upgraded (upgrade.cc). Values are REAL, so that a quotient
/// of two counts is not an integer division; SQLite stores whole numbers compactly all the same.
/// Relations are declared for readers; the writer maintains them without SQLite's check of each
/// row. The only indexes are those that a primary key, a resume or a query for one name over
/// thousands of runs needs; a part has its full name for that query.
namespace memsim::stats {

inline constexpr int application_id = 0x6d73696d; ///< 'msim': marks a database as memsim's
inline constexpr int schema_version = 10;

inline constexpr const char* schema = R"sql(
CREATE TABLE run(
    id TEXT PRIMARY KEY, name TEXT, script TEXT, argv TEXT, arguments TEXT, seed INTEGER,
    version TEXT, started TEXT, finished TEXT, sim_time_fs INTEGER, host_seconds REAL,
    exit_cause TEXT, digest TEXT, parent TEXT, configuration TEXT, owner TEXT,
    cwd TEXT) WITHOUT ROWID;
CREATE TABLE dump(
    id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE,
    tick INTEGER, since_tick INTEGER, label TEXT);
CREATE INDEX dump_of_run ON dump(run);
CREATE TABLE object(
    id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE, path TEXT, type TEXT,
    UNIQUE(run, path));
CREATE TABLE source(
    id INTEGER PRIMARY KEY, run TEXT REFERENCES run ON DELETE CASCADE, kind TEXT, text TEXT,
    UNIQUE(run, kind, text));
CREATE TABLE param(
    object INTEGER REFERENCES object ON DELETE CASCADE, name TEXT, text TEXT, value REAL,
    unit TEXT, tunable INTEGER, source INTEGER, PRIMARY KEY(object, name)) WITHOUT ROWID;
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
    name TEXT, unit TEXT, full_name TEXT NOT NULL, UNIQUE(stat, name));
CREATE INDEX part_of_name ON part(full_name);
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
    PRIMARY KEY(launch, total)) WITHOUT ROWID;
)sql";

} // namespace memsim::stats
