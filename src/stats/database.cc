#include "stats/database.hh"

#include "core/machine/directed_link.hh"
#include "stats/ownership.hh"
#include "stats/sqlite.hh"
#include "stats/upgrade.hh"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <optional>
#include <unordered_map>
#include <utility>

namespace memsim::stats {

namespace {

std::string database_of(const Connection& c) { return "results database " + c.path() + ": "; }

std::string key_of(const std::string& path, const std::string& name) { return path + '\0' + name; }

} // namespace

struct Run::State {
    /// A statistic's rows in the database.
    struct Known {
        std::int64_t id;
        std::string name;
        std::vector<std::pair<std::string, std::int64_t>> parts;
    };

    State(std::shared_ptr<Connection> c, std::string id, Ownership mine, std::string me)
        : connection(std::move(c)), uuid(std::move(id)), ownership(std::move(mine)),
          owner(std::move(me)) {}

    std::shared_ptr<Connection> connection;
    std::string uuid;
    std::optional<Ownership> ownership; ///< until the run is finished
    std::string owner;                  ///< this process, as the run's row names it
    Position written;

    Statement add_object {*connection, "INSERT INTO object(run, path, type) VALUES(?, ?, ?)"};
    Statement add_param {*connection, "INSERT INTO param VALUES(?, ?, ?, ?, ?, ?, ?)"};
    Statement add_source {*connection, "INSERT INTO source(run, kind, text) VALUES(?, ?, ?)"};
    Statement add_connection {*connection, "INSERT INTO connection VALUES(?, ?, ?, ?, ?)"};
    Statement add_link {*connection, "INSERT INTO link VALUES(?, ?, ?, ?, ?, ?, ?, ?)"};
    Statement add_stat {*connection,
                        "INSERT INTO stat(object, name, kind, unit, doc) VALUES(?, ?, ?, ?, ?)"};
    Statement add_part {*connection,
                        "INSERT INTO part(stat, name, unit, full_name) VALUES(?, ?, ?, ?)"};
    Statement add_dump {*connection,
                        "INSERT INTO dump(run, tick, since_tick, label) VALUES(?, ?, ?, ?)"};
    Statement add_value {*connection, "INSERT INTO value VALUES(?, ?, ?)"};
    Statement add_bucket {*connection, "INSERT INTO distribution VALUES(?, ?, ?, ?, ?)"};
    Statement add_sample {*connection, "INSERT OR REPLACE INTO series VALUES(?, ?, ?)"};
    Statement add_slow {*connection, "INSERT INTO slow VALUES(?, ?, ?, ?, ?, ?, ?)"};
    Statement add_total {*connection,
                         "INSERT INTO total(object, path, name, unit) VALUES(?, ?, ?, ?)"};
    Statement add_launch {
        *connection, "INSERT INTO launch(run, dispatcher, application, number, kernel, "
                     "started, ended, instructions, cycles) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"};
    Statement add_counted {*connection, "INSERT INTO counted VALUES(?, ?, ?)"};
    Statement get_owner {*connection, "SELECT owner FROM run WHERE id = ?"};
    Statement set_time {*connection, "UPDATE run SET sim_time_fs = ? WHERE id = ?"};

    /// Runs f in a transaction. If f fails, the cached contents of the file are dropped and read
    /// again when they are next needed.
    template <class F>
    void write(F&& f) {
        try {
            Transaction t(*connection);
            check_owner();
            f();
            t.commit();
        } catch (...) {
            known.reset();
            throw;
        }
    }

    /// The lock alone is not sufficient: a file server releases it when it loses contact with a
    /// machine, and that machine may reconnect.
    void check_owner() {
        const bool there = get_owner.bind(uuid).step();
        const std::string now = there ? get_owner.text(0) : "";
        get_owner.reset();
        if (now == owner) return;
        throw InUse(database_of(*connection) + "run " + uuid +
                    (there ? " was taken over by " + now : " was deleted") +
                    "; this process has written nothing since then and ends");
    }

