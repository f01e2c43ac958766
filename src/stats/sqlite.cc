#include "stats/sqlite.hh"

#include "core/base/error.hh"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace memsim::stats {

Connection::Connection(const std::string& path, int patience) : path_(path) {
    sqlite3* s = nullptr;
    const int code =
        sqlite3_open_v2(path.c_str(), &s, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    handle_.reset(s);
    check(code);
    sqlite3_extended_result_codes(s, 1);
    sqlite3_busy_timeout(s, patience);
    // SQLite opens a file without write permission for reading, and would report it only at the
    // first insert.
    if (sqlite3_db_readonly(s, "main")) fail(SQLITE_READONLY);
}

void Connection::Close::operator()(sqlite3* s) const { sqlite3_close_v2(s); }

int Connection::try_run(const char* sql) {
    return sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
}

std::int64_t Connection::last_id() const { return sqlite3_last_insert_rowid(handle()); }

void Connection::check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) fail(code);
}

void Connection::fail(int code) const {
    const std::string start = "results database " + path_ + ": ";
    const std::string other = "; choose another file with --stats-db";
    const std::string whole = "; earlier results are intact";
    int system = handle_ ? sqlite3_system_errno(handle()) : 0;
    // SQLite then tries to open the file for reading, and reports that it does not exist.
    if (const auto slash = path_.rfind('/'); system == ENOENT && slash != std::string::npos &&
                                             access(path_.substr(0, slash + 1).c_str(), W_OK))
        system = errno;
    const std::string why = system ? std::string(" (") + std::strerror(system) + ")" : "";
    if (code == SQLITE_READONLY_DBMOVED || (handle_ && (code & 0xff) != SQLITE_CANTOPEN &&
                                            access(path_.c_str(), F_OK) && errno == ENOENT))
        throw ConfigError(start + "it was removed, renamed or replaced while memsim used it: put " +
                          "it back and continue from a checkpoint, or start the run again");
    switch (code & 0xff) {
    case SQLITE_FULL:
        throw ConfigError(start + "the disk is full" + whole + ": free some space, or choose " +
                          "another file with --stats-db");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        throw ConfigError(start + "another process holds its lock and does not release it" + whole +
                          ": end that process, or choose another file with --stats-db");
    case SQLITE_CANTOPEN:
        throw ConfigError(start + "it cannot be opened or created" + why +
                          ": create its folder with write permission, or choose another " +
                          "file with --stats-db");
    case SQLITE_READONLY:
    case SQLITE_PERM:
        throw ConfigError(
            start + "it may not be written" + why +
            ": grant write permission for the file and its folder, or choose another " +
            "file with --stats-db");
    case SQLITE_NOTADB:
        throw ConfigError(start + "this file is not an SQLite database" + other);
    case SQLITE_CORRUPT:
        throw ConfigError(start + "the file is damaged: save what `sqlite3 " + path_ +
                          " .recover` finds" + other);
    case SQLITE_IOERR:
        throw ConfigError(start + "it could not be read or written" + why + whole +
                          ": check the disk, or choose another file with --stats-db");
    case SQLITE_NOMEM:
        throw std::bad_alloc();
    }
    panic(__FILE__, __LINE__, start + (handle_ ? sqlite3_errmsg(handle()) : "no connection"));
}

Statement::Statement(Connection& c, const char* sql) : connection_(c) {
    sqlite3_stmt* s = nullptr;
    const int code =
        sqlite3_prepare_v3(c.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &s, nullptr);
    handle_.reset(s);
    c.check(code);
}

void Statement::Finalize::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }

bool Statement::step() {
    const int code = sqlite3_step(handle_.get());
    if (code != SQLITE_ROW) sqlite3_reset(handle_.get()); // releases the lock of a failed step
    connection_.check(code);
    return code == SQLITE_ROW;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(handle_.get(), column);
}

std::string Statement::text(int column) const {
    const auto* t = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
    return t ? t : "";
}

void Statement::reset() {
    sqlite3_reset(handle_.get());
    sqlite3_clear_bindings(handle_.get());
}

void Statement::put(int i, std::int64_t v) { sqlite3_bind_int64(handle_.get(), i, v); }
// SQLite has no unsigned integers. The few values that need one are stored as text, which equals no
// integer but keeps every digit.
void Statement::put(int i, std::uint64_t v) {
    if (v >> 63)
        put(i, std::to_string(v));
    else
        put(i, static_cast<std::int64_t>(v));
}
void Statement::put(int i, double v) { sqlite3_bind_double(handle_.get(), i, v); }
void Statement::put(int i, std::string_view v) {
    sqlite3_bind_text(handle_.get(), i, v.data(), static_cast<int>(v.size()), SQLITE_TRANSIENT);
}

} // namespace memsim::stats
