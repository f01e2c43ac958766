#include "cmd/detect/md5.hh"

#include "core/base/bits.hh"

#include <nettle/md5.h>

namespace memsim::cmd {

Reference::Digest md5(Block block, std::uint32_t mask) {
    md5_ctx context;
    md5_init(&context);
    for_each_bit(mask, [&](std::uint32_t sector) {
        md5_update(&context, sector_bytes, block.data() + sector * sector_bytes);
    });
    Reference::Digest digest;
    static_assert(sizeof digest == MD5_DIGEST_SIZE);
    md5_digest(&context, digest.size(), digest.data());
    return digest;
}

} // namespace memsim::cmd
