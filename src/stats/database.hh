#pragma once

#include "core/base/error.hh"
#include "core/machine/machine.hh"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The results database: one SQLite file with many runs, written by many processes at once. Its
/// tables and views are explained in docs/database.md and defined in schema.hh.
/// Each call below is one transaction: after a crash or a full disk the file holds every call that
/// returned and nothing of a call that did not. Errors that the user can cause (no permission, a
/// full disk, a file of another program, a lock that is never released) are ConfigErrors that name
/// the file. An object of this file may not be used on both sides of a fork().
namespace memsim::stats {

/// Another process holds the run (ownership.hh).
class InUse : public ConfigError {
  public:
    using ConfigError::ConfigError;
};

/// Describes a new run.
struct RunInfo {
    std::string name;              ///< given by the user
    std::string script;            ///< path
    std::vector<std::string> argv; ///< the script's arguments
    std::uint64_t seed = 1;
    std::string version;          ///< memsim::version()
    std::string parent;           ///< the run whose checkpoint it continues; empty if none
    std::string configuration {}; ///< hash of everything that determines its results
    std::string arguments {};     ///< as resolved: a JSON object; empty if not known
    std::string cwd {};           ///< the directory in which the script ran
    bool only = false; ///< refuse if another run of this configuration is in progress or finished
};

/// How a run ended.
struct RunEnd {
    std::string cause;
    std::string digest; ///< Machine::digest()
    double host_seconds = 0;
    Tick sim_time = 0;
};

/// How much of a run had been written when a checkpoint was made.
struct Position {
    std::uint64_t dumps = 0;
    Tick series_tick = -1; ///< of the last sample
    std::uint64_t launches = 0;
};

class Connection;

/// Kind and text of the origin of a value. Sources maps (path, parameter) to the origin of each
/// value that a script set.
using Source = std::pair<std::string, std::string>;
using Sources = std::map<std::pair<std::string, std::string>, Source>;

/// One run in an open database; the database stays open while one of its runs exists. A run that is
/// never finished keeps the rows it wrote, with `finished` and `exit_cause` NULL. Until it is
/// finished, the run belongs to this process. If another process has taken it over, every call that
/// writes throws InUse and writes nothing.
class Run {
  public:
    Run(Run&&) noexcept;
    Run& operator=(Run&&) noexcept;
    ~Run();

    const std::string& uuid() const;

    /// Writes objects, resolved parameters, connections and definitions of statistics of a machine
    /// that is built. Once, for a new run. `given`: the origins of parameters that a script set;
    /// the origins of all others are declared with the component.
    void write_machine(const Machine& m, const Sources& given = {});
    /// Writes the samples since the last flush, then all statistics. With stamps enabled, it also
    /// writes the stages in which requests spent time as rows of path 'stages'. Adds to the
    /// machine's digest.
    void dump(Machine& m, const std::string& label);
    /// Writes the samples since the last flush.
    void flush_series(Machine& m);
    /// For a checkpoint: flushes the series and returns how much of the run is written.
    Position position(Machine& m);
    /// Requires a flush or dump before: nothing is written afterwards.
    void finish(const RunEnd& end);

  private:
    friend class Database;
    struct State;
    explicit Run(std::unique_ptr<State> s);
    std::unique_ptr<State> state_;
};

class Database {
  public:
    /// Opens or creates the file; tables of an older version are upgraded (upgrade.hh). This call
    /// and every call that writes wait up to `patience` milliseconds for another process's lock.
    static Database open(const std::string& path, int patience = 60'000);
    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;
    ~Database();

    const std::string& path() const;
    /// Throws InUse if `only` was requested and another run exists.
    Run begin_run(const RunInfo& info);
    /// Continues a run from a checkpoint: deletes the rows written after `at` and marks the run
    /// unfinished. If the run, or a row that it had written at the checkpoint, is missing from this
    /// file, nothing is changed and nothing is returned; then begin a new run with this one as its
    /// parent. Throws InUse if another process holds the run.
    std::optional<Run> resume_run(const std::string& uuid, const Position& at);
    /// Whether another process holds the run.
    bool in_use(const std::string& run) const;

  private:
    explicit Database(std::shared_ptr<Connection> c);
    std::string owner_now() const;
    void refuse_second(const std::string& configuration) const;
    std::shared_ptr<Connection> connection_;
};

} // namespace memsim::stats
