#pragma once

#include "core/machine/machine.hh"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// The checkpoint file: a machine's snapshot and everything needed to continue without further
/// arguments. The layout is in docs/checkpoints.md. Every error of a file or a disk is a
/// ConfigError that names the file.
namespace memsim::checkpoint {

/// The script that a resume runs again, and the hashes that identify it.
struct Script {
    struct Module {
        std::string path, hash;
    };
    std::string path, hash, cwd;
    std::vector<std::string> argv;
    std::vector<Module> modules; ///< the script's own, without the system's
    std::vector<Module> package; ///< memsim's own
    std::vector<Module> inputs;  ///< files that components read
    std::uint64_t seed = 1;
    std::string journal; ///< results of calls so far; only Python reads these bytes
};

/// The place of the results.
struct Run {
    std::string uuid, database, outdir;
    std::uint64_t dumps = 0; ///< stats::Position
    Tick series_tick = -1;
    std::uint64_t launches = 0;
    double host_seconds = 0; ///< so far
};

/// The machine as resolved, for rebuilding it without its script.
struct Configuration {
    struct Param {
        std::string name, value;
        bool tunable = false;
    };
    struct Object {
        std::string path, type;
        std::vector<Param> params;
    };
    std::vector<Object> objects; ///< in the order in which they were added
    std::vector<Machine::Connection> connections;
    bool contents = false; ///< whether the machine carries contents
};
Configuration configuration_of(const Machine& m);

struct Checkpoint {
    std::string version, build; ///< version() and build_id() of the writer; filled in by read()
    Script script;
    Run run;
    Configuration configuration;
    Snapshot snapshot;
};

/// The information about a file that needs no unpacking.
struct Info {
    std::string version, script;
    std::vector<std::string> argv;
    std::string run;           ///< UUID
    std::string configuration; ///< hash of the fixed parameters
    Tick now = 0;
    std::int64_t written = 0; ///< seconds since 1970, UTC
    std::uint64_t objects = 0, pending = 0;
    std::uint64_t bytes = 0;          ///< of the file
    std::uint64_t bytes_unpacked = 0; ///< of its contents
};

/// Writes to a temporary file beside `path` and renames it: `path` is always the complete old or
/// the complete new file. A failed write leaves no temporary file.
void write(const std::string& path, const Checkpoint& c);

/// Refuses a file that is not a checkpoint, is truncated or altered, or has another layout.
/// Machine::load() checks, type by type, whether a machine can load it.
Checkpoint read(const std::string& path);

/// Checks the file like read(), but accepts every version of the code and unpacks nothing.
Info read_info(const std::string& path);

/// The state of one component as JSON. Throws ConfigError if there is no such path.
std::string show_state(const Checkpoint& c, const std::string& path);

} // namespace memsim::checkpoint
