#pragma once

#include "core/base/units.hh"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// The parts of SQLite that the database needs. Every failure is a ConfigError that names the file
/// and the remedy.
namespace memsim::stats {

class Connection {
  public:
    /// `patience`: the longest wait for another process's lock, in milliseconds.
    Connection(const std::string& path, int patience);
    const std::string& path() const { return path_; }
    sqlite3* handle() const { return handle_.get(); }
    void run(const char* sql) { check(try_run(sql)); }
    int try_run(const char* sql);
    std::int64_t last_id() const;
    void check(int code) const;

  private:
    [[noreturn]] void fail(int code) const;
    struct Close {
        void operator()(sqlite3* s) const;
    };
    std::string path_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement: `s.bind(1, 2.0, "x").step()`.
class Statement {
  public:
    Statement(Connection& c, const char* sql);
    /// Binds all parameters, in order.
    template <class... V>
    Statement& bind(const V&... v) {
        reset();
        int i = 0;
        (put(++i, v), ...);
        return *this;
    }
    /// True if there is a row.
    bool step();
    /// Executes the statement to its end.
    void run() {
        while (step()) {
        }
        reset();
    }
    std::int64_t integer(int column) const;
    std::string text(int column) const;
    void reset();

  private:
    void put(int i, std::int64_t v);
    void put(int i, std::uint64_t v);
    void put(int i, double v);
    void put(int i, std::string_view v);
    void put(int i, std::nullptr_t) { (void)i; } // unbound is NULL
    template <class T>
    void put(int i, const std::optional<T>& v) {
        if (v) put(i, *v);
    }
    void put(int i, const std::string& v) { put(i, std::string_view(v)); }
    void put(int i, const char* v) { put(i, std::string_view(v)); }
    struct Finalize {
        void operator()(sqlite3_stmt* s) const;
    };
    Connection& connection_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// Rolled back unless committed.
class Transaction {
  public:
    explicit Transaction(Connection& c) : connection_(c) { c.run("BEGIN IMMEDIATE"); }
    ~Transaction() {
        if (!done_) connection_.try_run("ROLLBACK");
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit() {
        connection_.run("COMMIT");
        done_ = true;
    }

  private:
    Connection& connection_;
    bool done_ = false;
};

} // namespace memsim::stats