    struct Ids {
        std::unordered_map<std::string, std::int64_t> objects;
        std::unordered_map<std::string, Known> stats;
        std::unordered_map<std::string, std::int64_t> totals;
    };
    std::optional<Ids> known;
    Ids& ids() {
        if (known) return *known;
        Ids all;
        Statement objects(*connection, "SELECT id, path FROM object WHERE run = ?");
        for (objects.bind(uuid); objects.step();) all.objects[objects.text(1)] = objects.integer(0);
        Statement stats(*connection, "SELECT stat.id, path, name FROM object JOIN stat "
                                     "ON stat.object = object.id WHERE run = ?");
        for (stats.bind(uuid); stats.step();)
            all.stats[key_of(stats.text(1), stats.text(2))] = {stats.integer(0), stats.text(2), {}};
        Statement parts(*connection, "SELECT part.id, path, stat.name, part.name FROM object "
                                     "JOIN stat ON stat.object = object.id "
                                     "JOIN part ON part.stat = stat.id WHERE run = ?");
        for (parts.bind(uuid); parts.step();)
            all.stats[key_of(parts.text(1), parts.text(2))].parts.emplace_back(parts.text(3),
                                                                               parts.integer(0));
        Statement totals(*connection, "SELECT total.id, total.path, name FROM object JOIN total "
                                      "ON total.object = object.id WHERE run = ?");
        for (totals.bind(uuid); totals.step();)
            all.totals[key_of(totals.text(1), totals.text(2))] = totals.integer(0);
        return known.emplace(std::move(all));
    }
    std::int64_t total(const Launches::Total& t) {
        const auto [it, fresh] = ids().totals.try_emplace(key_of(t.path, t.name), 0);
        if (fresh) {
            add_total.bind(object(t.first, ""), t.path, t.name, unit_name(t.unit)).run();
            it->second = connection->last_id();
        }
        return it->second;
    }

    std::int64_t object(const std::string& path, const std::string& type) {
        const auto [it, fresh] = ids().objects.try_emplace(path, 0);
        if (fresh) {
            add_object.bind(uuid, path, type).run();
            it->second = connection->last_id();
        }
        return it->second;
    }
    Known& stat(const std::string& path, const std::string& name, std::string_view kind, Unit unit,
                std::string_view doc) {
        const auto [it, fresh] = ids().stats.try_emplace(key_of(path, name), Known {0, name, {}});
        if (fresh) {
            add_stat.bind(object(path, ""), name, kind, unit_name(unit), doc).run();
            it->second.id = connection->last_id();
        }
        return it->second;
    }
    std::int64_t part(Known& s, std::string_view name, Unit unit) {
        for (const auto& [n, id] : s.parts)
            if (n == name) return id;
        const std::string full = name.empty() ? s.name : s.name + "." + std::string(name);
        add_part.bind(s.id, name, unit_name(unit), full).run();
        s.parts.emplace_back(name, connection->last_id());
        return s.parts.back().second;
    }

    void write_link(const DirectedLink& x);
    void write_series(Machine& m);
    void write_launches(Machine& m);
    void write_stages(const Stamps& stamps, StatSink& sink);
    void write_slowest(const Stamps& stamps, std::int64_t dump);
};

namespace {

/// Writes a dump's rows.
template <class State>
class Rows final : public StatSink {
  public:
    Rows(State& s, std::int64_t dump) : state_(s), dump_(dump) {}
    void stat(const std::string& path, const std::string& name, const Stat& s,
              std::string_view kind) override {
        unit_ = s.unit();
        stat_ = &state_.stat(path, name, kind, s.unit(), s.doc());
    }
    void integer(std::string_view part, Int128 v, Unit unit) override {
        const std::int64_t id = state_.part(*stat_, part, unit);
        state_.add_value.bind(dump_, id, shown(v, unit)).run();
    }
    void derived(std::string_view part, double v, Unit unit) override {
        state_.add_value.bind(dump_, state_.part(*stat_, part, unit), v).run();
    }
    void bucket(std::uint64_t low, std::uint64_t high, std::uint64_t count) override {
        state_.add_bucket.bind(dump_, stat_->id, shown(low, unit_), shown(high, unit_), count)
            .run();
    }

  private:
    static double shown(Int128 v, Unit unit) { return static_cast<double>(v) * unit_scale(unit); }

