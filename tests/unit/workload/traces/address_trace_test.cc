#include "core/machine/machine.hh"
#include "support.hh"
#include "workload/traces/trace_tools.hh"

#include <optional>

namespace memsim::address_trace_test {

using namespace memsim::workload;
using namespace memsim::test;

namespace {

bool same(const TraceRecord& a, const TraceRecord& b) {
    return a.time == b.time && a.address == b.address && a.bytes == b.bytes &&
           a.command == b.command && a.application == b.application && a.pc == b.pc &&
           a.warp == b.warp && a.sectors == b.sectors;
}

std::vector<TraceRecord> all_of(TraceReader& reader) {
    std::vector<TraceRecord> records;
    for (TraceRecord r; reader.next(r);) records.push_back(r);
    return records;
}
std::vector<TraceRecord> read(const std::string& path, const TraceOptions& options = {}) {
    return all_of(*open_trace(path, options));
}

/// A file of ours from records, in batches of `batch`.
std::string encode(const std::vector<TraceRecord>& records, TraceEncoder& encoder,
                   std::size_t batch, const std::string* contents = nullptr) {
    std::string out;
    encoder.head({"a test", true, contents != nullptr}, out);
    std::size_t at = 0;
    for (std::size_t i = 0; i < records.size(); i += batch) {
        const std::vector<TraceRecord> part(
            records.begin() + static_cast<std::ptrdiff_t>(i),
            records.begin() + static_cast<std::ptrdiff_t>(std::min(i + batch, records.size())));
        std::size_t bytes = 0;
        for (const TraceRecord& r : part) bytes += contents ? r.bytes : 0;
        encoder.batch(part, contents ? std::string_view(*contents).substr(at, bytes) : "", out);
        at += bytes;
    }
    encoder.end(records.size(), out);
    return out;
}

std::vector<TraceRecord> some_records(unsigned n) {
    std::vector<TraceRecord> records;
    std::uint64_t x = 1;
    for (unsigned i = 0; i < n; ++i) {
        x = x * 6364136223846793005 + 1442695040888963407;
        records.push_back({static_cast<std::int64_t>(i) * 1'000'000, x >> 20, 32u << (x & 1),
                           (x & 4) ? TraceCommandKind::read : TraceCommandKind::write,
                           static_cast<std::uint16_t>(i % 3), x >> 50, i % 48,
                           static_cast<std::uint16_t>(x & 1 ? 3 : 0)});
    }
    return records;
}

/// A requirement on every format: a reader can continue from any place.
void check_places(const std::string& path, const TraceOptions& options) {
    const auto whole = read(path, options);
    REQUIRE(!whole.empty());
    const auto reader = open_trace(path, options);
    for (std::size_t n = 0; n <= whole.size(); ++n) {
        const auto other = open_trace(path, options);
        other->go_to(reader->place());
        const auto rest = all_of(*other);
        CHECK(rest.size() == whole.size() - n);
        for (std::size_t i = 0; i < rest.size(); ++i)
            if (!same(rest[i], whole[n + i])) FAIL("record " << n + i << " is another");
        CHECK(other->place().records == whole.size());
        TraceRecord r;
        reader->next(r);
    }
}

TraceOptions with_unit(Time unit) {
    TraceOptions o;
    o.unit = unit;
    return o;
}

/// Every cut-off, and flips in every byte: a sentence or a result.
void fuzz(const std::string& name, const std::string& good, const TraceOptions& options) {
    const Folder folder;
    const auto run = [&](const std::string& text) {
        const auto path = folder.write(name, text);
        sentence_of([&] { read(path, options); });
    };
    for (std::size_t n = 0; n < good.size(); ++n) run(good.substr(0, n));
    for (std::size_t n = 0; n < good.size(); ++n)
        for (const int flip : {1, 8, 32, 128}) {
            std::string bad = good;
            bad[n] = static_cast<char>(bad[n] ^ flip);
            run(bad);
        }
}

} // namespace

TEST_CASE("a memsim trace returns the written records with their contents", "[traces]") {
    const Folder folder;
    const auto records = some_records(1000);
    const auto path = folder.write("t.mst", encode(records, *memsim_encoder(), 64));
    const auto back = read(path);
    REQUIRE(back.size() == records.size());
    for (std::size_t i = 0; i < back.size(); ++i) CHECK(same(back[i], records[i]));
    check_places(folder.write("small.mst", encode(some_records(20), *memsim_encoder(), 6)), {});

    std::string contents;
    for (const TraceRecord& r : records)
        contents.append(r.bytes, static_cast<char>('a' + contents.size() % 26));
    const auto with = folder.write("c.mst", encode(records, *memsim_encoder(), 64, &contents));
    const auto reader = open_trace(with);
    std::string seen;
    for (TraceRecord r; reader->next(r);) {
        CHECK(reader->contents().size() == r.bytes);
        seen += reader->contents();
    }
    CHECK(seen == contents);
    // From the middle of a batch, too.
    const auto first = open_trace(with), second = open_trace(with);
    TraceRecord r;
    for (int i = 0; i < 100; ++i) first->next(r);
    second->go_to(first->place());
    first->next(r);
    const std::string expected(first->contents());
    second->next(r);
    CHECK(second->contents() == expected);
}

TEST_CASE("an origin may be any bytes, like a file name", "[traces]") {
    const Folder folder;
    std::string bytes;
    const auto encoder = memsim_encoder();
    encoder->head({"a\xff", true, false}, bytes);
    encoder->end(0, bytes);
    const auto reader = open_trace(folder.write("t.mst", bytes));
    CHECK(reader->about().front() == std::pair<std::string, std::string> {"recorded", "a\\xff"});
}

TEST_CASE("contents are converted into frames that can be read", "[traces]") {
    const Folder folder;
    auto records = some_records(4096); // a batch of them would hold 17 MiB
    for (TraceRecord& r : records) r.bytes = 4160;
    const std::string contents(records.size() * 4160, 'x');
    const auto from = folder.write("from.mst", encode(records, *memsim_encoder(), 64, &contents));
    const std::string to = folder.at("to.mst");
    CHECK(trace_convert(from, {}, {}, to, TraceOutputFormat::memsim, {}) == records.size());
    CHECK(read(to).size() == records.size());
}

TEST_CASE("errors in a memsim trace name the byte", "[traces]") {
    const Folder folder;
    const std::string good = encode(some_records(40), *memsim_encoder(), 16);
    // Cut off anywhere, between frames as well, a trace is refused.
    for (std::size_t n = 1; n < good.size(); ++n) {
        const auto path = folder.write("t.mst", good.substr(0, n));
        CHECK(!sentence_of([&] { read(path, {"memsim"}); }).empty());
    }
    CHECK(sentence_of([&] { read(folder.write("t.mst", good.substr(0, good.size() - 3))); }) ==
          "t.mst: byte " + std::to_string(good.size() - 3) +
              ": the file ends inside a frame, 3 bytes too early; fetch it again");
    // And so is one with any byte changed.
    for (std::size_t n = 16; n < good.size(); ++n) {
        std::string bad = good;
        bad[n] = static_cast<char>(bad[n] ^ 16);
        const auto path = folder.write("t.mst", bad);
        if (sentence_of([&] { read(path); }).empty()) FAIL("byte " << n << " does not matter");
    }
    CHECK(sentence_of([&] {
              read(folder.write("t.mst", good + "x"));
          }).ends_with("the trace is damaged: data follow its end"));
    fuzz("t.mst", encode(some_records(3), *memsim_encoder(), 2), {"memsim"});
}

TEST_CASE("a player rejects a record whose sectors do not match its bytes", "[traces]") {
    const Folder folder;
    TraceRecord r;
    r.bytes = 512;
    for (const std::uint16_t sectors : {0x0001, 0x8000}) {
        r.sectors = sectors;
        Machine m;
        const auto file = folder.write("t.mst", encode({r}, *memsim_encoder(), 8));
        m.add("player", "workload.TracePlayer", {{"trace", file}, {"timed", "false"}});
        m.add("ram", "mem.SimpleMemory", {});
        m.bind("player", "mem_side", "ram", "cpu_side");
        m.build();
        CHECK(sentence_of([&] {
                  m.start();
                  m.run(never);
              }).find("record 1 names 32-byte sectors outside of its") != std::string::npos);
    }
}

TEST_CASE("packet traces of gem5 are read and written, plain and packed", "[traces]") {
    const Folder folder;
    auto records = some_records(50);
    for (TraceRecord& r : records) { // the fields of the format
        r.application = r.sectors = 0;
        r.warp = 0;
    }
    for (const bool packed : {false, true}) {
        const std::string good = encode(records, *gem5_encoder(packed), 8);
        CHECK(good.starts_with(packed ? "\x1f\x8b" : "gem5"));
        const auto path = folder.write("t.trc", good);
        const auto back = read(path);
        REQUIRE(back.size() == 50);
        for (std::size_t i = 0; i < back.size(); ++i) CHECK(same(back[i], records[i]));
        check_places(path, {});
        fuzz("t.trc", encode(some_records(3), *gem5_encoder(packed), 2), {});
    }
    const std::string real = shared_data("packet_traces/tgen-simple-mem.trc");
    if (real.empty()) return;
    const auto two = read(real);
    REQUIRE(two.size() == 2);
    CHECK(two[0].time == Time {1_ns}.raw);
    CHECK(two[0].address == 0x1234567);
    CHECK(two[1].time == Time {4_ns}.raw);
    CHECK(two[1].command == TraceCommandKind::write);
    const std::string bytes = Folder::read(real);
    CHECK(sentence_of([&] { read(folder.write("t.trc", bytes.substr(0, 70))); }) ==
          "t.trc: byte 70: the file ends inside a packet, 1 bytes too early; fetch it again");
    std::string other = bytes;
    other[bytes.size() - 6] = 9; // the second packet's command is somewhere there
    const auto sentence = sentence_of([&] { read(folder.write("t.trc", other)); });
    CHECK((sentence.empty() || sentence.starts_with("t.trc: byte ")));
}

TEST_CASE("text formats are detected and read", "[traces]") {
    const Folder folder;
    const auto one = [&](const std::string& line, const TraceOptions& o) {
        const auto all = read(folder.write("t", "# a comment\n\n" + line + "\n"), o);
        REQUIRE(!all.empty());
        return all;
    };
    TraceRecord r = one("0x2000D5C0 READ 30", with_unit(630_ps))[0];
    CHECK(same(r, {18'900'000, 0x2000d5c0, 64}));
    r = one("40 P_MEM_WR 7", {})[0];
    CHECK(same(r, {7, 0x40, 64, TraceCommandKind::write}));
    r = one("ST 0x40", {})[0];
    CHECK(same(r, {0, 64, 64, TraceCommandKind::write}));
    r = one("LD 65", {})[0];
    CHECK(same(r, {0, 65, 64}));
    TraceOptions o;
    o.geometry = parse_geometry("2,2,4,4,16,8");
    o.map = "ChRaBgBaRoCo";
    r = one("W 1,0,3,2,5,7", o)[0];
    CHECK(r.address == 64 * (7 + 8 * (5 + 16 * (2 + 4 * (3 + 4 * (0 + 2 * 1))))));
    o.map = "RoRaBaCoCh"; // Ba counts all banks, of which neighbours lie in different groups
    r = one("W 1,0,3,2,5,7", o)[0];
    CHECK(r.address == 64 * (1 + 2 * (7 + 8 * ((2 * 4 + 3) + 16 * (0 + 2 * 5)))));
    r = one("0x41 W", {})[0];
    CHECK(same(r, {0, 65, 64, TraceCommandKind::write}));
    for (const char* word : {"W", "WR", "write", "WRITE", "P_MEM_WR", "BOFF"})
        CHECK(one("0x40 " + std::string(word) + " 0", {})[0].command == TraceCommandKind::write);
    for (const char* word : {"R", "rd", "READ", "P_FETCH"})
        CHECK(one("0x40 " + std::string(word) + " 0", {})[0].command == TraceCommandKind::read);
    auto spc = one("1,20941264,8192,W,0.551706\n0,8,512,r,0.554041,more", {});
    REQUIRE(spc.size() == 2);
    CHECK(
        same(spc[0], {Time {551'706_us}.raw, 20941264ull * 512, 8192, TraceCommandKind::write, 1}));
    CHECK(same(spc[1], {Time {554'041_us}.raw, 4096, 512}));
    auto msr = one("128166372003061629,src1,2,Read,383496192,32768,113736\n"
                   "128166372003061639,src1,0,Write,1024,512,9",
                   {});
    REQUIRE(msr.size() == 2);
    CHECK(same(msr[0], {0, 383496192, 32768, TraceCommandKind::read, 2}));
    CHECK(same(msr[1], {Time {1_us}.raw, 1024, 512, TraceCommandKind::write}));
    auto blk = one("  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n"
                   "  8,0    3        2     0.000002000   697  D   W 223490 + 8 [kjournald]\n"
                   "  8,0    3        3     0.000003000   697  D  RA 16 + 16 [cat]\n"
                   "  8,0    3        4     0.000004000   697  D   D 16 + 16 [trim]\n"
                   "  8,0    3        5     0.000005000   697  C   W 223490 + 8 [0]\n"
                   "CPU0 (8,0):\n Reads Queued:           1,        8KiB\n",
                   {});
    REQUIRE(blk.size() == 2);
    CHECK(same(blk[0], {Time {2_us}.raw, 223490ull * 512, 4096, TraceCommandKind::write}));
    CHECK(same(blk[1], {Time {3_us}.raw, 16 * 512, 8192}));
    check_places(folder.write("t", "1,2,512,R,0.5\n1,2,512,W,0.6\n1,2,512,W,0.7\n"), {});
    check_places(folder.write("t", "7,h,0,Read,0,512,1\n9,h,0,Read,0,512,1\n8,h,0,Read,0,512,1\n"),
                 {});
    auto o3 = one("3 20734016 20734080\n0 64", with_unit(1_ns));
    REQUIRE(o3.size() == 3);
    CHECK(same(o3[0], {4'000'000, 20734016, 64}));
    CHECK(same(o3[1], {4'000'000, 20734080, 64, TraceCommandKind::write}));
    CHECK(same(o3[2], {5'000'000, 64, 64}));
    check_places(folder.write("t", "3 1024 2048\n0 64\n7 128 256\n"), with_unit(1_ns));
    check_places(folder.write("t", "0x40 READ 1\n\n# x\n0x80 WRITE 5\n"), with_unit(1_ns));
    check_places(folder.write("t", "5 0 0 8 1\n\n# x\n 6\t1 8 8 0\r\n9 0 8 8 0"), with_unit(1_ns));
    r = one("1000 3 2048 8 0", with_unit(1_ns))[0];
    CHECK(same(r, {Time {1_us}.raw, 1 << 20, 4096, TraceCommandKind::write, 3}));
    const std::string real = shared_data("block_io/tpcc-small.trace");
    if (!real.empty()) CHECK(read(real, with_unit(1_ns)).size() == 6999);
}

TEST_CASE("errors in a text trace name line and column", "[traces]") {
    const Folder folder;
    const auto refusal = [&](const std::string& text, const TraceOptions& o = {}) {
        return sentence_of([&] { read(folder.write("t", text), o); });
    };
    CHECK(refusal("1000 0 2048 8 1\n") == "t: is a block trace of MQSim, which does not state the "
                                          "unit of its arrival times: state the "
                                          "unit, such as 1ns");
    CHECK(refusal("5 0 0 8 1\n4 0 0 8 1\n", with_unit(1_ns)) ==
          "t: line 2, column 1: the arrival time is '4', where one that is not before the last is "
          "right");
    CHECK(
        refusal("5 0 0 8 2\n", with_unit(1_ns)) ==
        "t: line 1, column 9: 0 for a write or 1 for a read is '2', where a number from 0 to 1 is "
        "right");
    CHECK(refusal("5 0 36028797018963967 8 1\n", with_unit(1_ns)) ==
          "t: line 1, column 23: the access leaves the address space of 2^64 bytes");
    // The same limit that flash.BlockTraffic has.
    CHECK(read(folder.write("t", "5 0 0 4194304 1\n"), with_unit(1_ns))[0].bytes == 1u << 31);
    CHECK(refusal("5 0 0 4194305 1\n", with_unit(1_ns)) ==
          "t: line 1, column 7: the number of sectors is '4194305', where a number from 1 to "
          "4194304, which are 2 GiB, is right");
    CHECK(refusal("0x40 READ 1\n0x40 READ\n", with_unit(1_ns)) ==
          "t: line 2, column 10: the cycle is missing");
    CHECK(
        refusal("0x40 READ 1\nLD 0x40\n").starts_with("t: line 2, column 1: the address is 'LD'"));
    CHECK(
        refusal("LD 0x40\nLD 0x4g\n") ==
        "t: line 2, column 4: the address is '0x4g', where a hexadecimal number of at most 64 bits "
        "is right");
    CHECK(refusal("0x40 READ 1\n0x40 RAED 2\n")
              .starts_with(
                  "t: line 2, column 6: the operation is 'RAED', where one of READ, WRITE, R, W"));
    CHECK(refusal("0x40 R\n0x40 X\n") ==
          "t: line 2, column 6: the operation is 'X', where R or W is right");
    CHECK(refusal("0,1,0,R,0.5\n") ==
          "t: line 1, column 5: the bytes is '0', where a number from 1 to 2147483648 is right");
    CHECK(refusal("0,1,512,R,0.5\n0,1,512,R,-1\n") ==
          "t: line 2, column 11: the time is '-1', where a number of seconds from 0 to 9223 is "
          "right");
    CHECK(refusal("9,h,0,Read,0,512,1\n9,h,0,Raed,0,512,1\n") ==
          "t: line 2, column 7: the operation is 'Raed', where Read or Write is right");
    CHECK(refusal("128166372003061629 1 8 8 1\n", with_unit(100_ns)) ==
          "t: line 1: the time is beyond the end of simulated time: count times from the first "
          "record (from_first)");
    CHECK(refusal("LD 0x40 5 6\n").starts_with("t: is no trace in a known format"));
    CHECK(refusal("R 0x40\n").starts_with("t: is no trace in a known format"));
    CHECK(refusal("R 0,0,0,0,0,0\n").starts_with("t: holds addresses as channel,rank"));
    TraceOptions o;
    o.geometry = parse_geometry("1,2,4,4,16,8");
    CHECK(refusal("R 0,2,0,0,0,0\n", o) ==
          "t: line 1, column 3: the address is '0,2,0,0,0,0', where one inside the stated geometry "
          "is right");
    CHECK(refusal("").starts_with("t: is empty"));
    CHECK(refusal("kernel-1.traceg\n").starts_with("t: is an Accel-Sim trace of instructions"));
    CHECK(sentence_of([] { parse_geometry("1,0"); }).starts_with("'1,0' is no geometry"));
    for (const char* good :
         {"0x40 READ 1\n0x80 WRITE 5\n", "LD 64\nST 0x40\n", "3 64 128\n", "5 0 0 8 1\n6 0 8 8 0\n",
          "0x40 R\n0x80 W\n", "0,8,512,R,0.5\n1,8,512,w,0.6\n",
          "9,h,0,Read,0,512,1\n9,h,0,Write,0,512,1\n",
          "8,0 3 1 0.5 697 D W 8 + 8 [k]\n8,0 3 2 0.6 697 D R 8 + 8 [k]\n"})
        fuzz("t", good, with_unit(1_ns));
}

TEST_CASE("times are counted from the first record on request, and info needs none", "[traces]") {
    const Folder folder;
    const auto path = folder.write("t", "128166372003061629 1 749016 64 1\n"
                                        "128166372003061639 1 5512 128 0\n");
    TraceOptions o = with_unit(100_ns);
    o.from_first = true;
    const auto all = read(path, o);
    REQUIRE(all.size() == 2);
    CHECK(all[0].time == 0);
    CHECK(all[1].time == Time {1_us}.raw);
    check_places(path, o);
    const auto fact = [](const TraceFacts& facts, const std::string& name) {
        for (const auto& [n, value] : facts)
            if (n == name) return value;
        return std::string();
    };
    CHECK(fact(trace_info(path, with_unit(100_ns)), "last time") ==
          "1us after 128166372003061629 units");
    const auto ours = folder.write("m.mst", encode(some_records(3), *memsim_encoder(), 2));
    TraceOptions from_first;
    from_first.from_first = true;
    CHECK(read(ours, from_first)[2].time == Time {2_ns}.raw);
    // The last bytes of the address space.
    const auto top = folder.write("top", "ST 0xFFFFFFFFFFFFFFFF\nLD 0x0\n");
    CHECK(fact(trace_info(top, {}), "addresses") == "0x0 to 0xffffffffffffffff");
}

TEST_CASE("write-backs and prefetches of gem5 are read if its version is stated", "[traces]") {
    const Folder folder;
    std::vector<TraceRecord> records(4);
    for (TraceRecord& r : records) r.bytes = 64;
    std::string bytes = encode(records, *gem5_encoder(false), 8);
    // The command of each packet is field 2, and its address, field 3, follows.
    std::vector<std::size_t> commands;
    for (std::size_t at = 0; (at = bytes.find("\x10\x01\x18", at)) != bytes.npos; ++at)
        commands.push_back(at + 1);
    REQUIRE(commands.size() == 4);
    for (std::size_t n = 0; n < 4; ++n) bytes[commands[n]] = "\x07\x0d\x0a\x16"[n];
    const auto path = folder.write("t.trc", bytes);
    CHECK(sentence_of([&] { read(path); }).find("state gem5 as v20") != std::string::npos);
    TraceOptions o;
    o.gem5 = Gem5Commands::v20;
    const auto all = read(path, o); // WritebackDirty, HardPFReq, CleanEvict, ReadExReq
    REQUIRE(all.size() == 3);
    CHECK(all[0].command == TraceCommandKind::write);
    CHECK(all[1].command == TraceCommandKind::read);
    CHECK(all[2].command == TraceCommandKind::read);
    bytes[commands[0]] = '\x05'; // WriteResp
    CHECK(sentence_of([&] {
              read(folder.write("t.trc", bytes), o);
          }).find("has command 5, which is no request to a memory") != std::string::npos);
}

TEST_CASE("a player splits records at multiples of its largest request", "[traces]") {
    const Folder folder;
    const auto played = [&](const std::string& file, const Arguments& more) {
        Machine m;
        Arguments arguments {{"trace", file}, {"timed", "false"}};
        arguments.insert(arguments.end(), more.begin(), more.end());
        m.add("player", "workload.TracePlayer", arguments);
        m.add("cache", "mem.Cache", {{"capacity", "32KiB"}, {"ways", "8"}});
        m.add("ram", "mem.SimpleMemory", {});
        m.bind("player", "mem_side", "cache", "cpu_side");
        m.bind("cache", "mem_side", "ram", "cpu_side");
        m.build();
        m.start();
        m.run(never); // the cache refuses a request that crosses its line of 128 bytes
        return std::pair(m.stat_value("player", "reads", ""), m.stat_value("player", "bytes", ""));
    };
    TraceRecord r;
    r.address = 0x40;
    r.bytes = 4096;
    const auto packet = folder.write("p.trc", encode({r}, *gem5_encoder(false), 8));
    CHECK(played(packet, {}) == std::pair(33.0, 4096.0)); // 64 bytes, 31 lines, 64 bytes
    // A byte's address names the block that holds it.
    const auto bytes = folder.write("t", "LD 140736775976056\nLD 140736775976048\n");
    CHECK(played(bytes, {{"base", "140736775975936B"}}) == std::pair(2.0, 128.0));
}

TEST_CASE("a bank trace reaches the banks that it names", "[traces]") {
    const Folder folder;
    const auto path =
        folder.write("t", "R 0,0,0,0,5,0\nR 0,0,0,0,5,1\nR 0,0,0,0,6,0\nR 0,0,0,1,5,0\n"
                          "R 0,1,2,0,5,0\nR 0,1,2,0,5,127\nW 0,1,2,0,5,3\n");
    for (const char* map : {"RoRaBaCoCh", "RoCoRaBgBaCh"}) {
        Machine m;
        m.add(
            "player", "workload.TracePlayer",
            {{"trace", path}, {"timed", "false"}, {"geometry", "1,2,4,4,65536,128"}, {"map", map}});
        m.add("dram", "mem.DramController",
              {{"timing", "ddr4_2400"}, {"changes", "ranks=2"}, {"map", map}});
        m.bind("player", "mem_side", "dram", "cpu_side");
        m.build();
        m.start();
        m.run(never);
        CHECK(m.stat_value("dram", "row_hits", "") == 3);
        CHECK(m.stat_value("dram", "row_misses", "") == 3);
        CHECK(m.stat_value("dram", "row_conflicts", "") == 1);
        for (const char* bank : {"bank_reads[0]", "bank_reads[1]", "bank_reads[24]"})
            CHECK(m.stat_value("dram", bank, "") > 0);
    }
}

TEST_CASE("a memory with another address mapping rejects a bank trace", "[traces]") {
    const Folder folder;
    const auto path = folder.write("t", "R 0,0,0,0,5,0\n");
    const auto refusal = [&](const char* geometry, const char* map) {
        return sentence_of([&] {
            Machine m;
            m.add("player", "workload.TracePlayer",
                  {{"trace", path}, {"timed", "false"}, {"geometry", geometry}, {"map", map}});
            m.add("dram", "mem.DramController", {{"timing", "ddr4_2400"}, {"changes", "ranks=2"}});
            m.bind("player", "mem_side", "dram", "cpu_side");
            m.build();
        });
    };
    CHECK(refusal("1,2,4,4,65536,128", "RoRaBaCoCh") == "");
    CHECK(refusal("1,2,4,4,65536,128", "rorabaco") == "");  // there is one channel
    CHECK(refusal("1,2,4,4,4096,128", "RoRaBaCoCh") == ""); // fewer rows, which are counted highest
    CHECK(refusal("1,2,4,4,65536,128", "RoBaRaCoCh") ==
          "player.map: 'RoBaRaCoCh' with the geometry 1,2,4,4,65536,128 and columns of 64B differs "
          "from the address mapping of dram: give both the same map, ranks, groups, banks, "
          "columns and bytes");
    for (const char* other :
         {"1,1,4,4,65536,128", "1,2,2,8,65536,128", "1,2,4,4,65536,64", "1,2,4,4,131072,128"})
        CHECK(refusal(other, "RoRaBaCoCh").starts_with("player.map: "));
}

TEST_CASE("slices and conversions keep the fields that the formats share", "[traces]") {
    const Folder folder;
    const auto records = some_records(100);
    const auto mst = folder.write("t.mst", encode(records, *memsim_encoder(), 16));
    const auto convert = [&](const std::string& from, const TraceSelection& s, const char* name,
                             TraceOutputFormat format, Time cycle = {}, TraceOptions o = {}) {
        trace_convert(from, o, s, folder.at(name), format, cycle);
        return folder.at(name);
    };
    const auto part = read(convert(mst, {10, 20, {}, {}}, "a.mst", TraceOutputFormat::memsim));
    REQUIRE(part.size() == 20);
    CHECK(same(part[0], records[10]));
    const auto window =
        read(convert(mst, {0, 1000, 5_ns, 8_ns}, "b.mst", TraceOutputFormat::memsim));
    REQUIRE(window.size() == 3);
    CHECK(same(window[0], records[5]));
    const auto gem5 = convert(mst, {}, "c.trc.gz", TraceOutputFormat::gem5);
    const auto text = convert(gem5, {}, "d.trace", TraceOutputFormat::dramsim3, 1_ns);
    const auto back =
        read(convert(text, {}, "e.mst", TraceOutputFormat::memsim, {}, with_unit(1_ns)));
    REQUIRE(back.size() == 100);
    for (std::size_t i = 0; i < 100; ++i) {
        // DRAMsim3's format has no sizes: a record is its block.
        CHECK(back[i].address == records[i].address / 64 * 64);
        CHECK(back[i].time == records[i].time);
        CHECK(back[i].command == records[i].command);
    }
    CHECK(sentence_of([&] {
              trace_convert(mst, {}, {}, mst, TraceOutputFormat::gem5, {});
          }).ends_with("is also the input: name another output file"));
    CHECK(sentence_of([&] {
              convert(text, {}, "f", TraceOutputFormat::gem5);
          }).starts_with("d.trace: does not state its time unit"));
    // A fault in the input leaves no new file, and an existing file is unchanged.
    const auto kept = folder.write("kept.mst", "before");
    const auto bad = folder.write("bad", "0x40 READ 1\nworse\n");
    CHECK(!sentence_of([&] {
               trace_convert(bad, with_unit(1_ns), {}, kept, TraceOutputFormat::memsim, {});
           }).empty());
    CHECK(Folder::read(kept) == "before");
    CHECK(!std::filesystem::exists(kept + ".partial"));
}

} // namespace memsim::address_trace_test
