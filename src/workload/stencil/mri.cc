#include "workload/sequence.hh"

/// CXL-GPU's mri is "composed of sort and conv3": a sort of as many keys as the cube has cells,
/// then the convolution [A].
namespace memsim::workload {

namespace {

std::unique_ptr<Application> sort_and_convolve(const Options& options) {
    const u64 n = options.size;
    return std::make_unique<Sequence>(
        options, std::vector<Sequence::Part> {{"merge_sort", n * n * n}, {"conv3", n}});
}

const Entry entry {{.names = {"mri"},
                    .doc = "sort and conv3, one after the other, as CXL-GPU composes it",
                    .tables = "CXL (mri)",
                    .size_is = "the number of cells along each side; as many pairs as cells",
                    .size = 64,
                    .check_size = 20,
                    .least = 3,
                    .most = 400,
                    .memory = [](const Options& o) { return 20 * o.size * o.size * o.size; },
                    .make = sort_and_convolve}};

} // namespace

} // namespace memsim::workload
