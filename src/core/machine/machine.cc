#include "core/machine/machine.hh"

#include "core/base/host_memory.hh"
#include "core/base/name.hh"
#include "core/kernel/former_state.hh"
#include "core/kernel/policy.hh"
#include "core/machine/former_stamps.hh"
#include "core/machine/output_file.hh"

#include <algorithm>
#include <sstream>
#include <unordered_map>

namespace memsim {

/// The first value of a checkpoint's shared state if the checkpoint names the stages of its stamps.
/// The shared state of older checkpoints begins with a time.
static constexpr std::uint64_t names_stages = ~std::uint64_t {0};

static std::vector<std::string> stage_names() {
    std::vector<std::string> names;
    for (const Stage stage : Stage::known()) names.emplace_back(stage.name());
    return names;
}

/// Calls act(); if memory runs out, the error names the object that requested it.
template <class F>
static auto within_memory(const std::string& path, F&& act) {
    try {
        return act();
    } catch (const std::bad_alloc&) {
        throw ConfigError(path + ": " + out_of_memory());
    } catch (const std::length_error&) { // thrown by a container larger than any memory
        throw ConfigError(path + ": " + out_of_memory());
    }
}

// ---- building --------------------------------------------------------------------------------

Machine::Machine(std::uint64_t seed, QueueKind kind) : sim_(seed, kind) {}
Machine::~Machine() = default;

void Machine::add(const std::string& path, const std::string& type, const Arguments& params) {
    MEMSIM_ASSERT(!built_, "components are added before build()");
    const auto schema = registry().find(type);
    if (schema == registry().end()) {
        std::vector<std::string> known;
        for (const auto& [name, s] : registry()) known.push_back(name);
        throw ConfigError(path + ": there is no component type '" + type + "'" +
                          nearest(type, known));
    }
    check_path(path);
    if (by_path_.count(path)) throw ConfigError(path + " is added twice: give one another name");
    std::unique_ptr<Object> o =
        within_memory(path, [&] { return schema->second.create(path, params); });
    o->id_ = static_cast<std::uint32_t>(objects_.size());
    o->path_ = path;
    if (auto* const c = dynamic_cast<Component*>(o.get())) {
        c->sim_ = &sim_;
        c->set_up();
        components_.push_back(c);
        sim_.expect(components_.size());
    }
    by_path_[path] = o.get();
    schemas_.push_back(&schema->second);
    objects_.push_back(std::move(o));
}

Object& Machine::at(const std::string& path) const {
    const auto it = by_path_.find(path);
    if (it != by_path_.end()) return *it->second;
    std::vector<std::string> known;
    for (const auto& [name, o] : by_path_) known.push_back(name);
    throw ConfigError("there is no component '" + path + "'" + nearest(path, known));
}

/// The sentence about a port `name` that does not exist. It ends with the number of ports if `name`
/// is an element of a vector whose number a parameter sets, else with the nearest of the `known`
/// names.
static std::string no_port(const std::string& path, const Schema& schema, const std::string& name,
                           const std::vector<std::string>& known) {
    const std::string sentence = path + " has no port '" + name + "'";
    const std::string vector = name.substr(0, name.find('[') + 1);
    const auto is_vector = [&](const PortInfo& p) { return p.many && p.name + "[" == vector; };
    if (std::none_of(schema.ports.begin(), schema.ports.end(), is_vector))
        return sentence + nearest(name, known);
    const auto count = std::count_if(known.begin(), known.end(), [&](const std::string& port) {
        return port.starts_with(vector);
    });
    return sentence + ": this vector has " + std::to_string(count) +
           (count == 1 ? " port" : " ports") +
           ", and a parameter sets the number: `memsim describe " + schema.name + "`";
}

PortBase& Machine::port(const std::string& path, const std::string& name) {
    std::vector<std::string> known;
    if (auto* const c = dynamic_cast<Component*>(&at(path))) {
        for (const auto& p : c->ports()) {
            if (p.name == name) return *p.port;
            // The next free port of a vector that is named without an index.
            if (!p.port->peer() && p.name.starts_with(name + "[")) return *p.port;
            known.push_back(p.name);
        }
        if (PortBase* grown = c->grow_port(name)) return *grown;
    }
    throw ConfigError(no_port(path, *schemas_[at(path).id_], name, known));
}

namespace {
void check_interface(const PortBase& port) {
    const NeededInterface& needed = port.spec().needs;
    if (needed.offered_by && !needed.offered_by(port.peer()->owner()))
        throw ConfigError(port.owner().path() + "." + port.name() + " is bound to " +
                          port.neighbour_path() + ", which offers no " + needed.name() +
                          ": bind it to a component that does");
}
} // namespace

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
        throw ConfigError(full_a + " has messages of " + a.family() + " and " + full_b +
                          " those of " + b.family() + ": bind ports of one family");
    a.connect(b, sim_);
    check_interface(a);
    check_interface(b);
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

void Machine::check_contents() const {
    if (!sim_.contents().enabled()) return;
    for (const auto& c : components_)
        for (const auto& [name, p] : c->ports())
            if (p->takes_contents() && !dynamic_cast<Functional*>(c))
                throw ConfigError(c->path() + ": a " + schema_of(*c).name +
                                  " does not carry contents: build the machine without them");
}

namespace {

std::string show_range(const MemoryUse& u) {
    return "from address " + std::to_string(u.begin) + " to " +
           std::to_string(u.begin + u.bytes - 1);
}

} // namespace

void Machine::check_memory_uses() const {
    struct Use {
        const Component* by;
        MemoryUse use;
    };
    std::vector<Use> all;
    for (const auto& c : components_)
        for (MemoryUse& u : c->memory_uses())
            if (u.bytes) all.push_back({c, std::move(u)});
    std::ranges::stable_sort(all, {}, [](const Use& u) { return u.use.begin; });
    for (std::size_t i = 1; i < all.size(); ++i) {
        const Use &a = all[i - 1], &b = all[i];
        if (b.use.begin - a.use.begin < a.use.bytes)
            throw ConfigError(a.by->path() + " has " + a.use.what + " in memory " +
                              show_range(a.use) + ", where " + b.by->path() + " has " + b.use.what +
                              ", " + show_range(b.use) + ": place one of them elsewhere");
    }
}

void Machine::build() {
    MEMSIM_ASSERT(!built_, "build() is called once");
    for (const auto& o : objects_) o->finish_set_up();
    check_ports();
    check_contents();
    check_outputs(*this);
    for (const auto& o : objects_) within_memory(o->path(), [&] { o->init(); });
    check_memory_uses();
    for (const auto& c : components_) c->seed_all();
    sim_.launches().watch(objects_);
    configuration_ = hash_configuration();
    built_ = true;
}

std::string Machine::hash_configuration() const {
    std::string all = "seed " + std::to_string(sim_.seed()) + "\n";
    if (sim_.contents().enabled()) all += "contents\n";
    for (const auto& o : objects_) {
        const Schema& schema = schema_of(*o);
        all += o->path() + " " + schema.name + "\n";
        const auto values = o->resolved_params();
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!schema.params[i].tunable) all += values[i].name + "=" + values[i].text + "\n";
            if (policies().contains(schema.params[i].type()))
                all += choose_policy(schema.params[i].type(), values[i].text).info->shape + "\n";
        }
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
    if (!loaded_) return threads_.run(sim_, components_, until);
    try {
        return threads_.run(sim_, components_, until);
    } catch (const Panic& p) {
        throw ConfigError(std::string("the run cannot continue from its checkpoint: ") + p.what() +
                          ". The checkpoint is damaged, or, if a run from the beginning ends in "
                          "the same way, memsim has a bug");
    }
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
                    report.add(full + " waits for space at " + link->receiver()->path());
            if (p->outstanding())
                report.add(full + " waits for " + std::to_string(p->outstanding()) +
                           " responses from " + p->peer()->owner().path());
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

std::vector<std::string> Machine::inputs() const {
    std::set<std::string> all;
    for (const auto& c : components_)
        for (std::string& file : c->inputs()) all.insert(std::move(file));
    return {all.begin(), all.end()};
}

std::vector<std::string> Machine::imbalances() const {
    std::vector<std::string> all;
    for (const auto& c : components_)
        if (auto broken = c->imbalance()) all.push_back(c->path() + ": " + *broken);
    if (const std::size_t n = sim_.contents().live())
        all.push_back("the contents of " + std::to_string(n) +
                      " messages were neither consumed nor forwarded");
    return all;
}

ContentsReport Machine::compare_contents() {
    ContentsReport report;
    for (const auto& c : components_)
        if (auto* checks = dynamic_cast<ChecksContents*>(c)) checks->compare_contents(report);
    return report;
}

// ---- results ---------------------------------------------------------------------------------

namespace {

/// Passes the values of a dump to the sink, and its integers to the digest.
class Digesting final : public StatReader {
  public:
    Digesting(StatSink& sink, std::string& record) : sink_(sink), record_(record) {}
    void integer(std::string_view part, Int128 value, Unit unit) override {
        record_.append(part).append("=").append(to_text(value)).append(";");
        sink_.integer(part, value, unit);
    }
    void integer_until_now(std::string_view part, Int128 stored, Int128 value, Unit unit) override {
        record_.append(part).append("=").append(to_text(stored)).append(";");
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
    for (const auto& o : objects_)
        for (const Object::StatRef& s : o->stats()) {
            sink.stat(o->path(), s.name, *s.stat, s.kind);
            if (s.kind == Gathered::kind || s.kind == Gauge::kind) { // not in the digest
                s.read(*s.stat, reader, window());
                continue;
            }
            record += o->path() + "." + s.name + " ";
            s.read(*s.stat, reader, window());
            record += "\n";
        }
    digest_.add(record);
}

void Machine::reset_stats() {
    sim_.launches().before_reset(sim_.now());
    for (const auto& o : objects_) o->reset_stats(sim_.now());
    sim_.stamps().reset();
    series_.reset_stats();
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
    std::vector<std::string> known;
    for (const auto& s : at(path).stats()) {
        known.push_back(s.name);
        if (s.name != stat) continue;
        s.read(*s.stat, find, window());
        if (!find.found && part.empty()) return 0; // an average without samples
        if (find.found) return find.value;
        const std::string& there = find.there;
        throw ConfigError(path + "." + stat + " has no part '" + part + "': it " +
                          (there.empty() ? "is one number" : "has " + there) +
                          (there == "count, sum" ? ", and no sample yet" : ""));
    }
    throw ConfigError(path + " has no statistic '" + stat + "'" + nearest(stat, known));
}

void Machine::sample_every(Time period, const std::vector<std::string>& patterns) {
    series_.select(objects_, period, patterns);
    series_.next = sim_.now() + period.raw;
    begin_samples();
}

/// Begins sampling now.
void Machine::begin_samples() {
    series_.begin(since_, sim_.now());
    sim_.at_boundary(series_.next, [this](Tick at) {
        digest_.add(series_.sample(since_, at));
        return series_.next;
    });
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
        const Schema& schema = schema_of(*c);
        s.objects.push_back({c->path(), schema.name, schema.shape, std::move(state.bytes),
                             std::move(stats.bytes), std::move(ports.bytes)});
    }
    std::unordered_map<Fire, const Handler*> by_fire;
    for (const Handler* h = handlers(); h; h = h->next) by_fire[h->fire] = h;
    for (const PendingEvent& e : sim_.queue().pending()) {
        const auto h = by_fire.find(e.fire);
        if (h == by_fire.end()) continue; // an event of a timer or a link: saved with its State
        Saver payload;
        h->second->save(payload, e.payload);
        s.events.push_back({e.tick, static_cast<const Component*>(e.object)->path(),
                            h->second->name, h->second->shape, std::move(payload.bytes)});
    }
    Saver shared;
    shared(names_stages), shared(stage_names()), shared(since_), shared(digest_.value);
    shared(series_), shared(sim_.stamps()), shared(sim_.launches()), shared(sim_.contents());
    s.pending = sim_.queue().size();
    s.shared = std::move(shared.bytes);
    return s;
}

/// The first line in which the shapes of two types differ, without the text after its name.
static std::string first_difference(const std::string& a, const std::string& b) {
    const auto lines_of = [](const std::string& shape) {
        std::vector<std::string> lines;
        std::istringstream in(shape);
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return lines;
    };
    const auto one = lines_of(a), other = lines_of(b);
    std::size_t i = 0;
    while (i < one.size() && i < other.size() && one[i] == other[i]) ++i;
    if (i == one.size() && i == other.size()) return "the end of its shape";
    const bool only_one = i < one.size() && std::count(other.begin(), other.end(), one[i]) == 0;
    const std::string line = only_one || i == other.size() ? one[i] : other[i];
    return line.substr(0, line.find(' ', line.find(' ') + 1));
}

void Machine::load_object(const Snapshot::Object& o, Component& c, Tick now) {
    const Schema& schema = schema_of(c);
    const std::string name = c.path() + " (" + schema.name + ")";
    if (o.path != c.path() || o.type != schema.name)
        throw ConfigError("the checkpoint has " + o.path + " (" + o.type +
                          ") where the machine has " + name + ": it is damaged");
    try {
        std::optional<std::string> upgraded;
        if (o.shape != schema.shape) {
            upgraded = upgraded_state(schema, o.shape, o.state, now);
            if (!upgraded)
                throw ConfigError("it was saved by a memsim in which " +
                                  first_difference(o.shape, schema.shape) +
                                  " differs: resume with the memsim that wrote the checkpoint");
        }
        Loader state(upgraded ? *upgraded : o.state, now), stats(o.stats, now), ports(o.ports, now);
        if (upgraded) stats.expect_former_statistics();
        c.load_state(state);
        c.load_stats(stats);
        for (const auto& [port, p] : c.ports())
            ports.within(port, [&, p = p] {
                p->archive_own(ports);
                for (LinkBase* link : p->incoming()) link->load(ports);
            });
        for (const Loader* l : {&state, &stats, &ports})
            l->check(l->done(), "is followed by more than there is");
        c.check_loaded(state);
    } catch (const ConfigError& e) {
        throw ConfigError(name + ": " + e.what());
    }
}

void Machine::load_event(const Snapshot::Event& e, Tick now) {
    const Handler* h = handlers();
    while (h && h->name != e.handler) h = h->next;
    auto* const c = dynamic_cast<Component*>(&at(e.path));
    const std::string name = e.path + ": the event " + e.handler;
    if (!h || h->shape != e.shape)
        throw ConfigError(name + " was saved by a memsim in which it " +
                          (h ? "has another definition" : "exists") +
                          ": resume with the memsim that wrote the checkpoint");
    if (!c || h->owner != schema_of(*c).name || e.tick < now)
        throw ConfigError(name + (e.tick < now ? " is in the past" : " is another component's") +
                          ": the checkpoint is damaged");
    Loader payload(e.payload, now);
    payload.within(name, [&] {
        h->schedule(sim_.queue(), e.tick, *c, payload);
        payload.check(payload.done(), "is followed by more than there is");
    });
}

void Machine::load_shared(const Snapshot& s) {
    Loader l(s.shared, s.now);
    std::uint64_t first = 0;
    std::vector<std::string> stages;
    FormerStamps former;
    l.field("since", first);
    const bool named = first == names_stages;
    if (named)
        l.field("stages", stages), l.field("since", since_);
    else
        since_ = static_cast<Tick>(first);
    l.field("digest", digest_.value);
    l.field("series", series_);
    if (named)
        l.field("stamps", sim_.stamps());
    else
        l.field("stamps", former);
    l.field("launches", sim_.launches());
    l.field("contents", sim_.contents());
    l.check(l.done(), "the shared state is followed by more than there is");
    if (former.every || (sim_.stamps().enabled() && stages != stage_names()))
        throw ConfigError("the checkpoint's stamps use other stages than this memsim: resume with "
                          "the memsim that wrote the checkpoint");
    l.check(since_ <= s.now, "since is after the present");
    l.check(series_.period >= 0 && (!series_.on() || series_.next >= s.now),
            "the next sample is in the past");
}

void Machine::load(const Snapshot& s) {
    MEMSIM_ASSERT(built_, "load() before build()");
    if (s.configuration != configuration_ || s.objects.size() != components_.size())
        throw ConfigError("the checkpoint is of another configuration (" + s.configuration +
                          ", this machine is " + configuration_ +
                          "): only tunable parameters may differ");
    if (s.now < 0) throw ConfigError("the checkpoint is of a time before 0: it is damaged");
    loaded_ = true;
    sim_.set_now(s.now);
    load_shared(s);
    for (std::size_t i = 0; i < s.objects.size(); ++i)
        load_object(s.objects[i], *components_[i], s.now);
    for (const Snapshot::Event& e : s.events) load_event(e, s.now);
    if (!series_.on()) return;
    const Growth saved = series_.growth;
    series_.select(objects_, {series_.period}, std::vector(series_.patterns));
    begin_samples();
    if (!series_.growth.resume(saved))
        throw ConfigError("the checkpoint's series has totals of other statistics: it is damaged");
}

} // namespace memsim
