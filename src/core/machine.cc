#include "core/machine.hh"

#include "core/output_file.hh"

#include <algorithm>
#include <unordered_map>

namespace memsim {

// ---- building --------------------------------------------------------------------------------

void Machine::add(const std::string& path, const std::string& type, const Arguments& params) {
    MEMSIM_ASSERT(!built_, "components are added before build()");
    const auto schema = registry().find(type);
    if (schema == registry().end()) {
        std::vector<std::string> known;
        for (const auto& [name, s] : registry()) known.push_back(name);
        throw ConfigError(path + ": there is no component type '" + type + "'" +
                          nearest(type, known));
    }
    if (by_path_.count(path)) throw ConfigError(path + " is added twice: give one another name");
    std::unique_ptr<ModelBase> c = schema->second.create(path, params);
    c->sim_ = &sim_;
    c->id_ = static_cast<std::uint32_t>(components_.size());
    c->path_ = path;
    c->set_up();
    by_path_[path] = c.get();
    schemas_.push_back(&schema->second);
    components_.push_back(std::move(c));
    sim_.expect(components_.size());
}

ModelBase& Machine::at(const std::string& path) const {
    const auto it = by_path_.find(path);
    if (it != by_path_.end()) return *it->second;
    std::vector<std::string> known;
    for (const auto& [name, c] : by_path_) known.push_back(name);
    throw ConfigError("there is no component '" + path + "'" + nearest(path, known));
}

PortBase& Machine::port(const std::string& path, const std::string& name) {
    ModelBase& c = at(path);
    std::vector<std::string> known;
    for (const auto& p : c.ports()) {
        if (p.name == name) return *p.port;
        // Of a vector's ports, named without an index, the next one that is free.
        if (!p.port->peer() && p.name.starts_with(name + "[")) return *p.port;
        known.push_back(p.name);
    }
    throw ConfigError(path + " has no port '" + name + "'" + nearest(name, known));
}

void Machine::bind(const std::string& path_a, const std::string& port_a, const std::string& path_b,
                   const std::string& port_b) {
    PortBase& a = port(path_a, port_a);
    PortBase& b = port(path_b, port_b);
    const std::string full_a = path_a + "." + a.name(), full_b = path_b + "." + b.name();
    for (const auto& [p, full] : {std::pair {&a, full_a}, std::pair {&b, full_b}})
        if (p->peer())
            throw ConfigError(full + " is bound twice: it is already bound to " +
                              p->peer()->owner().path() + "." + p->peer()->name());
    if (a.counterpart() != b.role())
        throw ConfigError(full_a + " is a " + std::string(a.role()) + " port and " + full_b +
                          " a " + std::string(b.role()) + " port: a " + std::string(a.role()) +
                          " port is bound to a " + std::string(a.counterpart()) + " port");
    if (a.family() != b.family())
        throw ConfigError(full_a + " speaks " + a.family() + " and " + full_b + " speaks " +
                          b.family() + ": bind ports of one family");
    a.connect(b, sim_);
    connections_.push_back({path_a, a.name(), path_b, b.name()});
}

void Machine::check_ports() {
    for (const auto& c : components_)
        for (const auto& [name, p] : c->ports()) {
            const std::string full = c->path() + "." + name;
            if (!p->peer())
                throw ConfigError(full + " is not bound: bind it to a " +
                                  std::string(p->counterpart()) + " port of family " + p->family());
            if (p->latency().raw < 1)
                throw ConfigError(full + ": the latency of a link is at least 1fs");
            if (p->has_depth() && p->depth() == 0)
                throw ConfigError(full + ": its queue has capacity 0 and could never be used");
        }
    // A queue shallower than bandwidth x round trip cannot keep its wire busy.
    for (const auto& c : components_)
        for (const auto& [name, p] : c->ports())
            for (const LinkBase* link : p->incoming()) {
                if (link->rate() == 0 || link->depth() == ~0u) continue;
                const auto needed = static_cast<Uint128>(link->rate()) *
                                    static_cast<Uint128>(2 * link->latency()) / ticks_per_second /
                                    link->largest_message();
                if (link->depth() < needed)
                    warnings_.push_back(
                        c->path() + "." + name + " holds " + std::to_string(link->depth()) +
                        " messages; its link of " + Text<Rate>::show({link->rate()}) + " and " +
                        Text<Time>::show({link->latency()}) + " needs " +
                        std::to_string(static_cast<std::uint64_t>(needed)) + " to stay busy");
            }
}

void Machine::build() {
    MEMSIM_ASSERT(!built_, "build() is called once");
    check_ports();
    check_outputs(*this);
    for (const auto& c : components_) c->init();
    for (const auto& c : components_) c->seed_all();
    configuration_ = hash_configuration();
    built_ = true;
}

std::string Machine::hash_configuration() const {
    std::string all = "seed " + std::to_string(sim_.seed()) + "\n";
    for (const auto& c : components_) {
        const Schema& schema = *schemas_[c->id()];
        all += c->path() + " " + schema.name + " " + schema.state_shape + "\n";
        const auto values = c->resolved_params();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!schema.params[i].tunable) all += values[i].first + "=" + values[i].second + "\n";
    }
    for (const Connection& x : connections_)
        all += x.from + "." + x.from_port + " - " + x.to + "." + x.to_port + "\n";
    return hash128(all);
}

