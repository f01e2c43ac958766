#pragma once

#include "core/base/hash.hh"
#include "core/kernel/registry.hh"
#include "core/machine/functional.hh"
#include "core/observe/series.hh"
#include "core/parallel/threads.hh"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace memsim {

/// The whole state of a machine between two ticks, as a checkpoint file holds it.
struct Snapshot {
    struct Object {
        std::string path, type;
        std::string shape; ///< of the type, as in its Schema
        std::string state, stats;
        std::string ports; ///< the links it receives from, including messages in flight
    };
    struct Event {
        Tick tick;
        std::string path, handler;
        std::string shape; ///< of the payload
        std::string payload;
    };
    Tick now = 0;
    std::string configuration; ///< hash of everything that is fixed
    std::vector<Object> objects;
    std::vector<Event> events; ///< in the order of execution
    std::uint64_t pending = 0; ///< number of pending events, including those of timers and links
    std::string shared;        ///< stamps, digest, series
};

/// Receives the statistics of a dump.
class StatSink : public StatReader {
  public:
    /// Names the statistic of the values that follow.
    virtual void stat(const std::string& path, const std::string& name, const Stat& s,
                      std::string_view kind) = 0;
};

/// A machine: components, their connections, one Simulation. It is built by name from text and
/// checked completely before time 0. It has no global state: two machines in one process are
/// independent.
class Machine {
  public:
    explicit Machine(std::uint64_t seed = 1, QueueKind kind = QueueKind::fast);
    ~Machine();

    // ---- building: every error is a ConfigError that names the object and what would be right
    void add(const std::string& path, const std::string& type, const Arguments& params);
    /// Binds two ports, named 'mem_side' or 'sm_side[3]', of two components that were added.
    void bind(const std::string& path_a, const std::string& port_a, const std::string& path_b,
              const std::string& port_b);
    /// Makes messages carry contents, and caches and memories hold them. Call before build().
    void carry_contents() { sim_.contents().enable(); }
    bool carries_contents() const { return sim_.contents().enabled(); }
    /// Compares the expected memory of every program with the data that loads would get. Call after
    /// the end of the run.
    ContentsReport compare_contents();
    /// Checks everything and runs every init(). Nothing may be added afterwards.
    void build();
    /// Warnings about legal but probably unintended settings; valid after build().
    const std::vector<std::string>& warnings() const { return warnings_; }

    // ---- running
    /// Begins a new run: calls every component's start(). Not called after load().
    void start();
    /// A broken invariant of a loaded machine is a ConfigError, because the checkpoint may be
    /// forged.
    Stop run(Tick until);
    Simulation& sim() { return sim_; }
    Threads& threads() { return threads_; }
    /// One line for each wait of a component for another.
    std::vector<std::string> wait_report() const;
    /// True if a component has work left or messages are in flight.
    bool pending() const;
    /// Inconsistencies after a run that had no events left; empty if there are none.
    std::vector<std::string> imbalances() const;

    // ---- results
    /// Reads all statistics into the sink, and adds them with the label to the digest.
    void dump(const std::string& label, StatSink& sink);
    void reset_stats();
    Tick stats_since() const { return since_; }
    /// Samples these statistics every `period` from now on (core/observe/series.hh).
    void sample_every(Time period, const std::vector<std::string>& patterns);
    bool has_series() const { return series_.has_rows(); }
    std::vector<SeriesRow> take_series() { return series_.take_rows(); }
    /// Covers all dumps and series so far.
    const std::string& digest() const { return digest_.value; }

    // ---- checkpoints
    Snapshot save();
    /// Loads a snapshot into a machine with the same configuration hash on which start() was not
    /// called. Bytes that no machine can have saved are a ConfigError that names the component and
    /// the field.
    void load(const Snapshot& s);
    /// Hash of paths, types, fixed parameters, connections and seed.
    const std::string& configuration() const { return configuration_; }

    // ---- inspection
    /// In the order of the tree, in which they were added.
    const std::vector<std::unique_ptr<Object>>& objects() const { return objects_; }
    /// The objects that take part in a run.
    const std::vector<Component*>& components() const { return components_; }
    Object& at(const std::string& path) const;
    template <class C>
    C& get(const std::string& path) const {
        return dynamic_cast<C&>(at(path));
    }
    const Schema& schema_of(const Object& o) const { return *schemas_[o.id()]; }
    struct Connection {
        std::string from, from_port, to, to_port;
    };
    const std::vector<Connection>& connections() const { return connections_; }
    /// The files that the machine's components read, sorted, each once.
    std::vector<std::string> inputs() const;
    /// One statistic's main value (its mean for averages), in the unit shown. Throws ConfigError.
    double stat_value(const std::string& path, const std::string& stat, const std::string& part);

  private:
    PortBase& port(const std::string& path, const std::string& name);
    std::string hash_configuration() const;
    void check_ports();
    void check_contents() const;
    void check_memory_uses() const;
    void load_object(const Snapshot::Object& o, Component& c, Tick now);
    void load_event(const Snapshot::Event& e, Tick now);
    void load_shared(const Snapshot& s);
    void begin_samples();
    Window window() const { return {since_, sim_.now()}; }

    Simulation sim_;
    std::vector<std::unique_ptr<Object>> objects_;
    std::vector<Component*> components_;
    std::vector<const Schema*> schemas_; ///< of each object
    std::map<std::string, Object*> by_path_;
    std::vector<Connection> connections_;
    std::vector<std::string> warnings_;
    std::string configuration_;
    bool built_ = false;
    bool loaded_ = false; ///< continues a checkpoint, whose State may differ from what was saved
    Tick since_ = 0;
    Digest digest_;
    Series series_;
    Threads threads_;
};

} // namespace memsim