    State& state_;
    std::int64_t dump_;
    typename State::Known* stat_ = nullptr;
    Unit unit_ = Unit::count;
};

} // namespace

// ---- a run -----------------------------------------------------------------------------------

Run::Run(std::unique_ptr<State> s) : state_(std::move(s)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

const std::string& Run::uuid() const { return state_->uuid; }

void Run::write_machine(const Machine& m, const Sources& given) {
    State& s = *state_;
    std::map<Source, std::int64_t> known;
    const auto source_of = [&](const std::string& path,
                               const ParamInfo& p) -> std::optional<std::int64_t> {
        Source source {p.provenance.kind, p.provenance.source};
        if (const auto found = given.find({path, p.name}); found != given.end())
            source = found->second;
        if (source.first.empty()) return {};
        const auto [place, added] = known.try_emplace(source);
        if (added) {
            s.add_source.bind(s.uuid, source.first, source.second).run();
            place->second = s.connection->last_id();
        }
        return place->second;
    };
    s.write([&] {
        known.clear();
        for (const auto& c : m.objects()) {
            const Schema& schema = m.schema_of(*c);
            const std::int64_t object = s.object(c->path(), schema.name);
            const auto values = c->resolved_params();
            for (std::size_t i = 0; i < values.size(); ++i)
                s.add_param
                    .bind(object, values[i].name, values[i].text, values[i].number,
                          schema.params[i].unit, std::int64_t {schema.params[i].tunable},
                          source_of(c->path(), schema.params[i]))
                    .run();
            for (const auto& r : c->stats())
                s.stat(c->path(), r.name, r.kind, r.stat->unit(), r.stat->doc());
        }
        for (const Machine::Connection& x : m.connections())
            s.add_connection.bind(s.uuid, x.from, x.from_port, x.to, x.to_port).run();
        for (const DirectedLink& x : directed_links(m)) s.write_link(x);
    });
}

/// NULL: a rate without limit, or a depth where the sender has reserved the space of each response.
void Run::State::write_link(const DirectedLink& x) {
    std::optional<double> rate;
    if (x.link->rate()) rate = static_cast<double>(x.link->rate());
    std::optional<std::int64_t> depth;
    if (x.link->depth() != ~0u) depth = x.link->depth();
    add_link
        .bind(uuid, x.sender, x.sender_port, x.receiver, x.receiver_port, x.link->latency(), rate,
              depth)
        .run();
}

void Run::State::write_series(Machine& m) {
    for (const SeriesRow& row : m.take_series()) {
        Known& known = stat(row.path, row.stat, "", row.unit, "");
        add_sample.bind(part(known, row.part, row.unit), row.tick, row.value).run();
        written.series_tick = row.tick;
    }
}

void Run::State::write_launches(Machine& m) {
    Launches& launches = m.sim().launches();
    for (const Launches::Row& row : launches.take_rows()) {
        const Launch& l = row.launch;
        add_launch
            .bind(uuid, m.objects()[l.dispatcher]->path(), std::int64_t {l.application},
                  std::int64_t {l.number}, l.kernel, l.started, l.ended,
                  static_cast<double>(l.instructions), static_cast<double>(l.cycles))
            .run();
        const std::int64_t launch = connection->last_id();
        for (const Launches::Counted& c : row.counted) {
            const Launches::Total& t = launches.totals()[c.total];
            const double value = static_cast<double>(c.value) * unit_scale(t.unit);
            add_counted.bind(launch, total(t), value).run();
        }
        ++written.launches;
    }
}

void Run::State::write_stages(const Stamps& stamps, StatSink& sink) {
    if (!stamps.enabled()) return;
    const std::string path = "stages";
    object(path, "Stamps");
    sink.stat(path, "requests", Stat(Unit::count, "Stamped requests that were answered"),
              Counter::kind);
    sink.integer("", stamps.closed(), Unit::count);
    const auto write = [&](const std::string& at, const std::string& name, const char* doc,
                           const Histogram& h) {
        object(at, "Stamps");
        sink.stat(at, name, Stat(Unit::time, doc), Distribution::kind);
        sink.integer("count", h.count(), Unit::count);
        sink.integer("sum", static_cast<Int128>(h.sum()), Unit::time);
        sink.integer("max", h.most(), Unit::time);
        for (unsigned p : {50u, 90u, 99u})
            sink.integer("p" + std::to_string(p), h.percentile(p), Unit::time);
        sink.derived("mean",
                     static_cast<double>(h.sum()) / static_cast<double>(stamps.closed()) *
                         unit_scale(Unit::time),
                     Unit::time);
        h.for_each_bucket([&](auto low, auto high, auto n) { sink.bucket(low, high, n); });
    };
    if (stamps.closed())
        write("requests", "life", "Time from a stamped request to its response",
              stamps.lifetimes());
    for (const Stage stage : Stage::known()) {
        if (stamps.times(stage).count() == 0) continue; // this machine does not have this stage
        write(path, std::string(stage.name()),
              "Time that stamped requests spent in this stage. Percentiles cover the requests that "
              "spent time in it; the mean covers all requests, so that the means of all stages add "
              "up",
              stamps.times(stage));
    }
}

void Run::State::write_slowest(const Stamps& stamps, std::int64_t dump) {
    std::int64_t rank = 0;
    for (const Stamps::Record& r : stamps.slowest()) {
        ++rank;
        for (const Stage stage : Stage::known())
            if (const Tick spent = r.spent[stage.number()])
                add_slow
                    .bind(dump, rank, stage.name(),
                          static_cast<double>(spent) * unit_scale(Unit::time), r.number, r.address,
                          r.opened)
                    .run();
    }
}

void Run::dump(Machine& m, const std::string& label) {
    State& s = *state_;
    const Position before = s.written;
    try {
        s.write([&] {
            s.write_series(m);
            s.write_launches(m);
            s.add_dump.bind(s.uuid, m.sim().now(), m.stats_since(), label).run();
            const std::int64_t dump = s.connection->last_id();
            Rows rows(s, dump);
            m.dump(label, rows);
            s.write_stages(m.sim().stamps(), rows);
            s.write_slowest(m.sim().stamps(), dump);
            s.set_time.bind(m.sim().now(), s.uuid).run();
            ++s.written.dumps;
        });
    } catch (...) {
        s.written = before;
        throw;
    }
}

void Run::flush_series(Machine& m) { position(m); }

Position Run::position(Machine& m) {
    State& s = *state_;
    const Position before = s.written;
    try {
        s.write([&] { // even without a series: checks that this process owns the run
            if (m.has_series()) s.write_series(m);
            s.write_launches(m);
        });
    } catch (...) {
        s.written = before;
        throw;
    }
    return s.written;
}

void Run::finish(const RunEnd& end) {
    State& s = *state_;
    s.write([&] {
        Statement(*s.connection,
                  "UPDATE run SET finished = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), exit_cause = "
                  "?, digest = ?, host_seconds = ?, sim_time_fs = ? WHERE id = ?")
            .bind(end.cause, end.digest, end.host_seconds, end.sim_time, s.uuid)
            .run();
    });
    s.ownership.reset();
}

// ---- the database ----------------------------------------------------------------------------

Database::Database(std::shared_ptr<Connection> c) : connection_(std::move(c)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

const std::string& Database::path() const { return connection_->path(); }

Database Database::open(const std::string& path, int patience) {
    // SQLite's default journal, not a write-ahead log: a write-ahead log uses shared memory, which
    // processes on several machines cannot share, and a simulation writes rarely.
    auto c = std::make_shared<Connection>(path, patience);
    make_tables(*c);
    return Database(std::move(c));
}

std::string Database::owner_now() const {
    Statement now(*connection_, "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now')");
    now.step();
    return describe_process(now.text(0));
}

bool Database::in_use(const std::string& run) const { return Ownership::elsewhere(path(), run); }

void Database::refuse_second(const std::string& configuration) const {
    Statement same(*connection_, "SELECT id, owner, finished FROM run WHERE configuration = ?");
    for (same.bind(configuration); same.step();)
        if (!same.text(2).empty() || in_use(same.text(0)))
            throw InUse(database_of(*connection_) + same.text(1) + " simulates the same run, " +
                        same.text(0) + ": wait for it");
}

Run Database::begin_run(const RunInfo& info) {
    std::string argv = "[]";
    Statement append(*connection_, "SELECT json_insert(?, '$[#]', ?)");
    for (const std::string& a : info.argv) {
        append.bind(argv, a).step();
        argv = append.text(0);
    }
    append.reset();

    std::string uuid = to_string(boost::uuids::random_generator()());
    std::string me = owner_now();
    Transaction t(*connection_);
    if (info.only) refuse_second(info.configuration);
    std::optional<Ownership> mine = Ownership::take(path(), uuid);
    MEMSIM_ASSERT(mine, "a new run is in use");
    Statement(*connection_,
              "INSERT INTO run(id, name, script, argv, arguments, seed, version, parent, "
              "configuration, owner, cwd, started) "
              "VALUES(?, ?, ?, ?, nullif(?, ''), ?, ?, nullif(?, ''), nullif(?, ''), ?, ?, "
              "strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))")
        .bind(uuid, info.name, info.script, argv, info.arguments, info.seed, info.version,
              info.parent, info.configuration, me, info.cwd)
        .run();
    t.commit();
    return Run(std::make_unique<Run::State>(connection_, std::move(uuid), std::move(*mine),
                                            std::move(me)));
}

std::optional<Run> Database::resume_run(const std::string& uuid, const Position& at) {
    Transaction t(*connection_);
    const auto number = [&](const char* sql, const auto&... v) {
        Statement s(*connection_, sql);
        return s.bind(v...).step() ? s.integer(0) : 0;
    };
    if (!number("SELECT count(*) FROM run WHERE id = ?", uuid)) return {};
    const auto dumps = static_cast<std::int64_t>(at.dumps);
    if (number("SELECT count(*) FROM dump WHERE run = ?", uuid) < dumps) return {};
    const auto launches = static_cast<std::int64_t>(at.launches);
    if (number("SELECT count(*) FROM launch WHERE run = ?", uuid) < launches) return {};
    if (number("SELECT ifnull(max(tick), -1) FROM samples WHERE run = ?", uuid) < at.series_tick)
        return {};

    std::optional<Ownership> mine = Ownership::take(path(), uuid);
    if (!mine) {
        Statement owner(*connection_, "SELECT owner FROM run WHERE id = ?");
        owner.bind(uuid).step();
        throw InUse(database_of(*connection_) + "run " + uuid + " is in use by " + owner.text(0) +
                    ": end that process first, or continue as a new run with -d DIR");
    }
    std::string me = owner_now();

    const std::int64_t last = number(
        "SELECT max(id) FROM (SELECT id FROM dump WHERE run = ? ORDER BY id LIMIT ?)", uuid, dumps);
    for (const char* sql :
         {"DELETE FROM value WHERE dump IN (SELECT id FROM dump WHERE run = ? AND id > ?)",
          "DELETE FROM distribution WHERE dump IN (SELECT id FROM dump WHERE run = ? AND id > ?)",
          "DELETE FROM slow WHERE dump IN (SELECT id FROM dump WHERE run = ? AND id > ?)",
          "DELETE FROM dump WHERE run = ? AND id > ?"})
        Statement(*connection_, sql).bind(uuid, last).run();
    const std::int64_t last_launch =
        number("SELECT max(id) FROM (SELECT id FROM launch WHERE run = ? ORDER BY id LIMIT ?)",
               uuid, launches);
    for (const char* sql :
         {"DELETE FROM counted WHERE launch IN (SELECT id FROM launch WHERE run = ? AND id > ?)",
          "DELETE FROM launch WHERE run = ? AND id > ?"})
        Statement(*connection_, sql).bind(uuid, last_launch).run();
    Statement(*connection_, "DELETE FROM series WHERE part IN (SELECT part FROM named WHERE run = "
                            "?) AND tick > ?")
        .bind(uuid, at.series_tick)
        .run();
    Statement(*connection_,
              "UPDATE run SET owner = ?, finished = NULL, exit_cause = NULL, digest = NULL, "
              "host_seconds = NULL, sim_time_fs = (SELECT max(tick) FROM dump WHERE "
              "dump.run = run.id) WHERE id = ?")
        .bind(me, uuid)
        .run();
    t.commit();
    auto state = std::make_unique<Run::State>(connection_, uuid, std::move(*mine), std::move(me));
    state->written = at;
    return Run(std::move(state));
}

} // namespace memsim::stats
