#include "run.hh"
#include "support.hh"

#include "workload/sequence.hh"
#include "workload/stencil/bitmap.hh"
#include "workload/stencil/tetrahedra.hh"

#include <cmath>

namespace memsim::input_test {

using namespace memsim::workload;

namespace {

/// A bitmap of 24 bits a pixel with this in front of its rows.
std::string bitmap_of(u32 width, u32 height, const std::string& rows, u32 bits = 24) {
    std::string head(54, '\0');
    const auto put = [&](u32 at, u32 n) { std::memcpy(&head[at], &n, 4); };
    head[0] = 'B', head[1] = 'M';
    put(10, 54), put(14, 40), put(18, width), put(22, height), put(28, bits);
    return head + rows;
}
std::string refused(const std::string& bytes) {
    const TemporaryFile file("picture.bmp", bytes);
    std::string error = error_of([&] {
        InputFile in(file.path);
        read_bitmap(in);
    });
    const auto at = error.find(file.path);
    if (at != std::string::npos) error.replace(at, file.path.size(), "F");
    return error;
}

} // namespace

TEST_CASE("a bitmap is read from its last row, blue first", "[workloads]") {
    // Two rows of one pixel, each padded to four bytes.
    const std::string rows {1, 2, 3, 0, 4, 5, 6, 0};
    const TemporaryFile file("picture.bmp", bitmap_of(1, 2, rows));
    InputFile in(file.path);
    const Picture picture = read_bitmap(in);
    CHECK(picture.width == 1);
    CHECK(picture.height == 2);
    CHECK(picture.rgb == std::vector<u8> {6, 5, 4, 3, 2, 1});
    const TemporaryFile turned("picture.bmp", bitmap_of(1, 0u - 2, rows));
    InputFile from_top(turned.path);
    CHECK(read_bitmap(from_top).rgb == std::vector<u8> {3, 2, 1, 6, 5, 4});
}

TEST_CASE("an invalid bitmap is rejected with a message", "[workloads]") {
    CHECK(refused("BM") == "F: byte 2: the file ends inside the header of a bitmap, 52 bytes too "
                           "early; fetch it again");
    CHECK(refused(std::string(60, 'x')) == "F: is no bitmap: it does not begin with BM");
    CHECK(refused(bitmap_of(1, 2, "12345678", 8)) ==
          "F: is a bitmap of 8 bits a pixel, compression 0; only 24 bits without compression are "
          "supported");
    CHECK(refused(bitmap_of(0, 2, "12345678")) ==
          "F: has a width of 0 pixels; 1 to 8192 are supported");
    CHECK(refused(bitmap_of(1, 2, "1234")) ==
          "F: byte 58: the file ends inside a row of pixels, 4 bytes too early; fetch it again");
}

TEST_CASE("dwt2d transforms a picture of a file", "[workloads]") {
    const std::string path = shared_data("rodinia_inputs/192.bmp");
    if (path.empty()) return;
    Options options;
    options.input = path;
    const auto application = make_workload("dwt2d", options);
    u32 launches = 0;
    gpu_program::BlockStreams out;
    for (gpu_program::Launch launch; application->next_launch(launch); ++launches)
        for (u32 block = 0; block < launch.blocks(); ++block) application->run_block(block, out);
    CHECK(launches == 16);
    CHECK(application->difference() == "");
}

TEST_CASE("a mesh of tetrahedra is closed, and its neighbours agree", "[workloads]") {
    constexpr u32 side = 8, body = 2, elements = 6 * (side * side * side - body * body * body);
    const Mesh mesh = tetrahedra(side, 1, 192);
    REQUIRE(mesh.elements == (elements + 191) / 192 * 192);
    const u32 n = mesh.elements;
    u32 wing = 0, far = 0;
    for (u32 e = 0; e < elements; ++e) {
        for (u32 a = 0; a < Mesh::axes; ++a) {
            float sum = 0;
            for (u32 s = 0; s < Mesh::sides; ++s) sum += mesh.normal[e + (s + a * Mesh::sides) * n];
            CHECK(std::abs(sum) < 1e-5f);
        }
        for (u32 s = 0; s < Mesh::sides; ++s) {
            const u32 other = mesh.neighbour[e + s * n];
            wing += other == Mesh::wing;
            far += other == Mesh::far_field;
            if (other >= Mesh::far_field) continue;
            u32 back = 0;
            while (back < Mesh::sides && mesh.neighbour[other + back * n] != e) ++back;
            REQUIRE(back < Mesh::sides);
            for (u32 a = 0; a < Mesh::axes; ++a)
                CHECK(std::abs(mesh.normal[e + (s + a * Mesh::sides) * n] +
                               mesh.normal[other + (back + a * Mesh::sides) * n]) < 1e-5f);
        }
    }
    CHECK(wing == 6 * 2 * body * body); // six squares of two triangles a cell
    CHECK(far == 6 * 2 * side * side);
    CHECK(mesh.neighbour[n - 1] == mesh.neighbour[elements - 1]); // padding
}

TEST_CASE("the flow starts as in the far field and is compressed in front of the body",
          "[workloads]") {
    Options options;
    options.size = 8;
    options.iterations = 3;
    const auto cfd = make_workload("cfd", options);
    const Allocation variables = cfd->allocations()[3];
    REQUIRE(variables.name == "variables");
    const u64 densities = variables.base + variables.bytes / 5;
    float least = 1e9f, most = 0;
    gpu_program::BlockStreams out;
    out.with_values = true;
    for (gpu_program::Launch launch; cfd->next_launch(launch);)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            cfd->run_block(block, out);
            for (const auto& bytes : out.warps)
                for (const auto& op : read_all(bytes)) {
                    if (op.kind != WarpOpKind::store || op.address[0] < variables.base ||
                        op.address[0] >= densities)
                        continue;
                    for (u64 value : op.value) {
                        const auto density = std::bit_cast<float>(static_cast<u32>(value));
                        REQUIRE(std::isfinite(density));
                        if (launch.kernel == "initialize_variables") CHECK(density == 1.4f);
                        least = std::min(least, density);
                        most = std::max(most, density);
                    }
                }
        }
    CHECK(least > 0.5f);
    CHECK(least < 1.39f); // behind it
    CHECK(most > 1.45f);
    CHECK(most < 5.0f);
}

TEST_CASE("parts of a sequence have their own places and PCs", "[workloads]") {
    Options options;
    options.size = 3;
    const auto mri = make_workload("mri", options);
    options.size = 27;
    const auto sort = make_workload("merge_sort", options);
    REQUIRE(mri->allocations().size() == 4);
    CHECK(mri->allocations()[0].name == "merge_sort.keys_0");
    CHECK(mri->allocations()[2].name == "conv3.a");
    CHECK(mri->allocations()[2].base == sort->footprint_bytes());
    CHECK(mri->footprint_bytes() == sort->footprint_bytes() + 2 * 256);
    std::vector<std::string> kernels;
    for (gpu_program::Launch launch; mri->next_launch(launch);) {
        gpu_program::BlockStreams out;
        kernels.push_back(launch.kernel);
        for (u32 block = 0; block < launch.blocks(); ++block) mri->run_block(block, out);
        u64 position = 0;
        gpu_program::WarpOp op;
        for (gpu_program::WarpStreamReader reader(out.warps[0], position); reader.next(op);)
            if (op.kind == gpu_program::WarpOpKind::load) {
                CHECK(op.pc >> 12 == (launch.kernel == "merge" ? 0u : 1u));
            }
    }
    REQUIRE(kernels.size() == 2);
    CHECK(kernels.back() == "convolution3D_kernel");
}

} // namespace memsim::input_test
