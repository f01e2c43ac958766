#pragma once

#include <string>
#include <string_view>

namespace memsim {

/// The 128-bit XXH3 hash of some bytes, as 32 hexadecimal digits.
std::string hash128(std::string_view bytes);

/// The same for the contents of a file. Throws ConfigError if it cannot be read.
std::string hash128_of_file(const std::string& path);

/// A running hash of records, in order. Digests are equal if and only if all records are equal,
/// except with a probability of 2^-128. A plain value, so that a checkpoint can store it.
struct Digest {
    std::string value = std::string(32, '0');
    void add(std::string_view record) { value = hash128(value + std::string(record)); }
};

} // namespace memsim
