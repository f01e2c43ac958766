#include "checkpoint/file.hh"

#include "checkpoint/checkpoint.pb.h"
#include "checkpoint/disk.hh"
#include "checkpoint/packing.hh"
#include "core/kernel/former_state.hh"
#include "core/machine/version.hh"

#include <google/protobuf/stubs/logging.h>

#include <chrono>
#include <cstring>

namespace memsim::checkpoint {

namespace {

/// The head of a file. As in PNG, a byte that is not text and both kinds of line end come first, so
/// that a transfer in text mode is detected.
struct Head {
    char magic[8];
    std::uint32_t format;
    std::uint32_t info_bytes;
    std::uint64_t packed_bytes;
    std::uint64_t raw_bytes;
    char checksum[32]; ///< of the whole file, with this field zero
};
static_assert(sizeof(Head) == 64 && alignof(Head) == 8);

constexpr char magic[8] = {'\x89', 'm', 's', 'i', 'm', '\r', '\n', '\x1a'};
constexpr std::uint32_t format = 2;

std::string_view bytes_of(const Head& h) { return {reinterpret_cast<const char*>(&h), sizeof h}; }

/// A running hash that does not depend on how the bytes are divided into calls.
class Checksum {
  public:
    void add(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto n = std::min(bytes.size(), piece_size - piece_.size());
            piece_.append(bytes.substr(0, n));
            bytes.remove_prefix(n);
            if (piece_.size() == piece_size) next();
        }
    }
    /// Includes the head, which is written last.
    std::string end(Head h) {
        next();
        std::memset(h.checksum, 0, sizeof h.checksum);
        digest_.add(bytes_of(h));
        return digest_.value;
    }

