#include "core/base/hash.hh"

#include "core/base/error.hh"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace memsim {

namespace {

std::string hexadecimal(const XXH128_hash_t& h) {
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(h.high64),
                  static_cast<unsigned long long>(h.low64));
    return text;
}

} // namespace

std::string hash128(std::string_view bytes) {
    return hexadecimal(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string hash128_of_file(const std::string& path) {
    const auto refuse = [&] {
        throw ConfigError(path + ": " + std::strerror(errno) + ": name a file that can be read");
    };
    const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                         &XXH3_freeState);
    const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "rb"),
                                                                  &std::fclose);
    if (!file) refuse();
    XXH3_128bits_reset(state.get());
    std::array<char, 1 << 16> piece; // not zeroed: most files are modules of a few kilobytes
    while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), file.get()))
        XXH3_128bits_update(state.get(), piece.data(), n);
    if (std::ferror(file.get())) refuse();
    return hexadecimal(XXH3_128bits_digest(state.get()));
}

} // namespace memsim
