#pragma once

#include <string>
#include <string_view>

namespace memsim {

/// XXH3's 128 bits of some bytes, as 32 hexadecimal digits.
std::string hash128(std::string_view bytes);

/// The same of what is in a file. Throws ConfigError if it cannot be read.
std::string hash128_of_file(const std::string& path);

/// A running hash of records, in order: equal if and only if (2^-128 apart) all records are equal.
/// A plain value, so that a checkpoint can carry it on.
struct Digest {
    std::string value = std::string(32, '0');
    void add(std::string_view record) { value = hash128(value + std::string(record)); }
};

} // namespace memsim
