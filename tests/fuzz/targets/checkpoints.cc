#include "../target.hh"

#include "../../contract/oracle.hh"
#include "checkpoint/file.hh"
#include "checkpoint/packing.hh"

#include <algorithm>
#include <cstring>
#include <map>

/// Checkpoints under a valid checksum: the file, and what a machine loads of it.
namespace memsim::test {

namespace {

// ---- the file --------------------------------------------------------------------------------

/// The file of docs/checkpoints.md around two bytes that say how long its info is, the info
/// and all that is packed.
std::string checkpoint_around(std::string_view bytes) {
    std::uint16_t info_bytes = 0;
    std::memcpy(&info_bytes, bytes.data(), 2);
    bytes.remove_prefix(2);
    const std::string_view info = bytes.substr(0, info_bytes);
    bytes.remove_prefix(info.size());
    std::string packed;
    checkpoint::Packer pack([&](std::string_view piece) { packed += piece; });
    pack.bytes(bytes);
    pack.finish();
    std::string head("\x89msim\r\n\x1a\2\0\0\0", 12);
    const auto put = [&](std::uint64_t number, std::size_t size) {
        head.append(reinterpret_cast<const char*>(&number), size);
    };
    put(info.size(), 4), put(packed.size(), 8), put(bytes.size(), 8);
    const std::string rest = std::string(info) + packed;
    Digest sum;
    sum.add(rest); // less than 1 MiB
    sum.add(head + std::string(32, '\0'));
    return head + sum.value + rest;
}

const FuzzTargetFor file {"checkpoint_file", [](std::string_view bytes) {
                              if (bytes.size() < 2 || bytes.size() > 1 << 19) return;
                              const std::string path = file_of(checkpoint_around(bytes));
                              (void)checkpoint::read_info(path);
                              const auto c = checkpoint::read(path);
                              for (const auto& o : c.snapshot.objects)
                                  (void)checkpoint::show_state(c, o.path);
                          }};

// ---- the machine -----------------------------------------------------------------------------

/// A running rig, at three times.
const std::vector<Snapshot>& snapshots_of(const Rig& rig) {
    static std::map<const Rig*, std::vector<Snapshot>> known;
    auto& all = known[&rig];
    if (!all.empty()) return all;
    const auto m = built(rig);
    m->start();
    for (const Tick until : {200'000'000, 1'000'000'000, 2'000'000'000}) {
        m->run(until);
        all.push_back(m->save());
    }
    return all;
}

/// All files and structures that contain numbers of a snapshot.
std::vector<std::string*> bodies_of(Snapshot& s) {
    std::vector<std::string*> all {&s.shared};
    for (auto& o : s.objects)
        for (std::string* body : {&o.state, &o.stats, &o.ports}) all.push_back(body);
    for (auto& e : s.events) all.push_back(&e.payload);
    return all;
}

/// Edits of four bytes and what is put there: which body, where (u16), and what: its lowest three
/// bits how many bytes less one, then whether they are put in between, and whether as many are
/// taken out instead.
void edit(Snapshot& s, std::string_view edits) {
    const auto bodies = bodies_of(s);
    while (edits.size() >= 4) {
        std::uint16_t place = 0;
        std::memcpy(&place, edits.data() + 1, 2);
        std::string& body = *bodies[static_cast<unsigned char>(edits[0]) % bodies.size()];
        const auto what = static_cast<unsigned char>(edits[3]);
        const std::size_t size = what % 8 + 1, at = place % (body.size() + 1);
        edits.remove_prefix(4);
        if (what & 16) {
            body.erase(at, size);
            continue;
        }
        const std::string_view bytes = edits.substr(0, size);
        edits.remove_prefix(bytes.size());
        body.replace(at, what & 8 ? 0 : bytes.size(), bytes);
    }
}

/// The type of a rig, a line end, which of its rigs and of three times (a byte), and edits of its
/// snapshot: so the corpus outlives changes of State.
const FuzzTargetFor machine {"checkpoint", [](std::string_view bytes) {
                                 const std::size_t end = bytes.find('\n');
                                 if (end == bytes.npos || end + 1 >= bytes.size()) return;
                                 std::vector<const Rig*> of_type;
                                 for (const Rig& rig : rigs())
                                     if (rig.type == bytes.substr(0, end)) of_type.push_back(&rig);
                                 if (of_type.empty())
                                     throw ConfigError("there is no rig of this type");
                                 const auto which = static_cast<unsigned char>(bytes[end + 1]);
                                 const Rig& rig = *of_type[which / 3 % of_type.size()];
                                 Snapshot s = snapshots_of(rig)[which % 3];
                                 edit(s, bytes.substr(end + 2));
                                 const auto m = built(rig);
                                 m->load(s);
                                 m->run(s.now + 1'000'000'000);
                             }};

} // namespace

} // namespace memsim::test