// ---- running ---------------------------------------------------------------------------------

void Machine::start() {
    for (const auto& c : components_) c->start();
}

Stop Machine::run(Tick until) {
    MEMSIM_ASSERT(built_, "run() before build()");
    return sim_.run(until);
}

std::vector<std::string> Machine::wait_report() const {
    WaitReport report;
    for (const auto& c : components_) {
        for (const auto& [name, p] : c->ports()) {
            const std::string full = c->path() + "." + name;
            for (LinkBase* link : p->incoming())
                if (link->in_queue())
                    report.add(full + " has " + std::to_string(link->in_queue()) +
                               " messages that " + c->path() + " has not taken");
            for (LinkBase* link : p->outgoing())
                if (link->sender_waits())
                    report.add(full + " waits for room at " + link->receiver()->path());
            if (p->outstanding())
                report.add(full + " waits for " + std::to_string(p->outstanding()) +
                           " answers from " + p->peer()->owner().path());
        }
        c->waits_on(report);
    }
    return report.lines;
}

bool Machine::pending() const {
    for (const auto& c : components_) {
        if (c->pending()) return true;
        for (const auto& [name, p] : c->ports()) {
            if (p->outstanding()) return true;
            for (LinkBase* link : p->incoming())
                if (link->in_queue()) return true;
        }
    }
    return false;
}

std::vector<std::string> Machine::imbalances() const {
    std::vector<std::string> all;
    for (const auto& c : components_)
        if (auto broken = c->imbalance()) all.push_back(c->path() + ": " + *broken);
    return all;
}

// ---- results ---------------------------------------------------------------------------------

template <class F>
void Machine::for_each_stat(F&& f) const {
    for (const auto& c : components_)
        for (const auto& s : c->stats()) f(*c, s);
}

namespace {

/// Passes a dump on to the sink and its integers to the digest.
class Digesting final : public StatReader {
  public:
    Digesting(StatSink& sink, std::string& record) : sink_(sink), record_(record) {}
    void integer(std::string_view part, Int128 value, Unit unit) override {
        record_.append(part).append("=").append(to_text(value)).append(";");
        sink_.integer(part, value, unit);
    }
    void derived(std::string_view part, double value, Unit unit) override {
        sink_.derived(part, value, unit);
    }
    void bucket(std::uint64_t low, std::uint64_t high, std::uint64_t count) override {
        record_ += std::to_string(low) + ":" + std::to_string(count) + ";";
        sink_.bucket(low, high, count);
    }

  private:
    StatSink& sink_;
    std::string& record_;
};

} // namespace

void Machine::dump(const std::string& label, StatSink& sink) {
    std::string record = "dump " + label + " " + std::to_string(sim_.now()) + "\n";
    Digesting reader(sink, record);
    for_each_stat([&](const ModelBase& c, const ModelBase::StatRef& s) {
        sink.stat(c.path(), s.name, *s.stat, s.kind);
        record += c.path() + "." + s.name + " ";
        s.read(*s.stat, reader, window());
        record += "\n";
    });
    digest_.add(record);
}

void Machine::reset_stats() {
    for (const auto& c : components_) c->reset_stats(sim_.now());
    sim_.stamps().reset();
    since_ = sim_.now();
}

double Machine::stat_value(const std::string& path, const std::string& stat,
                           const std::string& part) {
    struct Find final : StatReader {
        std::string_view wanted;
        bool found = false;
        double value = 0;
        std::string there;
        void integer(std::string_view p, Int128 v, Unit u) override {
            derived(p, static_cast<double>(v) * unit_scale(u), u);
        }
        void derived(std::string_view p, double v, Unit) override {
            there += (there.empty() ? "" : ", ") + std::string(p);
            if (p != wanted && !(wanted.empty() && p == "mean")) return;
            found = true;
            value = v;
        }
        void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
    } find;
    find.wanted = part;
    const ModelBase& c = at(path);
    std::vector<std::string> known;
    for (const auto& s : c.stats()) {
        known.push_back(s.name);
        if (s.name != stat) continue;
        s.read(*s.stat, find, window());
        if (!find.found && part.empty()) return 0; // an average of nothing
        if (!find.found)
            throw ConfigError(path + "." + stat + " has no part '" + part + "': it has " +
                              find.there +
                              (find.there == "count, sum" ? ", and no sample yet" : ""));
        return find.value;
    }
    throw ConfigError(path + " has no statistic '" + stat + "'" + nearest(stat, known));
}

void Machine::sample_every(Time period, const std::vector<std::string>& patterns) {
    if (period.raw <= 0) throw ConfigError("a series needs a period of at least 1fs");
    period_ = period.raw;
    patterns_ = patterns;
    next_sample_ = sim_.now() + period_;
    select_samples();
}

