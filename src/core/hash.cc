#include "core/hash.hh"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

namespace memsim {

std::string hash128(std::string_view bytes) {
    const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(h.high64),
                  static_cast<unsigned long long>(h.low64));
    return text;
}

} // namespace memsim
