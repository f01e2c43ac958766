#pragma once

#include "protocol/kernel_source.hh"
#include "workload/csr.hh"

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace memsim::workload {

/// The applications that there are, by the name a user writes.
enum class ApplicationKind : std::uint8_t { bfs_topology, bfs_data, pagerank };

constexpr std::array<std::string_view, 3> names_of(ApplicationKind) {
    return {"bfs_topology", "bfs_data", "pagerank"};
}

struct ApplicationOptions {
    std::optional<std::uint32_t> source; ///< of a search; none: the vertex with the most arcs
    std::uint32_t iterations = 20;       ///< of PageRank, at most
    std::uint32_t threshold = 0;         ///< of PageRank, see PagerankOptions
    std::uint32_t threads_per_block = 256;
    std::uint64_t operation_limit = 1 << 24;
};

std::unique_ptr<protocol::KernelSource> make_application(ApplicationKind kind, Csr graph,
                                                         const ApplicationOptions& options = {});

} // namespace memsim::workload
