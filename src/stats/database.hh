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

/// The database of results: one SQLite file that takes many runs, from many processes at once. Its
/// tables and views are explained in docs/database.md and defined in schema.hh.
///
/// Each call below is one transaction: after a crash or a full disk the file holds every call that
/// came back and nothing of the one that did not. Whatever the user can cause (no permission, disk
/// full, a file of something else, a lock that nobody gives up) is a ConfigError naming the file.
/// No object here may be used on both sides of a fork().
namespace memsim::stats {

/// Another process has the run (ownership.hh).
class InUse : public ConfigError {
  public:
    using ConfigError::ConfigError;
};

/// How a run is introduced.
struct RunInfo {
    std::string name;              ///< what the user calls it
    std::string script;            ///< path
    std::vector<std::string> argv; ///< the script's arguments
    std::uint64_t seed = 1;
    std::string version;          ///< memsim::version()
    std::string parent;           ///< the run whose checkpoint it goes on from; empty if none
    std::string configuration {}; ///< hash of all that its results follow from
    std::string arguments {};     ///< the script's, as resolved: a JSON object; empty if not known
    std::string cwd {};           ///< the directory in which the script ran
    bool only = false;            ///< no other run of the configuration may be there or under way
};

/// How a run ended.
struct RunEnd {
    std::string cause;
    std::string digest; ///< Machine::digest()
    double host_seconds = 0;
    Tick sim_time = 0;
};

/// How much of a run was written when a checkpoint was made.
struct Position {
    std::uint64_t dumps = 0;
    Tick series_tick = -1; ///< of the last sample
    std::uint64_t launches = 0;
};

class Connection;

/// Kind and text of where a value comes from, and of (path, parameter) those that a script names.
using Source = std::pair<std::string, std::string>;
using Sources = std::map<std::pair<std::string, std::string>, Source>;

/// One run in an open database; the database stays open as long as one of its runs lives. A run
/// that is never finished keeps what it wrote, with `finished` and `exit_cause` NULL. Until it is
/// finished it belongs to this process; if another one has taken it over, what would write throws
/// InUse and writes nothing.
class Run {
  public:
    Run(Run&&) noexcept;
    Run& operator=(Run&&) noexcept;
    ~Run();

    const std::string& uuid() const;

    /// Objects, parameters as resolved, connections and definitions of statistics of a machine
    /// that is built. Once, for a new run. `given`: where the parameters come from that a script
    /// set; those of others are declared with the component.
    void write_machine(const Machine& m, const Sources& given = {});
    /// Samples taken since the last flush, then all statistics, and, with stamps enabled, the
    /// stages in which requests spent time as rows of path 'stages'. Adds to the machine's digest.
    void dump(Machine& m, const std::string& label);
    /// Samples taken since the last flush.
    void flush_series(Machine& m);
    /// For a checkpoint: flushes the series and says where the run stands.
    Position position(Machine& m);
    /// Flush or dump first: nothing is written afterwards.
    void finish(const RunEnd& end);

  private:
    friend class Database;
    struct State;
    explicit Run(std::unique_ptr<State> s);
    std::unique_ptr<State> state_;
};

class Database {
  public:
    /// Opens or creates the file; tables of an older version are upgraded (upgrade.hh). Another
    /// process's lock is waited for `patience` milliseconds, here and in every call that writes.
    static Database open(const std::string& path, int patience = 60'000);
    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;
    ~Database();

    const std::string& path() const;
    /// Throws InUse if `only` was asked for and is not so.
    Run begin_run(const RunInfo& info);
    /// Goes on with a run from a checkpoint: deletes what it wrote after `at` and marks it
    /// unfinished. Nothing is changed and nothing returned if the run, or what it had written at
    /// the checkpoint, is not in this file: then begin a new run with this one as its parent.
    /// Throws InUse if a process has the run.
    std::optional<Run> resume_run(const std::string& uuid, const Position& at);
    /// Whether another process has the run.
    bool in_use(const std::string& run) const;

  private:
    explicit Database(std::shared_ptr<Connection> c);
    std::string owner_now() const;
    void refuse_second(const std::string& configuration) const;
    std::shared_ptr<Connection> connection_;
};

} // namespace memsim::stats