  private:
    static constexpr std::size_t piece_size = 1 << 20;
    void next() {
        digest_.add(piece_);
        piece_.clear();
    }
    Digest digest_;
    std::string piece_;
};

// ---- conversion to and from messages ---------------------------------------------------------

proto::Info info_message(const Checkpoint& c) {
    proto::Info i;
    i.set_version(version());
    i.set_script(c.script.path);
    for (const auto& a : c.script.argv) i.add_argv(a);
    i.set_run(c.run.uuid);
    i.set_configuration(c.snapshot.configuration);
    i.set_now(c.snapshot.now);
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    i.set_written(std::chrono::duration_cast<std::chrono::seconds>(since_1970).count());
    i.set_objects(c.snapshot.objects.size());
    i.set_events(c.snapshot.events.size());
    i.set_pending(c.snapshot.pending);
    return i;
}

proto::Session session_message(const Checkpoint& c) {
    proto::Session s;
    s.set_script(c.script.path);
    s.set_script_hash(c.script.hash);
    s.set_cwd(c.script.cwd);
    const auto add = [](const std::vector<Script::Module>& files, auto* to) {
        for (const auto& [path, hash] : files) {
            auto* m = to->Add();
            m->set_path(path);
            m->set_hash(hash);
        }
    };
    add(c.script.modules, s.mutable_modules());
    add(c.script.package, s.mutable_package());
    add(c.script.inputs, s.mutable_inputs());
    s.set_build(build_id());
    s.set_seed(c.script.seed);
    s.set_database(c.run.database);
    s.set_outdir(c.run.outdir);
    s.set_dumps(c.run.dumps);
    s.set_series_tick(c.run.series_tick);
    s.set_launches(c.run.launches);
    s.set_host_seconds(c.run.host_seconds);
    for (const auto& o : c.configuration.objects) {
        auto* m = s.add_components();
        m->set_path(o.path);
        m->set_type(o.type);
        for (const auto& p : o.params) {
            auto* q = m->add_params();
            q->set_name(p.name);
            q->set_value(p.value);
            q->set_tunable(p.tunable);
        }
    }
    for (const auto& x : c.configuration.connections) {
        auto* m = s.add_connections();
        m->set_from(x.from);
        m->set_from_port(x.from_port);
        m->set_to(x.to);
        m->set_to_port(x.to_port);
    }
    s.set_contents(c.configuration.contents);
    s.set_journal_bytes(c.script.journal.size());
    s.set_shared_bytes(c.snapshot.shared.size());
    return s;
}

void take_session(const proto::Session& s, Checkpoint& c) {
    c.script.path = s.script();
    c.script.hash = s.script_hash();
    c.script.cwd = s.cwd();
    const auto take = [](const auto& files, std::vector<Script::Module>& to) {
        for (const auto& m : files) to.push_back({m.path(), m.hash()});
    };
    take(s.modules(), c.script.modules);
    take(s.package(), c.script.package);
    take(s.inputs(), c.script.inputs);
    c.build = s.build();
    c.script.seed = s.seed();
    c.run.database = s.database();
    c.run.outdir = s.outdir();
    c.run.dumps = s.dumps();
    c.run.series_tick = s.series_tick();
    c.run.launches = s.launches();
    c.run.host_seconds = s.host_seconds();
    for (const auto& m : s.components()) {
        auto& o = c.configuration.objects.emplace_back();
        o.path = m.path();
        o.type = m.type();
        for (const auto& p : m.params()) o.params.push_back({p.name(), p.value(), p.tunable()});
    }
    for (const auto& x : s.connections())
        c.configuration.connections.push_back({x.from(), x.from_port(), x.to(), x.to_port()});
    c.configuration.contents = s.contents();
}

void put(Packer& p, const google::protobuf::MessageLite& m) {
    const std::string bytes = m.SerializeAsString();
    p.number(bytes.size());
    p.bytes(bytes);
}

template <class Message>
Message take(Unpacker& u) {
    Message m;
    if (!m.ParseFromString(u.bytes(u.number()))) throw Unpacker::Damaged {};
    return m;
}

// ---- reading ---------------------------------------------------------------------------------

struct Opened {
    Head head;
    proto::Info info;
    std::string_view packed;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw ConfigError("checkpoint " + path + ": " + why);
}

[[noreturn]] void refuse_altered(const std::string& path) {
    refuse(path, "the file was altered after it was written (its checksum differs); use another "
                 "checkpoint or a fresh copy of this one");
}

Opened check(const std::string& path, std::string_view file) {
    const google::protobuf::LogSilencer only_our_sentence;
    Opened o {};
    const auto start = file.substr(0, sizeof magic);
    if (start != std::string_view(magic, start.size()))
        refuse(
            path,
            "this is not a checkpoint of memsim; name a file that it wrote, such as OUTDIR/*.ckpt");
    const auto refuse_short = [&] {
        refuse(path, "the file is cut off after " + std::to_string(file.size()) +
                         " bytes; use another checkpoint or copy this one again");
    };
    if (file.size() < sizeof o.head) refuse_short();
    std::memcpy(&o.head, file.data(), sizeof o.head);
    if (o.head.format != format)
        refuse(path, "its file format is version " + std::to_string(o.head.format) +
                         " and this memsim (" + version() + ") reads version " +
                         std::to_string(format) + "; resume it with the memsim that wrote it");
    std::uint64_t rest = file.size() - sizeof o.head;
    if (o.head.info_bytes > rest) refuse_short();
    rest -= o.head.info_bytes;
    if (o.head.packed_bytes > rest) refuse_short();
    file.remove_prefix(sizeof o.head);

    Checksum sum;
    sum.add(file); // includes bytes after the end
    if (sum.end(o.head) != std::string_view(o.head.checksum, sizeof o.head.checksum) ||
        !o.info.ParseFromArray(file.data(), static_cast<int>(o.head.info_bytes)))
        refuse_altered(path);
    o.packed = file.substr(o.head.info_bytes);
    return o;
}

} // namespace

Configuration configuration_of(const Machine& m) {
    Configuration all;
    for (const auto& c : m.objects()) {
        const Schema& schema = m.schema_of(*c);
        auto& o = all.objects.emplace_back();
        o.path = c->path();
        o.type = schema.name;
        const auto values = c->resolved_params();
        for (std::size_t i = 0; i < values.size(); ++i)
            o.params.push_back({values[i].name, values[i].text, schema.params[i].tunable});
    }
    all.connections = m.connections();
    all.contents = m.carries_contents();
    return all;
}

