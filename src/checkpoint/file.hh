#pragma once

#include "core/machine/machine.hh"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// The checkpoint file: a machine's snapshot and all it takes to go on with no other argument. The
/// layout is in docs/checkpoints.md. Whatever is wrong with a file or a disk is a ConfigError
/// that names the file.
namespace memsim::checkpoint {

/// What is run again on resume, and how it is known to be the same.
struct Script {
    struct Module {
        std::string path, hash;
    };
    std::string path, hash, cwd;
    std::vector<std::string> argv;
    std::vector<Module> modules; ///< the script's own, not those of the system
    std::vector<Module> package; ///< memsim's own
    std::vector<Module> inputs;  ///< files that components read
    std::uint64_t seed = 1;
    std::string journal; ///< the answers given so far; bytes that only Python reads
};

/// Where the results go on.
struct Run {
    std::string uuid, database, outdir;
    std::uint64_t dumps = 0; ///< stats::Position
    Tick series_tick = -1;
    std::uint64_t launches = 0;
    double host_seconds = 0; ///< spent so far
};

/// The machine as it was resolved, for rebuilding it without its script.
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
    std::string version, build; ///< version() and build_id() of the writer; filled in by write()
    Script script;
    Run run;
    Configuration configuration;
    Snapshot snapshot;
};

/// What can be said of a file without unpacking it.
struct Info {
    std::string version, script;
    std::vector<std::string> argv;
    std::string run;           ///< UUID
    std::string configuration; ///< hash of what is fixed
    Tick now = 0;
    std::int64_t written = 0; ///< seconds since 1970, UTC
    std::uint64_t objects = 0, pending = 0;
    std::uint64_t bytes = 0;          ///< of the file
    std::uint64_t bytes_unpacked = 0; ///< of what it holds
};

/// Writes to a temporary file beside `path` and renames it: `path` is the old file, whole, or the
/// new one, whole, whatever happens. A failed write leaves no temporary file.
void write(const std::string& path, const Checkpoint& c);

/// Refuses what is not a checkpoint, is cut off or altered, or has another layout. Whether a
/// machine can take it is found out by Machine::load(), type by type.
Checkpoint read(const std::string& path);

/// Checks the file like read(), but accepts every version of the code and unpacks nothing.
Info read_info(const std::string& path);

/// The state of one component as JSON. Throws ConfigError if there is no such path.
std::string show_state(const Checkpoint& c, const std::string& path);

} // namespace memsim::checkpoint
