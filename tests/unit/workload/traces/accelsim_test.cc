#include "support.hh"
#include "workload/traces/bank_conflicts.hh"
#include "workload/traces/trace_source.hh"

#include <map>
#include <set>

namespace memsim::accelsim_test {

using namespace memsim::workload;
using namespace memsim::test;
using gpu_program::WarpOp;
using gpu_program::WarpOpKind;

namespace {

std::string kernel_text(const std::string& instructions, unsigned count, unsigned version = 3,
                        const std::string& more = "") {
    return "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
           "-shmem base_addr = 0x7fc867000000\n-local mem base_addr = 0x7fc865000000\n"
           "-accelsim tracer version = " +
           std::to_string(version) + "\n" + more +
           "\n#traces format = ...\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = " +
           std::to_string(count) + "\n" + instructions + "\n#END_TB\n\n";
}

/// All operations of the only block of a kernel.
std::vector<WarpOp> operations(const std::string& path, TraceSourceOptions options = {}) {
    TraceSource source(path, options);
    gpu_program::Launch launch;
    gpu_program::BlockStreams out;
    std::vector<WarpOp> all;
    source.next_launch(launch);
    for (std::uint32_t b = 0; b < launch.blocks(); ++b) source.run_block(b, out);
    for (const auto& bytes : out.warps) {
        std::uint64_t position = 0;
        WarpOp op;
        for (gpu_program::WarpStreamReader reader(bytes, position); reader.next(op);)
            all.push_back(op);
    }
    CHECK(!source.next_launch(launch));
    return all;
}
std::vector<WarpOp> of_lines(const std::string& lines, unsigned n, unsigned version = 3,
                             TraceArithmetic arithmetic = TraceArithmetic::stretches) {
    const Folder folder;
    return operations(folder.write("k.traceg", kernel_text(lines, n, version)),
                      {.arithmetic = arithmetic});
}
/// What is wrong with these lines of a kernel.
std::string refusal(const std::string& lines, unsigned n, unsigned version = 3) {
    return sentence_of([&] { of_lines(lines, n, version); });
}

/// Plays all of a trace and calls f for each launch and each warp's operations.
struct Totals {
    std::uint64_t launches = 0, warp_instructions = 0, thread_instructions = 0, memory = 0;
};
template <class F>
Totals play(TraceSource& source, F&& f) {
    Totals t;
    gpu_program::Launch launch;
    gpu_program::BlockStreams out;
    while (source.next_launch(launch)) {
        ++t.launches;
        for (std::uint32_t b = 0; b < launch.blocks(); ++b) {
            source.run_block(b, out);
            t.warp_instructions += out.counts.warp_instructions;
            t.thread_instructions += out.counts.thread_instructions;
            for (const auto& bytes : out.warps) {
                std::uint64_t position = 0;
                WarpOp op;
                for (gpu_program::WarpStreamReader reader(bytes, position); reader.next(op);) {
                    t.memory += touches_memory(op.kind);
                    f(launch, op);
                }
            }
        }
    }
    return t;
}

} // namespace

TEST_CASE("the PCs of any number of kernels differ", "[traces]") {
    constexpr std::uint32_t kernels = 2050;
    const Folder folder;
    std::string list;
    for (std::uint32_t k = 0; k < kernels; ++k) {
        std::string text = kernel_text("0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x7fc800000000 4\n"
                                       "0020 ffffffff 0 EXIT 0 0\n",
                                       2);
        text.replace(text.find("= k\n"), 4, "= k" + std::to_string(k) + "\n");
        const std::string name = "k" + std::to_string(k) + ".traceg";
        folder.write(name, text);
        list += name + "\n";
    }
    TraceSource source(folder.write("kernelslist.g", list), {});
    std::vector<std::uint32_t> pcs;
    play(source, [&](const gpu_program::Launch&, const WarpOp& op) {
        if (touches_memory(op.kind)) pcs.push_back(op.pc);
    });
    REQUIRE(pcs.size() == kernels);
    constexpr std::uint32_t mib = 1 << 20;
    CHECK(pcs[1] == 4 * mib + 0x10);
    CHECK(pcs[1023] == 1023u * 4 * mib + 0x10);
    CHECK(pcs[1024] == 2 * mib + 0x10);
    CHECK(pcs[1025] == 6 * mib + 0x10);
    CHECK(pcs[2048] == 1 * mib + 0x10);
    CHECK(std::set(pcs.begin(), pcs.end()).size() == kernels);
}

TEST_CASE("an opcode determines memory effect and width", "[traces]") {
    const auto is = [](const char* text, SassKind kind, SassSpace space, unsigned width) {
        const SassOpcode o = sass_opcode(text);
        CAPTURE(text);
        CHECK(o.kind == kind);
        CHECK(o.space == space);
        CHECK(o.width == width);
    };
    is("LDG.E", SassKind::load, SassSpace::global, 4);
    is("LDG.E.U8", SassKind::load, SassSpace::global, 1);
    is("LDG.E.S16.CONSTANT", SassKind::load, SassSpace::global, 2);
    is("LDG.E.128.SYS", SassKind::load, SassSpace::global, 16);
    is("STG.E.64", SassKind::store, SassSpace::global, 8);
    is("ATOMG.E.ADD.STRONG.GPU", SassKind::atomic, SassSpace::global, 4);
    is("RED.E.ADD.S32.STRONG.GPU", SassKind::reduce, SassSpace::global, 4);
    is("LDS.U.64", SassKind::load, SassSpace::shared, 8);
    is("STL", SassKind::store, SassSpace::local, 4);
    is("LD.E", SassKind::load, SassSpace::generic, 4);
    is("LDC.64", SassKind::other, SassSpace::none, 4);
    is("BAR.SYNC.DEFER_BLOCKING", SassKind::barrier, SassSpace::none, 4);
    is("BAR.ARV", SassKind::other, SassSpace::none, 4);
    is("LEA.HI.X.SX32", SassKind::other, SassSpace::none, 4);
    is("IMAD.MOV.U32", SassKind::other, SassSpace::none, 4);
    CHECK(sass_opcode("UTMALDG.2D").kind == SassKind::refused);
    const auto products = [](const char* text) {
        const SassOpcode o = sass_opcode(text);
        return o.kind == SassKind::matrix ? o.products : 0;
    };
    CHECK(products("HMMA.884.F32.F32.STEP0") == 256);
    CHECK(products("HMMA.16816.F32") == 2048);
    CHECK(products("HMMA.1688.F32.TF32") == 2048); // at half of the rate
    CHECK(products("HMMA.SP.16832.F32") == 2048);  // half of the products are zero
    CHECK(products("IMMA.16832.S8.S8") == 2048);   // at twice the rate
    CHECK(products("DMMA.884") == 4096);
    CHECK(products("HGMMA.64x256x16.F32") == 64 * 256 * 16 / 4); // of four warps
    CHECK(products("HMMA.STRANGE") == 0);
    is("HMMA.16816.F32", SassKind::matrix, SassSpace::none, 16);
    is("HMMA.16816.F16", SassKind::matrix, SassSpace::none, 8);
    CHECK(sass_opcode("LDG.E.7").width == 0);
}

TEST_CASE("an opcode determines the arithmetic unit", "[traces]") {
    using gpu_program::ArithmeticUnit;
    const auto unit = [](const char* text) { return sass_opcode(text).unit; };
    CHECK(unit("FFMA.FTZ") == ArithmeticUnit::fp32);
    CHECK(unit("FSETP.GT.AND") == ArithmeticUnit::fp32);
    CHECK(unit("HFMA2.MMA") == ArithmeticUnit::fp32);
    CHECK(unit("IMAD.MOV.U32") == ArithmeticUnit::int32);
    CHECK(unit("IADD3.X") == ArithmeticUnit::int32);
    CHECK(unit("LOP3.LUT") == ArithmeticUnit::int32);
    CHECK(unit("SHFL.BFLY") == ArithmeticUnit::int32);
    CHECK(unit("S2R") == ArithmeticUnit::int32);
    CHECK(unit("LDC.64") == ArithmeticUnit::int32);
    CHECK(unit("ULDC.64") == ArithmeticUnit::int32);
    CHECK(unit("DFMA") == ArithmeticUnit::fp64);
    CHECK(unit("MUFU.RCP") == ArithmeticUnit::special);
    for (const char* none : {"BRA", "BSSY", "BSYNC", "NOP", "WARPSYNC", "BAR.ARV", "EXIT",
                             "DEPBAR.LE", "HMMA.16816.F32", "LDG.E", "MEMBAR.SC.GPU", "A", "Z"}) {
        CAPTURE(none);
        CHECK(!unit(none));
    }
    const auto wide = [](const char* text) {
        const SassOpcode o = sass_opcode(text);
        return std::pair(o.wide_sources, o.wide_result);
    };
    CHECK(wide("IMAD.WIDE") == std::pair(false, true));
    CHECK(wide("DADD") == std::pair(true, true));
    CHECK(wide("F2F.F64.F32") == std::pair(true, true));
    CHECK(wide("IADD3") == std::pair(false, false));
}

TEST_CASE("arithmetic of units waits for the results that its registers name", "[traces]") {
    const std::string lines = "0000 ffffffff 1 R0 LDG.E 1 R8 4 1 0x1000 4\n"
                              "0010 ffffffff 1 R2 IMAD.WIDE 2 R4 R5 0\n" // R2 and R3
                              "0020 0000000f 1 R6 MUFU.RCP 1 R7 0\n"
                              "0030 ffffffff 1 R7 FADD 2 R6 R0 0\n"  // MUFU, load
                              "0040 ffffffff 1 R9 IADD3 2 R3 R7 0\n" // IMAD, FADD
                              "0050 ffffffff 0 BRA 0 0\n"
                              "0060 ffffffff 1 R9 DADD 2 R10 R12 0\n"         // overwrites R9
                              "0070 ffffffff 0 STG.E 2 R8 R10 4 1 0x1000 4\n" // address in R9
                              "0080 ffffffff 1 R255 MOV 1 R255 0\n"
                              "0090 ffffffff 1 R20 MOV 1 R255 0\n"
                              "00a0 ffffffff 0 EXIT 0 0\n";
    const auto ops = of_lines(lines, 11, 3, TraceArithmetic::units);
    REQUIRE(ops.size() == 11);
    using enum WarpOpKind;
    const std::vector<WarpOpKind> kinds {load,       arithmetic, arithmetic,      arithmetic,
                                         arithmetic, compute,    arithmetic,      store,
                                         arithmetic, arithmetic, WarpOpKind::exit};
    const std::vector<std::uint64_t> waits {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    const std::vector<std::uint64_t> operands {0, 0, 0, 1, 1 | 4, 0, 1, 1, 0, 0, 0};
    for (std::size_t i = 0; i < ops.size(); ++i) {
        CAPTURE(i);
        CHECK(ops[i].kind == kinds[i]);
        CHECK(ops[i].waits == waits[i]);
        CHECK(ops[i].operands == operands[i]);
        CHECK(ops[i].instructions == 1);
    }
    CHECK(ops[2].unit == gpu_program::ArithmeticUnit::special);
    CHECK(ops[2].mask == 0xf);
    for (const WarpOp& op : of_lines(lines, 11)) CHECK(op.operands == 0); // stretches
}

TEST_CASE("bank conflicts cost a pass for each further word of a bank", "[traces]") {
    std::array<std::uint64_t, 32> a {};
    const auto passes = [&](unsigned width, auto&& at, std::uint32_t mask = ~0u) {
        for (unsigned lane = 0; lane < 32; ++lane) a[lane] = at(lane);
        return bank_passes(mask, width, a);
    };
    CHECK(passes(4, [](unsigned l) { return 4 * l; }) == 1);
    CHECK(passes(4, [](unsigned) { return 64u; }) == 1); // one word for all
    CHECK(passes(4, [](unsigned l) { return 8 * l; }) == 2);
    CHECK(passes(4, [](unsigned l) { return 128 * l; }) == 32);
    CHECK(passes(
              4, [](unsigned l) { return 128 * l; }, 0xf) == 4);
    CHECK(passes(1, [](unsigned l) { return l; }) == 1);
    CHECK(passes(8, [](unsigned l) { return 8 * l; }) == 2);
    CHECK(passes(16, [](unsigned l) { return 16 * l; }) == 4);
}

TEST_CASE("addresses are given as list, base and stride, or base and distances", "[traces]") {
    const auto ops =
        of_lines("0000 0000000f 1 R0 LDG.E 1 R2 4 0 0x200000 0x200100 0x200004 0x200008\n"
                 "0010 0000000b 1 R1 LDG.E.64 1 R2 8 1 0x200000 -8\n"
                 "0020 0000000b 1 R1 LDG.E.U8 1 R2 1 2 0x200010 -16 1000\n"
                 "0030 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0\n"
                 "0040 ffffffff 0 STG.E 2 R2 R4 4 1 0x240000 4\n"
                 "0050 ffffffff 0 EXIT 0 0\n",
                 6);
    REQUIRE(ops.size() == 6);
    CHECK(ops[0].address[1] == 0x100); // the page at 0x200000 is the first that was touched
    CHECK(ops[0].address[3] == 8);
    // The second base of base and stride would leave the page downwards: a page of its own.
    CHECK(ops[1].width == 8);
    CHECK(ops[1].address[0] == 0);
    CHECK(ops[1].address[1] == 0x3ffff8);
    CHECK(ops[2].address[0] == 16);
    CHECK(ops[2].address[1] == 0);
    CHECK(ops[2].address[3] == 1000);
    CHECK(ops[3].kind == WarpOpKind::compute); // no active lane: an instruction without access
    CHECK(ops[3].mask == 0);
    CHECK(ops[4].address[31] == 0x40000 + 31 * 4);
    CHECK(ops[5].kind == WarpOpKind::exit);
}

TEST_CASE("an operation waits for the loads that wrote its registers", "[traces]") {
    const auto ops = of_lines("0000 ffffffff 1 R0 LDG.E 1 R8 4 1 0x1000 4\n"
                              "0010 ffffffff 1 R2 LDG.E.64 1 R8 8 1 0x2000 8\n"
                              "0020 ffffffff 1 R6 IADD3 2 R7 R7 0\n"         // of neither
                              "0030 ffffffff 1 R6 IADD3 2 R3 R255 0\n"       // half of the second
                              "0040 ffffffff 0 STG.E 2 R8 R0 4 1 0x1000 4\n" // of the first
                              "0050 ffffffff 1 R0 MOV 1 R0 0\n"              // waited already
                              "0060 ffffffff 1 R8 LDG.E 1 R8 4 1 0x1000 4\n" // on its own address
                              "0070 ffffffff 1 R9 LDG.E 1 R8 4 1 0x1000 4\n" // on the one before
                              "0080 ffffffff 1 R9 MOV 1 R255 0\n"            // overwrites it
                              "0090 ffffffff 0 EXIT 0 0\n",
                              10);
    REQUIRE(ops.size() == 10);
    const std::vector<std::uint64_t> waits {0, 0, 0, 1, 2, 0, 0, 1, 1, 0};
    for (std::size_t i = 0; i < ops.size(); ++i) {
        CAPTURE(i);
        CHECK(ops[i].waits == waits[i]);
    }
}

TEST_CASE("shared, local and generic accesses use the right memory", "[traces]") {
    const auto ops = of_lines("0000 ffffffff 1 R0 LDS 1 R8 4 1 0x0 8\n"
                              "0010 ffffffff 0 STS 2 R8 R0 4 1 0x0 4\n"
                              "0020 ffffffff 1 R1 LD.E 1 R8 4 1 0x7fc867000010 4\n"
                              "0030 ffffffff 1 R1 LDL 1 R8 4 1 0x84 0\n"
                              "0040 ffffffff 0 ST.E.64 2 R8 R1 8 1 0x7fc865fffdc0 0\n"
                              "0050 ffffffff 1 R2 LD.E 1 R8 4 1 0x400000 4\n"
                              "0060 ffffffff 0 RED.E.ADD 2 R8 R2 4 1 0x400000 0\n"
                              "0070 ffffffff 1 R3 ATOMG.E.ADD 2 R8 R2 4 1 0x400000 0\n"
                              "0080 ffffffff 0 LDGSTS.E.128 2 R20 R8 16 1 0x400000 16\n"
                              "0090 ffffffff 0 LDGSTS.E.128 2 R20 R8 16 1 0x400000 16\n"
                              "00a0 ffffffff 0 LDGDEPBAR 0 0\n"
                              "00b0 ffffffff 0 DEPBAR.LE 0 0\n"
                              "00c0 ffffffff 0 BAR.SYNC 0 0\n"
                              "00d0 ffffffff 0 EXIT 0 0\n",
                              14);
    REQUIRE(ops.size() == 14);
    CHECK(ops[0].kind == WarpOpKind::shared);
    CHECK(ops[0].has_result);
    CHECK(ops[0].passes == 2);
    CHECK(ops[1].waits == 1);
    CHECK(!ops[1].has_result);
    CHECK(ops[2].kind == WarpOpKind::shared);
    CHECK(ops[3].kind == WarpOpKind::load);
    CHECK((ops[3].local && ops[4].local && !ops[5].local));
    CHECK(ops[3].address[31] == 0x84);
    CHECK(ops[4].kind == WarpOpKind::store);
    CHECK(ops[4].width == 8);
    // The stack ends at the window's end, and with it the 4096 bytes of a thread.
    CHECK(ops[4].address[31] == 4096 - 0x240);
    CHECK(ops[5].address[1] == 4);
    CHECK(ops[6].kind == WarpOpKind::reduce);
    CHECK(ops[7].kind == WarpOpKind::atomic);
    CHECK(ops[8].width == 16);
    CHECK((ops[8].copy && ops[9].copy && !ops[5].copy));
    CHECK(ops[10].waits == 0);
    CHECK(ops[11].waits == 3);
    CHECK(ops[12].kind == WarpOpKind::barrier);
}

TEST_CASE("local memory has a size and occupies the end of memory once accessed", "[traces]") {
    const std::string far = "0000 ffffffff 0 STL.128 2 R8 R0 16 1 0xffefff 0\n";
    CHECK(refusal(far, 1) ==
          "k.traceg: line 18: the access lies 4097 bytes into its thread's local "
          "memory, which has 4096: set local_memory of the "
          "workload.TraceProgram");
    CHECK(refusal("0000 ffffffff 0 STL.128 2 R8 R0 16 1 0xff4 0\n", 1)
              .starts_with("k.traceg: line 18: the access lies 4100 bytes into"));
    CHECK(refusal("0000 ffffffff 0 STL.64 2 R8 R0 8 1 0xfffffc 0\n", 1) ==
          "k.traceg: line 18: the access leaves the window of local memory, 16 MiB");
    const Folder folder;
    const auto run = [&](const char* line) {
        TraceSource source(folder.write("k.traceg", kernel_text(line, 1)),
                           {2 << 20, 4 << 20, 1, 4096});
        gpu_program::Launch launch;
        gpu_program::BlockStreams out;
        source.next_launch(launch);
        source.reserve_local(3 << 20);
        source.run_block(0, out);
    };
    CHECK(sentence_of([&] { run("0000 1 0 STG 2 R8 R0 4 0 0x1000\n"); }).empty());
    CHECK(sentence_of([&] { run("0000 1 0 STL 2 R8 R0 4 0 0x10\n"); }).empty());
    CHECK(sentence_of([&] { run("0000 1 0 ST 2 R8 R0 4 0 0x7fc865000010\n"); }).empty());
    TraceMemory memory;
    memory.set(2 << 20, 4 << 20);
    memory.reserve_local(3 << 20);
    CHECK(memory.global(0x1000) == 0x1000);
    CHECK(sentence_of([&] { memory.touch_local(); }) ==
          "the trace accesses 1 pages of 2097152 bytes and needs 3145728 bytes for local memory, "
          "more than 4194304 bytes hold: set memory, page or local_memory of the "
          "workload.TraceProgram");
}

TEST_CASE("the format line, not the version, states immediates and source lines", "[traces]") {
    const Folder folder;
    const auto traced = [&](unsigned version, const std::string& format, bool lineinfo,
                            const std::string& lines, unsigned n) {
        std::string text = kernel_text(lines, n, version, lineinfo ? "-enable lineinfo = 1\n" : "");
        const std::string old = "#traces format = ...";
        text.replace(text.find(old), old.size(), format);
        // A comment before the line does not matter.
        text.insert(text.find(format.empty() ? "\n#BEGIN" : format), "#a comment\n\n");
        return operations(folder.write("k.traceg", text)).size();
    };
    const std::string plain = "#traces format = [line_num] PC mask dest_num [reg_dests] opcode "
                              "src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]";
    const std::string load = "0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x200000 4",
                      end = "0020 ffffffff 0 EXIT 0 0";
    for (const unsigned version : {3u, 4u, 5u}) {
        CHECK(traced(version, plain, false, load + "\n" + end + "\n", 2) == 2);
        CHECK(traced(version, plain + " immediate", false, load + " 0\n" + end + " 0\n", 2) == 2);
        CHECK(traced(version, "", false, load + " 0\n" + end + "\n", 2) == 2); // not stated
        CHECK(traced(version, plain, true, "7 " + load + "\n8 " + end + "\n", 2) == 2);
        CHECK(sentence_of([&] {
                  traced(version, plain, false, load + " 0\n" + end + "\n", 2);
              }).find("'0' follows the end") != std::string::npos);
        CHECK(sentence_of([&] {
                  traced(version, plain + " immediate", false, load + "\n" + end + " 0\n", 2);
              }).ends_with("the immediate is missing"));
    }
}

TEST_CASE("kernels of several streams run concurrently, one stream alone, or in list order",
          "[traces]") {
    const Folder folder;
    const auto kernel = [](int stream, const char* at) {
        return kernel_text(std::string("0000 00000001 1 R0 LDG.E 1 R8 4 1 ") + at +
                               " 0\n0010 ffffffff 0 EXIT 0 0\n",
                           2, 3, "-cuda stream id = " + std::to_string(stream) + "\n");
    };
    folder.write("a.traceg", kernel(7, "0x7f0000200040"));
    folder.write("b.traceg", kernel(8, "0x7f0000800040"));
    folder.write("c.traceg", kernel(7, "0x7f0000800080")); // in the page of b
    const auto list = folder.write("kernelslist.g", "a.traceg\nb.traceg\nc.traceg\n");
    const auto with = [&](const std::string& stream) {
        TraceSourceOptions options;
        options.stream = stream;
        options.memory = 16 << 20;
        return TraceSource(list, options);
    };
    const auto launches = [&](const std::string& stream) {
        TraceSource source = with(stream);
        return play(source, [](const auto&, const auto&) {}).launches;
    };
    CHECK(launches("7") == 2);
    CHECK(launches("8") == 1);
    CHECK(launches("in_order") == 3);
    CHECK(sentence_of([&] {
              launches("9");
          }).starts_with("kernelslist.g: has no kernel of stream '9': its streams are 7, 8"));

    // The list determines the places of pages for any order of requests to the streams.
    const auto addresses = [&](std::vector<std::uint32_t> order) {
        TraceSource source = with("");
        CHECK(source.streams() == 2);
        CHECK(source.inputs().size() == 4);
        std::map<std::uint32_t, std::vector<std::uint64_t>> of_stream;
        gpu_program::Launch launch;
        gpu_program::BlockStreams out;
        for (const std::uint32_t s : order) {
            REQUIRE(source.stream(s).next_launch(launch));
            source.stream(s).run_block(0, out);
            std::uint64_t position = 0;
            WarpOp op;
            for (gpu_program::WarpStreamReader reader(out.warps[0], position); reader.next(op);)
                if (op.kind == WarpOpKind::load) of_stream[s].push_back(op.address[0]);
        }
        CHECK(!source.stream(0).next_launch(launch));
        CHECK(!source.stream(1).next_launch(launch));
        return of_stream;
    };
    const auto first = addresses({0, 1, 0});
    CHECK(first == addresses({1, 0, 0}));
    CHECK(first.at(0) == std::vector<std::uint64_t> {0x40, (2 << 20) + 0x80});
    CHECK(first.at(1) == std::vector<std::uint64_t> {(2 << 20) + 0x40});

    // A checkpoint holds how far each stream has come.
    TraceSource cut = with(""), rest = with("");
    gpu_program::Launch launch;
    gpu_program::BlockStreams out;
    REQUIRE(cut.stream(1).next_launch(launch));
    Saver saver;
    cut.save(saver);
    Loader loader(saver.bytes);
    rest.load(loader);
    CHECK(loader.done());
    rest.stream(1).run_block(0, out);
    CHECK(!rest.stream(1).next_launch(launch));
    REQUIRE(rest.stream(0).next_launch(launch));
    rest.stream(0).run_block(0, out);
    CHECK(rest.result_digest() != cut.result_digest());
}

TEST_CASE("versions 4 to 6 add their columns", "[traces]") {
    const std::string load = "0000 ffffffff 1 R0 LDG.E 1 R8 4 1 0x1000 4 ";
    CHECK(of_lines(load + "0\n0010 ffffffff 0 EXIT 0 0 0\n", 2, 4).size() == 2);
    CHECK(of_lines(load + "-5 \n0010 ffffffff 0 EXIT 0 0 0\n", 2, 5).size() == 2);
    CHECK(of_lines(load + "1 2 NoVal\n0010 ffffffff 0 EXIT 0 0 0 0 NoVal\n", 2, 6).size() == 2);
    const Folder folder;
    const auto lined = folder.write(
        "k.traceg", kernel_text("17 0000 ffffffff 0 EXIT 0 0 0\n", 1, 5, "-enable lineinfo = 1\n"));
    CHECK(operations(lined).size() == 1);
    CHECK(refusal(load + "1 2 Val 1 7 0\n", 1, 6) ==
          "k.traceg: line 18, column 48: the last word is 'Val', where 'NoVal' (register values of "
          "version 6 are not supported: trace without them) is right");
}

TEST_CASE("errors in an Accel-Sim trace name line and column", "[traces]") {
    CHECK(refusal("0000 ffffffff 0 EXIT 0 0\n", 2) ==
          "k.traceg: line 20, column 1: the PC is '#END_TB', where a hexadecimal number of at most "
          "64 bits is right");
    CHECK(refusal("0000 ffffffff 1 R0 LDG.E 1 R8 4 3 0x1000 4\n", 1) ==
          "k.traceg: line 18, column 33: the address mode is '3', where 0 (list), 1 (base and "
          "stride) or 2 (base and distances) is right");
    CHECK(refusal("0000 ffffffff 1 R0 LDG.E 1 R8 4 1 0x1000 -200\n", 1) ==
          "k.traceg: line 18, column 42: the stride leaves the address space of 2^57 bytes");
    CHECK(refusal("0000 ffffffff 1 R0 LDG.E 1 R8 4 1 0x1000 4611686018427387904\n", 1) ==
          "k.traceg: line 18, column 42: the stride leaves the address space of 2^57 bytes");
    CHECK(refusal("0000 3 1 R0 LDG.E 1 R8 4 0 0x1000 \n", 1) ==
          "k.traceg: line 18, column 35: an address is missing");
    CHECK(refusal("0000 ffffffff 1 R0 TEX 1 R8 4 1 0x1000 4\n", 1) ==
          "k.traceg: line 18, column 29: 'TEX' has addresses, but its effect on memory is unknown");
    CHECK(refusal("0000 ffffffff 1 R0 LDG 1 R8 0\n", 1) ==
          "k.traceg: line 18, column 29: 'LDG' accesses memory, but the line has no address");
    CHECK(refusal("0000 ffffffff 1 UR0 MOV 1 R8 0\n", 1) ==
          "k.traceg: line 18, column 17: a register is 'UR0', where R0 to R255 is right");
    CHECK(refusal("0000 ffffffff 0 UTMALDG.2D 0 0\n", 1) ==
          "k.traceg: line 18, column 17: 'UTMALDG.2D' copies tensors, for which a trace has no "
          "addresses: such kernels cannot be played");
    CHECK(refusal("0000 ffffffff 0 EXIT 0 0 7 8\n", 1) ==
          "k.traceg: line 18, column 28: '8' follows the end of 'PC mask registers opcode "
          "registers width addresses'");
    CHECK(refusal("0000 00000003 1 R0 LD 1 R8 4 0 0x1000 0x7fc867000000\n", 1) ==
          "k.traceg: line 18: a generic access spans several of global, shared and local memory, "
          "which is not supported");
    for (const auto& [version, sentence] : std::map<unsigned, std::string> {
             {2,
              "k.traceg: line 8, column 28: version 2 of Accel-Sim's tracer; versions 3 to 6 are "
              "read"},
             {7,
              "k.traceg: line 8, column 28: version 7 of Accel-Sim's tracer; versions 3 to 6 are "
              "read"}})
        CHECK(refusal("", 0, version) == sentence);
}

TEST_CASE("blocks must be in order and complete", "[traces]") {
    const Folder folder;
    const std::string good = kernel_text("0000 ffffffff 0 EXIT 0 0\n", 1);
    const auto refusal_of = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return sentence_of([&] { operations(folder.write("k.traceg", text)); });
    };
    CHECK(refusal_of("0,0,0", "1,0,0") ==
          "k.traceg: line 14, column 16: the block is '1,0,0', where 0,0,0 (blocks must be "
          "complete and in linear order: a trace that is still interleaved must be processed by "
          "the tracer's post-processing first) is right");
    CHECK(refusal_of("#END_TB", "#BEGIN_TB") ==
          "k.traceg: line 20, column 1: 'warp = n' or '#END_TB' was expected here");
    CHECK(refusal_of("#END_TB", "") ==
          "k.traceg: line 21: the trace is truncated: '#END_TB' is missing after this line");
    CHECK(refusal_of("(1,1,1)", "(2,1,1)") ==
          "k.traceg: line 21: the trace is truncated: block 1,0,0 of a grid of 2,1,1 is missing "
          "after this line");
    CHECK(refusal_of("warp = 0", "warp = 1") ==
          "k.traceg: line 16, column 8: the warp is '1', where a number from 0 to 0 is right");
    CHECK(
        refusal_of("-grid dim = (1,1,1)", "-grid dim = (1,0,1)") ==
        "k.traceg: line 2, column 13: the size is '(1,0,1)', where (x,y,z) of three whole numbers "
        "from 1, their product below 2^32, is right");
    CHECK(
        refusal_of("-accelsim tracer version = 3\n", "") ==
        "k.traceg: the header has no 'accelsim tracer version', so it is older than 3; versions 3 "
        "to 6 are read");
    CHECK(refusal_of("#END_TB\n", "#END_TB\n#BEGIN_TB\n") ==
          "k.traceg: line 21, column 1: the grid of 1,1,1 has ended, but the trace continues");
}

TEST_CASE("a list names kernels and copies", "[traces]") {
    const Folder folder;
    folder.write("kernel-1.traceg", kernel_text("0000 ffffffff 1 R0 LDG.E 1 R8 4 1 0x7f0000200040 "
                                                "4\n0010 ffffffff 0 EXIT 0 0\n",
                                                2));
    const auto list = folder.write("kernelslist.g", "MemcpyHtoD,0x00007f0000200000,4096\n"
                                                    "MemcpyHtoD,0x00007f0000800000,3000000\n"
                                                    "kernel-1.traceg\nMemcpyDtoH,0x0,4\n");
    TraceSource source(list, {});
    REQUIRE(source.allocations().size() == 2);
    CHECK(source.allocations()[1].base == 2 << 20);
    CHECK(source.state.memory.pages() == 3);
    gpu_program::Launch launch;
    REQUIRE(source.next_launch(launch));
    CHECK(launch.kernel == "k");
    CHECK(launch.registers_per_thread == 8);
    const auto refusal_of = [&](const std::string& text) {
        return sentence_of([&] { read_trace_list(folder.write("l.g", text)); });
    };
    CHECK(refusal_of("kernel-1.traceg\nkernel-2.tracez\n") ==
          "l.g: line 2, column 1: 'kernel-2.tracez' is a binary trace (.tracez), which is not "
          "supported: "
          "trace as text");
    CHECK(refusal_of("MemcpyHtoD,0x10\n") ==
          "l.g: line 1, column 16: the bytes of the copy is missing");
    CHECK(refusal_of("MemcpyHtoD,0x10,4\n") ==
          "l.g: names no kernel; a kernelslist.g of Accel-Sim was expected");
    CHECK(refusal_of("hello\n").starts_with("l.g: line 1, column 1: a command is 'hello'"));
    CHECK(refusal_of("kernel-9.traceg\n")
              .ends_with("kernel-9.traceg' does not exist (nor does its .xz or .gz file)"));
    const auto too_much = [&] { TraceSource(list, {2 << 20, 4 << 20, 1}); };
    CHECK(
        sentence_of(too_much) ==
        "the trace accesses 3 pages of 2097152 bytes and needs 0 bytes for local memory, more than "
        "4194304 bytes hold: set memory, page or local_memory of the workload.TraceProgram");
}

TEST_CASE("a trace continues from its State at any block", "[traces]") {
    const Folder folder;
    std::string blocks;
    for (int b = 0; b < 5; ++b)
        blocks += "#BEGIN_TB\nthread block = " + std::to_string(b) +
                  ",0,0\nwarp = 0\ninsts = 2\n0000 ffffffff 1 R0 LDG.E 1 R8 4 1 0x" +
                  std::to_string(b) + "00000 4\n0010 ffffffff 0 EXIT 0 0\n#END_TB\n";
    std::string text = kernel_text("", 0);
    text.replace(text.find("(1,1,1)"), 7, "(5,1,1)");
    text.resize(text.find("#BEGIN_TB"));
    folder.write("kernel-1.traceg", text + blocks);
    const auto list = folder.write("kernelslist.g", "kernel-1.traceg\nkernel-1.traceg\n");
    const auto rest_of = [](TraceSource& source, std::uint32_t from) {
        std::vector<std::vector<std::uint8_t>> all;
        gpu_program::BlockStreams out;
        gpu_program::Launch launch;
        bool in_kernel = source.state.in_kernel;
        do {
            for (std::uint32_t b = in_kernel ? from : 5; b < 5; ++b) {
                source.run_block(b, out);
                all.push_back(out.warps[0]);
            }
            from = 0;
        } while ((in_kernel = source.next_launch(launch)));
        return all;
    };
    TraceSource whole(list, {2 << 20, 16 << 20, 2});
    const auto all = rest_of(whole, 0);
    CHECK(all.size() == 20);
    for (std::uint32_t stop = 0; stop < 20; ++stop) {
        TraceSource first(list, {2 << 20, 16 << 20, 2}), second(list, {2 << 20, 16 << 20, 2});
        gpu_program::Launch launch;
        gpu_program::BlockStreams out;
        for (std::uint32_t n = 0; n < stop; ++n) {
            if (n % 5 == 0) first.next_launch(launch);
            first.run_block(n % 5, out);
        }
        Saver saver;
        first.save(saver);
        Loader loader(saver.bytes);
        second.load(loader);
        const auto rest = rest_of(second, stop % 5);
        CHECK(rest == decltype(all)(all.begin() + stop, all.end()));
        CHECK(second.result_digest() == whole.result_digest());
    }
}

TEST_CASE("real traces: every instruction, and the footprint", "[traces]") {
    const std::string bfs = shared_data("accelsim/bfs-rodinia-2.0-ft/kernelslist.g");
    if (bfs.empty()) return;
    TraceSource source(bfs, {});
    std::set<std::uint64_t> sectors;
    Totals t = play(source, [&](const auto&, const WarpOp& op) {
        if (op.kind == WarpOpKind::load)
            for (unsigned lane = 0; lane < 32; ++lane)
                if (op.mask >> lane & 1) sectors.insert(op.address[lane] / 32);
    });
    CHECK(t.launches == 16);
    CHECK(t.warp_instructions == 159'509);
    CHECK(t.thread_instructions == 1'280'630);
    CHECK(t.memory == 30'949); // 38,584 with those whose lanes are all switched off
    TraceSource add(shared_data("accelsim/vectoradd-50000/kernelslist.g"), {});
    t = play(add, [](const auto&, const WarpOp&) {});
    CHECK(t.warp_instructions == 26'601);
    CHECK(t.thread_instructions == 801'056);
}

TEST_CASE("damaged traces give an error message or a result", "[traces]") {
    const Folder folder;
    const std::string good =
        kernel_text("0000 0000000f 1 R0 LDG.E 1 R2 4 0 0x200000 0x200100 0x200004 0x200008\n"
                    "0010 0000000b 1 R1 LDG.E.64 1 R2 8 1 0x200000 8\n"
                    "0020 0000000b 1 R1 LDS.U8 1 R2 1 2 0x10 -16 1000\n"
                    "0030 ffffffff 0 EXIT 0 0\n",
                    4);
    unsigned refused = 0;
    const auto run = [&](const std::string& text) {
        const auto path = folder.write("k.traceg", text);
        refused += !sentence_of([&] {
                        TraceSource source(path, {});
                        gpu_program::Launch launch;
                        gpu_program::BlockStreams out;
                        while (source.next_launch(launch))
                            for (std::uint32_t b = 0; b < launch.blocks(); ++b)
                                source.run_block(b, out);
                    }).empty();
    };
    for (std::size_t n = 0; n < good.size(); ++n) run(good.substr(0, n));
    CHECK(refused > good.size() - 20);
    for (std::size_t n = 0; n < good.size(); ++n)
        for (const int flip : {1, 2, 4, 16, 64, 128}) {
            std::string bad = good;
            bad[n] = static_cast<char>(bad[n] ^ flip);
            run(bad);
        }
}

} // namespace memsim::accelsim_test
