#include "workload/catalogue.hh"
#include "workload/graph/input/csr.hh"

#include "run.hh"
#include "support.hh"

#include <map>
#include <set>

namespace memsim::catalogue_test {

using namespace workload;
using gpu_program::WarpOp;

namespace {

/// "" if the application computes what its reference does.
std::string wrong_with(const std::string& name, const Options& options) {
    const auto application = make_workload(name, options);
    run_to_end(*application);
    return application->difference();
}

Options of_size(u64 size, u64 seed = 1) {
    Options o;
    o.size = size;
    o.seed = seed;
    return o;
}

Options of_file(const std::string& path) {
    Options o;
    o.input = path;
    return o;
}

bool is_graph(const Workload& w) { return w.reads == "a graph"; }

// 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 3, 3 -> 0, 4 -> 0: 4 is not reached.
const char* const hand = "0 1\n0 2\n1 3\n2 3\n3 0\n4 0\n";

struct Operation {
    WarpOpKind kind;
    u32 mask;
    u32 instructions;
    u64 first_address; ///< of the lowest active lane
    u64 waits;
    bool operator==(const Operation&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Operation& o) {
    return to << "{" << int(o.kind) << ", " << o.mask << ", " << o.instructions << ", "
              << o.first_address << ", " << o.waits << "}";
}

std::vector<Operation> operations(const std::vector<u8>& bytes) {
    std::vector<Operation> all;
    for (const WarpOp& op : read_all(bytes))
        all.push_back(
            {op.kind, op.mask, op.instructions,
             gpu_program::touches_memory(op.kind) ? op.address[std::countr_zero(op.mask)] : 0,
             op.waits});
    return all;
}

} // namespace

TEST_CASE("every workload gives the result of its reference", "[workloads]") {
    for (const Workload* w : all_workloads()) {
        CAPTURE(w->names[0]);
        for (u64 seed : {1, 2}) CHECK(wrong_with(w->names[0], of_size(w->check_size, seed)) == "");
        CHECK(wrong_with(w->names[0], of_size(w->least)) == "");
    }
}

TEST_CASE("graph workloads are right on other graphs, too", "[workloads]") {
    const TemporaryFile file("hand.txt", hand);
    for (const Workload* w : all_workloads()) {
        if (!is_graph(*w)) continue;
        CAPTURE(w->names[0]);
        CHECK(wrong_with(w->names[0], of_file(file.path)) == "");
        for (const char* generator : {"grid", "social", "communities", "mesh", "uniform"}) {
            Options other = of_size(8);
            other.generator = generator;
            CHECK(wrong_with(w->names[0], other) == "");
        }
        Options small_blocks = of_size(7);
        small_blocks.threads_per_block = 64;
        CHECK(wrong_with(w->names[0], small_blocks) == "");
    }
}

TEST_CASE("graph workloads are right on a real graph", "[workloads]") {
    const std::string path = shared_data("graphs/wiki-Vote.txt");
    if (path.empty()) return;
    for (const char* name : {"bfs1", "bfs5", "pr"}) CHECK(wrong_with(name, of_file(path)) == "");
}

TEST_CASE("names and sentences of the catalogue", "[workloads]") {
    std::set<std::string> names;
    for (const Workload* w : all_workloads()) {
        CAPTURE(w->names[0]);
        for (const std::string& name : w->names) CHECK(names.insert(name).second);
        CHECK(w->doc.size() > 20);
        CHECK(!w->tables.empty());
        CHECK(!w->size_is.empty());
        CHECK(w->least <= w->check_size);
        CHECK(w->check_size <= w->size);
        CHECK(w->size <= w->most);
    }
}

TEST_CASE("the reference finds a wrong result", "[workloads]") {
    const auto application = make_workload("bfs1", of_size(4));
    CHECK(application->difference() != ""); // nothing has run yet
}

TEST_CASE("the stream of a search, instruction by instruction", "[workloads]") {
    // 0 -> 1; row at 0, col at 256, level at 512, changed at 768
    const TemporaryFile file("two.txt", "0 1\n");
    Options options = of_file(file.path);
    options.threads_per_block = 32;
    const auto bfs = make_workload("bfs1", options);
    CHECK(bfs->footprint_bytes() == 1024);
    REQUIRE(bfs->allocations().size() == 4);
    CHECK(bfs->allocations()[2].name == "level");
    CHECK(bfs->allocations()[2].base == 512);
    CHECK(bfs->allocations()[2].bytes == 8);

    gpu_program::Launch launch;
    BlockStreams out;
    constexpr auto compute = WarpOpKind::compute, load = WarpOpKind::load,
                   store = WarpOpKind::store, exit = WarpOpKind::exit;
    REQUIRE(bfs->next_launch(launch));
    CHECK(launch.kernel == "bfs_initialize");
    CHECK(launch.blocks() == 1);
    bfs->run_block(0, out);
    REQUIRE(out.warps.size() == 1);
    CHECK(operations(out.warps[0]) == std::vector<Operation> {{compute, ~0u, 6, 0, 0},
                                                              {compute, 3, 5, 0, 0},
                                                              {store, 3, 1, 512, 0},
                                                              {exit, ~0u, 1, 0, 0}});
    CHECK(out.counts.thread_instructions == 32 * 6 + 2 * 5 + 2 + 32);

    REQUIRE(bfs->next_launch(launch));
    CHECK(launch.kernel == "bfs_topology");
    CHECK(launch.registers_per_thread == 14);
    bfs->run_block(0, out);
    CHECK(operations(out.warps[0]) ==
          std::vector<Operation> {
              {compute, ~0u, 6, 0, 0},
              {compute, 3, 3, 0, 0},
              {load, 3, 1, 512, 0}, // own level
              {compute, 3, 2, 0, 0},
              {compute, 1, 4, 0, 1}, // where the level was the depth
              {load, 1, 1, 0, 0},    // row
              {load, 1, 1, 4, 0},
              {compute, 1, 2, 0, 0},
              {compute, 1, 4, 0, 3}, // both ends exist
              {load, 1, 1, 256, 0},  // neighbour
              {compute, 1, 2, 0, 0},
              {load, 1, 1, 516, 1}, // its level: at the place named by the neighbour
              {compute, 1, 8, 0, 0},
              {store, 1, 1, 516, 1},
              {store, 1, 1, 768, 0},
              {compute, 1, 3, 0, 0},
              {exit, ~0u, 1, 0, 0}});
    CHECK(out.counts.lane_accesses == 8);
}

TEST_CASE("streams and values are the same on every machine and compiler", "[workloads]") {
    // The test prints the line of a workload that is missing here.
    const std::map<std::string, u64> known {
#include "digests.inc"
    };
    for (const Workload* w : all_workloads()) {
        const auto application = make_workload(w->names[0], of_size(w->check_size));
        const u64 hash = run_digest(*application);
        char line[80];
        std::snprintf(line, sizeof line, "{\"%s\", 0x%016llx},", w->names[0].c_str(),
                      static_cast<unsigned long long>(hash));
        INFO(line);
        CHECK(known.count(w->names[0]) == 1);
        if (known.count(w->names[0])) CHECK(hash == known.at(w->names[0]));
    }
}

TEST_CASE("stores carry values if contents are enabled", "[workloads]") {
    const TemporaryFile file("hand.txt", hand);
    Options options = of_file(file.path);
    options.source = 1;
    const auto bfs = make_workload("bfs1", options);
    gpu_program::Launch launch;
    BlockStreams out;
    out.with_values = true;
    REQUIRE(bfs->next_launch(launch));
    bfs->run_block(0, out);
    for (const WarpOp& op : read_all(out.warps[0])) {
        if (op.kind != WarpOpKind::store) continue;
        REQUIRE(op.has_values);
        CHECK(op.mask == 0x1f);
        CHECK(op.value[0] == 0xffffffff);
        CHECK(op.value[1] == 0);
        CHECK(op.value[6] == 0); // not active
    }
}

TEST_CASE("the counter of the queue is increased once per warp", "[workloads]") {
    std::string star;
    for (u32 v = 1; v <= 40; ++v)
        star += "0 " + std::to_string(v) + "\n" + std::to_string(v) + " " + std::to_string(40 + v) +
                "\n";
    const TemporaryFile file("star.txt", star);
    Options options = of_file(file.path);
    options.source = 0;
    options.threads_per_block = 32;
    const auto bfs = make_workload("bfs4", options);
    BlockStreams out;
    gpu_program::Launch launch;
    for (int n = 0; n < 2; ++n) {
        REQUIRE(bfs->next_launch(launch));
        for (u32 b = 0; b < launch.blocks(); ++b) bfs->run_block(b, out);
    }
    REQUIRE(bfs->next_launch(launch)); // the 40 leaves, in two blocks
    REQUIRE(launch.blocks() == 2);
    bfs->run_block(0, out);
    std::vector<u32> masks;
    for (const Operation& o : operations(out.warps[0]))
        if (o.kind == WarpOpKind::atomic) masks.push_back(o.mask);
    CHECK(masks == std::vector<u32> {~0u, 1}); // 32 claims, one addition of 32
}

TEST_CASE("a state saved between two blocks continues in another instance with equal streams",
          "[workloads]") {
    for (const Workload* w : all_workloads()) {
        CAPTURE(w->names[0]);
        const Options options = of_size(w->check_size, 5);
        const auto whole = make_workload(w->names[0], options);
        const auto expected = run_to_end(*whole);
        for (std::size_t stop : {expected.size() / 3, expected.size() - 1}) {
            const auto first = make_workload(w->names[0], options);
            gpu_program::Launch launch;
            BlockStreams out;
            u32 block = 0;
            REQUIRE(first->next_launch(launch));
            for (std::size_t n = 0; n < stop; ++n) {
                if (block == launch.blocks()) {
                    REQUIRE(first->next_launch(launch));
                    block = 0;
                }
                first->run_block(block++, out);
            }
            Saver saved;
            first->save(saved);
            const auto second = make_workload(w->names[0], options);
            Loader from(saved.bytes);
            second->load(from);
            CHECK(from.done());
            std::vector<u64> rest;
            while (block < launch.blocks()) {
                second->run_block(block++, out);
                rest.push_back(digest_of(out));
            }
            const auto later = run_to_end(*second);
            rest.insert(rest.end(), later.begin(), later.end());
            CHECK((rest == std::vector<u64>(expected.begin() + static_cast<std::ptrdiff_t>(stop),
                                            expected.end())));
            CHECK(second->result_digest() == whole->result_digest());
            CHECK(second->difference() == "");
        }
    }
}

TEST_CASE("an application with another input rejects a state", "[workloads]") {
    const auto one = make_workload("bfs1", of_size(5, 1)),
               other = make_workload("bfs1", of_size(5, 2));
    Saver saved;
    one->save(saved);
    Loader from(saved.bytes);
    CHECK(error_of([&] { other->load(from); }) ==
          "the checkpoint was taken with another input: restore the original input file, or start "
          "again without --restore");
}

TEST_CASE("bad options of a workload", "[workloads]") {
    CHECK(error_of([] {
              make_workload("bfs7", {});
          }).starts_with("there is no workload 'bfs7' (did you mean '"));
    CHECK(error_of([] { make_workload("bfs1", of_size(29)); }) ==
          "29 is out of range for bfs1, whose size is the binary logarithm of the number of "
          "vertices: from 1 "
          "to 28");
    Options options = of_size(4);
    options.source = 16;
    CHECK(error_of([&] { make_workload("bfs1", options); }) ==
          "there is no vertex 16: the graph's vertices are 0 to 15");
    options = of_size(4);
    options.threads_per_block = 2048;
    CHECK(error_of([&] { make_workload("bfs4", options); }) ==
          "2048 threads, but a block has 1 to 1024");
    options = of_size(4);
    options.generator = "gird";
    CHECK(error_of([&] { make_workload("pr", options); }) ==
          "'gird' is no kind of graph: use kronecker, social, communities, grid, mesh or uniform");
    options = of_size(4);
    options.operation_limit = 3;
    const auto strict = make_workload("bfs1", options);
    CHECK(error_of([&] {
              run_to_end(*strict);
          }).starts_with("block 0 of kernel bfs_topology exceeded the limit of 3 operations"));
}

TEST_CASE("blocks beyond those of a launch fail an assertion", "[workloads]") {
    const auto bfs = make_workload("bfs1", of_size(10));
    gpu_program::Launch launch;
    BlockStreams out;
    REQUIRE(bfs->next_launch(launch));
    REQUIRE(launch.blocks() == 4);
    for (u32 block : {0u, 2u, 1u}) bfs->run_block(block, out);
    CHECK_THROWS_AS(bfs->next_launch(launch), Panic); // one has not run
    CHECK_THROWS_AS(bfs->run_block(4, out), Panic);
    bfs->run_block(3, out);
    CHECK_THROWS_AS(bfs->run_block(3, out), Panic);
}

} // namespace memsim::catalogue_test