void Machine::select_samples() {
    sampled_.clear();
    for (const std::string& pattern : patterns_) {
        const bool open = !pattern.empty() && pattern.back() == '*';
        const std::string_view stem(pattern.data(), pattern.size() - open);
        const std::size_t before = sampled_.size();
        for_each_stat([&](const ModelBase& c, const ModelBase::StatRef& s) {
            const std::string full = c.path() + "." + s.name;
            if (open ? full.starts_with(stem) : full == stem) sampled_.push_back({&c, &s});
        });
        if (sampled_.size() == before)
            throw ConfigError("no statistic is named '" + pattern +
                              "': write its path, such as "
                              "'gpu.l2[0].hits', or the beginning of several with '*' at the end");
    }
    sim_.at_boundary(next_sample_, [this](Tick at) { return sample(at); });
}

Tick Machine::sample(Tick at) {
    struct Collect final : StatReader {
        SeriesRow row;
        std::vector<SeriesRow>* to = nullptr;
        std::string record;
        void integer(std::string_view part, Int128 v, Unit u) override {
            record.append(part).append("=").append(to_text(v)).append(";");
            row.part = part;
            row.value = static_cast<double>(v) * unit_scale(u);
            row.unit = u;
            to->push_back(row);
        }
        void derived(std::string_view, double, Unit) override {}
        void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
    } collect;
    collect.to = &series_;
    collect.record = "series " + std::to_string(at) + "\n";
    for (const Sampled& s : sampled_) {
        collect.row = {at, s.component->path(), s.stat->name, "", 0, Unit::count};
        s.stat->read(*s.stat->stat, collect, window());
    }
    digest_.add(collect.record);
    next_sample_ = at + period_;
    return next_sample_;
}

// ---- checkpoints -----------------------------------------------------------------------------

Snapshot Machine::save() {
    Snapshot s;
    s.now = sim_.now();
    s.configuration = configuration_;
    for (const auto& c : components_) {
        Saver state, stats, ports;
        c->save_state(state);
        c->save_stats(stats);
        for (const auto& [name, p] : c->ports()) {
            p->archive_own(ports);
            for (LinkBase* link : p->incoming()) link->save(ports);
        }
        const Schema& schema = *schemas_[c->id()];
        s.objects.push_back({c->path(), schema.name, schema.state_shape, std::move(state.bytes),
                             std::move(stats.bytes), std::move(ports.bytes)});
    }
    std::unordered_map<Fire, const Handler*> by_fire;
    for (const Handler* h = handlers(); h; h = h->next) by_fire[h->fire] = h;
    for (const PendingEvent& e : sim_.queue().pending()) {
        const auto h = by_fire.find(e.fire);
        if (h == by_fire.end()) continue; // a timer's or a link's: saved with its State
        Saver payload;
        h->second->save(payload, e.payload);
        s.events.push_back({e.tick, static_cast<const Component*>(e.object)->path(),
                            h->second->name, std::move(payload.bytes)});
    }
    Saver shared;
    shared(since_), shared(digest_.value), shared(period_), shared(next_sample_), shared(patterns_);
    shared(sim_.stamps());
    s.shared = std::move(shared.bytes);
    return s;
}

void Machine::load(const Snapshot& s) {
    MEMSIM_ASSERT(built_, "load() before build()");
    if (s.configuration != configuration_)
        throw ConfigError("the checkpoint is of another configuration (" + s.configuration +
                          ", this machine is " + configuration_ +
                          "): only tunable parameters may differ");
    MEMSIM_ASSERT(s.objects.size() == components_.size(), "equal configurations differ in size");
    sim_.set_now(s.now);
    for (std::size_t i = 0; i < s.objects.size(); ++i) {
        const Snapshot::Object& o = s.objects[i];
        ModelBase& c = *components_[i];
        MEMSIM_ASSERT(o.path == c.path() && o.shape == schemas_[i]->state_shape,
                      "equal configurations differ in " + o.path);
        Loader state(o.state), stats(o.stats), ports(o.ports);
        try {
            c.load_state(state);
        } catch (const ConfigError& e) {
            throw ConfigError(c.path() + ": " + e.what());
        }
        c.load_stats(stats);
        for (const auto& [name, p] : c.ports()) {
            p->archive_own(ports);
            for (LinkBase* link : p->incoming()) link->load(ports);
        }
        MEMSIM_ASSERT(state.done() && stats.done() && ports.done(),
                      "the checkpoint holds more than " + o.path + " has");
    }
    for (const Snapshot::Event& e : s.events) {
        const Handler* h = handlers();
        while (h && h->name != e.handler) h = h->next;
        if (!h)
            throw ConfigError("the checkpoint has an event '" + e.handler +
                              "' that this version of memsim does not know");
        Loader payload(e.payload);
        h->schedule(sim_.queue(), e.tick, at(e.path), payload);
    }
    Loader shared(s.shared);
    shared(since_), shared(digest_.value), shared(period_), shared(next_sample_), shared(patterns_);
    shared(sim_.stamps());
    if (period_) select_samples();
}

} // namespace memsim