void write(const std::string& path, const Checkpoint& c) {
    AtomicFile file(path);
    Checksum sum;
    Head head {};
    std::memcpy(head.magic, magic, sizeof magic);
    head.format = format;
    const auto append = [&](std::string_view bytes) {
        sum.add(bytes);
        file.append(bytes);
    };

    file.append(bytes_of(head)); // reserves its place; its contents are known at the end
    const std::string info = info_message(c).SerializeAsString();
    head.info_bytes = static_cast<std::uint32_t>(info.size());
    append(info);

    Packer pack([&](std::string_view bytes) {
        head.packed_bytes += bytes.size();
        append(bytes);
    });
    put(pack, session_message(c));
    pack.bytes(c.script.journal);
    pack.bytes(c.snapshot.shared);
    for (const auto& o : c.snapshot.objects) {
        proto::Object m;
        m.set_path(o.path);
        m.set_type(o.type);
        m.set_shape(o.shape);
        m.set_state_bytes(o.state.size());
        m.set_stats_bytes(o.stats.size());
        m.set_ports_bytes(o.ports.size());
        put(pack, m);
        for (const auto* bytes : {&o.state, &o.stats, &o.ports}) pack.bytes(*bytes);
    }
    for (const auto& e : c.snapshot.events) {
        proto::Event m;
        m.set_tick(e.tick);
        m.set_path(e.path);
        m.set_handler(e.handler);
        m.set_payload_bytes(e.payload.size());
        m.set_shape(e.shape);
        put(pack, m);
        pack.bytes(e.payload);
    }
    pack.finish();

    head.raw_bytes = pack.raw_bytes();
    const std::string checksum = sum.end(head);
    std::memcpy(head.checksum, checksum.data(), sizeof head.checksum);
    file.overwrite(0, bytes_of(head));
    file.publish();
}

Checkpoint read(const std::string& path) {
    const std::string file = read_file(path);
    const Opened o = check(path, file);
    Checkpoint c;
    c.version = o.info.version();
    c.script.argv = {o.info.argv().begin(), o.info.argv().end()};
    c.run.uuid = o.info.run();
    c.snapshot.configuration = o.info.configuration();
    c.snapshot.now = o.info.now();
    try {
        const google::protobuf::LogSilencer only_our_sentence;
        Unpacker unpack(o.packed, o.head.raw_bytes);
        const auto session = take<proto::Session>(unpack);
        take_session(session, c);
        c.script.journal = unpack.bytes(session.journal_bytes());
        c.snapshot.shared = unpack.bytes(session.shared_bytes());
        for (std::uint64_t i = 0; i < o.info.objects(); ++i) {
            const auto m = take<proto::Object>(unpack);
            // The order matters: each call consumes the next bytes of the stream.
            std::string state = unpack.bytes(m.state_bytes());
            std::string stats = unpack.bytes(m.stats_bytes());
            std::string ports = unpack.bytes(m.ports_bytes());
            c.snapshot.objects.push_back({m.path(), m.type(), m.shape(), std::move(state),
                                          std::move(stats), std::move(ports)});
        }
        for (std::uint64_t i = 0; i < o.info.events(); ++i) {
            const auto m = take<proto::Event>(unpack);
            c.snapshot.events.push_back(
                {m.tick(), m.path(), m.handler(), m.shape(), unpack.bytes(m.payload_bytes())});
        }
        unpack.finish();
    } catch (const Unpacker::Damaged&) {
        refuse_altered(path);
    }
    return c;
}

Info read_info(const std::string& path) {
    const std::string file = read_file(path);
    const Opened o = check(path, file);
    Info i;
    i.version = o.info.version();
    i.script = o.info.script();
    i.argv = {o.info.argv().begin(), o.info.argv().end()};
    i.run = o.info.run();
    i.configuration = o.info.configuration();
    i.now = o.info.now();
    i.written = o.info.written();
    i.objects = o.info.objects();
    i.pending = o.info.pending();
    i.bytes = file.size();
    i.bytes_unpacked = o.head.raw_bytes;
    return i;
}

std::string show_state(const Checkpoint& c, const std::string& path) {
    std::vector<std::string> known;
    for (const auto& o : c.snapshot.objects) {
        known.push_back(o.path);
        if (o.path != path) continue;
        const auto type = registry().find(o.type);
        const bool there = type != registry().end();
        if (there && type->second.shape == o.shape) return type->second.show_state(o.state);
        const auto upgraded =
            there ? upgraded_state(type->second, o.shape, o.state, c.snapshot.now) : std::nullopt;
        if (upgraded) return type->second.show_state(*upgraded);
        throw ConfigError(
            path + " is of a type " + o.type +
            " whose state this memsim does not know: use the memsim that wrote the checkpoint");
    }
    throw ConfigError("the checkpoint has no component '" + path + "'" + nearest(path, known));
}

} // namespace memsim::checkpoint
