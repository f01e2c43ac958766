#pragma once

#include <cstdint>
#include <vector>

/// Network connections with the statistics of KDD Cup 1999's 10 % file, which Rodinia's kmeans
/// reads as kdd_cup.
///
/// The original has 494,020 records of 34 numeric features: 57 % belong to the attack smurf, 22 %
/// to neptune, and 21 % to normal and other traffic, in long runs of one kind. In records of smurf
/// every feature is constant within a run; in those of neptune all except the counts. In normal
/// traffic (Rodinia's first hundred records) 17 features are constant, 8 more keep their value in
/// 82 to 99 % of the records, and sizes in bytes and counts vary.
///
/// Generated: kinds with these shares, in runs of 64 to 575 records [A], with constant, rarely and
/// always changing features as above; rates are multiples of 0.01.
namespace memsim::workload {

inline constexpr std::uint32_t connection_features = 34;

/// The features of `points` records, record after record.
std::vector<float> connections(std::uint64_t seed, std::uint32_t points);

} // namespace memsim::workload
