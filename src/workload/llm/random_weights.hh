#pragma once

#include "workload/llm/decoder_memory.hh"

#include <string>
#include <vector>

/// Random contents of a model's arrays.
namespace memsim::workload {

/// Words of bf16 values, uniform from -limit to limit, from 16 random bits each.
std::vector<u64> random_values(u64 seed, const std::string& name, u64 values, float limit);

/// The limit of uniform values with a variance of 1.
float unit_limit();

/// Weights of a norm: 1 with a deviation of at most a tenth.
std::vector<u16> norm_weights(u64 seed, const std::string& name, u32 n);

/// A read-only matrix whose elements have a variance of 1 / columns, so that a product has the size
/// of its vector. `bits`: 16, 8 or 4.
Matrix random_matrix(DeviceMemory& memory, u64 seed, const std::string& name, u64 rows, u32 columns,
                     u32 bits);

/// The same values as floats of 8 bits.
std::vector<u32> as_small_floats(const std::vector<u64>& words);

/// Cosines and sines of all angles of the positions from `first` to before `last`.
std::vector<float> rotations(const DecoderShape& shape, u32 first, u32 last);

} // namespace memsim::workload
