#include "workload/graph/input/grid.hh"
#include "workload/graph/input/uniform.hh"
#include "workload/matrix/connections.hh"

#include "run.hh"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

/// Programs and inputs of the benchmark suites, in the form that the suites have.
namespace memsim::suites_test {

using namespace memsim::workload;

namespace {

Options of_size(u64 size, const char* generator = "") {
    Options o;
    o.size = size;
    o.generator = generator;
    return o;
}
std::vector<std::string> kernels_of(Application& application) {
    std::vector<std::string> kernels;
    BlockStreams out;
    for (gpu_program::Launch launch; application.next_launch(launch);) {
        kernels.push_back(launch.kernel);
        for (u32 block = 0; block < launch.blocks(); ++block) application.run_block(block, out);
    }
    return kernels;
}
/// Bytes that stores write to an array in one launch.
u64 bytes_stored(Application& application, const std::string& array,
                 const gpu_program::Launch& launch) {
    Allocation there;
    for (const Allocation& a : application.allocations())
        if (a.name == array) there = a;
    u64 bytes = 0;
    BlockStreams out;
    for (u32 block = 0; block < launch.blocks(); ++block) {
        application.run_block(block, out);
        for (const auto& warp : out.warps)
            for (const auto& op : read_all(warp))
                for (u32 lane = 0; lane < 32 && op.kind == gpu_program::WarpOpKind::store; ++lane)
                    if ((op.mask >> lane & 1) != 0 && op.address[lane] - there.base < there.bytes)
                        bytes += 4;
    }
    return bytes;
}

} // namespace

TEST_CASE("a mesh is the five-point stencil without its diagonal", "[workloads][suites]") {
    const Csr mesh = mesh_graph(5); // 4 in a row, 8 rows
    CHECK(mesh.vertices == 32);
    CHECK(mesh.col.size() == 2 * (3 * 8 + 4 * 7));
    CHECK(std::vector<u32>(mesh.col.begin() + mesh.row[5], mesh.col.begin() + mesh.row[6]) ==
          std::vector<u32> {1, 4, 6, 9});
    CHECK(mesh == symmetric(mesh)); // simple, and each arc leads back
}

TEST_CASE("a uniform graph has Rodinia's degrees", "[workloads][suites]") {
    const Csr graph = uniform_graph({16, 1});
    CHECK(graph.col.size() / 65536.0 == Approx(6).margin(0.02)); // graph65536: 5.9997
    u32 least = 99, most = 0, of_six = 0;
    for (u32 v = 0; v < graph.vertices; ++v) {
        const u32 arcs = graph.row[v + 1] - graph.row[v];
        least = std::min(least, arcs);
        most = std::max(most, arcs);
        of_six += arcs == 6;
    }
    CHECK(least == 1);                           // 1
    CHECK(most == Approx(17).margin(4));         // 19
    CHECK(of_six == Approx(10577).epsilon(0.1)); // 10,577
    CHECK(graph != uniform_graph({16, 2}));
}

TEST_CASE("Pannotia's shortest paths write whole vectors each round", "[workloads][suites]") {
    const auto paths = make_workload("sssp_vector", of_size(6, "mesh"));
    gpu_program::Launch launch;
    for (const char* kernel : {"vector_init", "vector_assign", "spmv_min_dot_plus_kernel",
                               "vector_diff", "vector_assign"}) {
        REQUIRE(paths->next_launch(launch));
        CHECK(launch.kernel == kernel);
        const std::string written = launch.kernel == "vector_assign" ? "vector1" : "vector2";
        CHECK(bytes_stored(*paths, written, launch) == (launch.kernel == "vector_diff" ? 0 : 256));
    }
}

TEST_CASE("shortest paths end when nothing changes or after the requested rounds",
          "[workloads][suites]") {
    Options options = of_size(6, "mesh");
    const auto whole = make_workload("sssp_vector", options);
    const std::size_t launched = kernels_of(*whole).size();
    CHECK(launched > 1 + 3 * 12); // at least as many rounds as the mesh is wide and high
    CHECK(whole->difference() == "");
    options.iterations = 4;
    const auto cut = make_workload("sssp_vector", options);
    CHECK(kernels_of(*cut).size() == 1 + 3 * 4);
    CHECK(cut->difference() == "");
}

TEST_CASE("a kernel initialises the vectors of the independent set", "[workloads][suites]") {
    const auto set = make_workload("mis", of_size(6, "mesh"));
    gpu_program::Launch launch;
    REQUIRE(set->next_launch(launch));
    CHECK(launch.kernel == "init");
    CHECK(bytes_stored(*set, "status", launch) == 256);
    for (const char* kernel : {"mis1", "mis2", "mis3"}) {
        REQUIRE(set->next_launch(launch));
        CHECK(launch.kernel == kernel);
        bytes_stored(*set, "status", launch);
    }
}

TEST_CASE("Rodinia's training leaves saturated weights as they were", "[workloads][suites]") {
    const auto training = make_workload("bp_train", of_size(128));
    CHECK(kernels_of(*training) == std::vector<std::string> {"layerforward", "adjust_weights"});
    CHECK(training->difference() == "");
    const auto again = make_workload("bp_train", of_size(128));
    const std::vector<u32> old = stored(*again, "old_weights");
    CHECK(std::count(old.begin(), old.end(), 0u) == static_cast<std::ptrdiff_t>(old.size()));
    const auto few = make_workload("bp_train", of_size(1)); // sums that saturate nothing
    const std::vector<u32> moved = stored(*few, "old_weights");
    CHECK(std::count(moved.begin(), moved.end(), 0u) < static_cast<std::ptrdiff_t>(moved.size()));
    CHECK(few->difference() == "");
}

TEST_CASE("centres are not moved after the last round", "[workloads][suites]") {
    Options options = of_size(3000);
    options.iterations = 2; // too few for points to stop moving
    const auto means = make_workload("kmeans", options);
    means->note_host_writes();
    u32 written_back = 0, launches = 0;
    BlockStreams out;
    gpu_program::Launch launch;
    for (bool more = true; more;) {
        more = means->next_launch(launch);
        const bool wrote = !means->take_host_writes().empty();
        written_back += wrote;
        CHECK((more || !wrote));
        if (!more) break;
        ++launches;
        for (u32 block = 0; block < launch.blocks(); ++block) means->run_block(block, out);
    }
    CHECK(launches == 3);
    CHECK(written_back == 1);
    CHECK(means->difference() == "");
}

TEST_CASE("connections have the statistics of KDD Cup's", "[workloads][suites]") {
    constexpr u32 points = 1 << 16;
    const std::vector<float> all = connections(1, points);
    REQUIRE(all.size() == std::size_t {points} * connection_features);
    const auto feature = [&](u32 p, u32 f) {
        return all[std::size_t {p} * connection_features + f];
    };
    u32 smurf = 0, neptune = 0;
    std::map<u32, u32> equal; // of each feature, blocks of 32 records that hold one value
    for (u32 p = 0; p < points; ++p) {
        smurf += feature(p, 15) == 511;
        neptune += feature(p, 17) == 1 && feature(p, 24) == 255;
    }
    for (u32 f = 0; f < connection_features; ++f)
        for (u32 p = 0; p < points; p += 32) {
            bool one = true;
            for (u32 i = 1; i < 32; ++i) one = one && feature(p + i, f) == feature(p, f);
            equal[f] += one;
        }
    CHECK(smurf / double {points} == Approx(0.57).margin(0.03));   // 0.568
    CHECK(neptune / double {points} == Approx(0.22).margin(0.03)); // 0.217
    for (u32 f = 3; f < 15; ++f) CHECK(equal[f] == points / 32);
    CHECK(equal[1] < points / 32 * 9 / 10); // bytes sent differ in normal traffic
    CHECK(equal[1] > points / 32 / 2);
}

} // namespace memsim::suites_test
