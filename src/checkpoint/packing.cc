#include "checkpoint/packing.hh"

#include "core/base/error.hh"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace memsim::checkpoint {

namespace {
// The fastest of zstd's regular levels: a checkpoint is written far more often than it is read or
// sent. See docs/checkpoints.md.
constexpr int level = 1;
constexpr std::size_t piece = 1 << 20;
} // namespace

Packer::Packer(Sink sink)
    : sink_(std::move(sink)), context_(ZSTD_createCCtx()), out_(ZSTD_CStreamOutSize(), '\0') {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
}

void Packer::Free::operator()(ZSTD_CCtx_s* c) const { ZSTD_freeCCtx(c); }

void Packer::number(std::uint64_t n) {
    char raw[sizeof n];
    std::memcpy(raw, &n, sizeof n);
    bytes({raw, sizeof n});
}

void Packer::feed(std::string_view raw, bool end) {
    raw_bytes_ += raw.size();
    ZSTD_inBuffer in {raw.data(), raw.size(), 0};
    for (;;) {
        ZSTD_outBuffer out {out_.data(), out_.size(), 0};
        const std::size_t left =
            ZSTD_compressStream2(context_.get(), &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        MEMSIM_ASSERT(!ZSTD_isError(left), ZSTD_getErrorName(left));
        if (out.pos) sink_({out_.data(), out.pos});
        if (end ? left == 0 : in.pos == in.size) return;
    }
}

Unpacker::Unpacker(std::string_view packed, std::uint64_t raw_bytes)
    : packed_(packed), left_(raw_bytes), context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
}

void Unpacker::Free::operator()(ZSTD_DCtx_s* c) const { ZSTD_freeDCtx(c); }

std::string Unpacker::bytes(std::uint64_t n) {
    if (n > left_) throw Damaged {};
    // Piece by piece: memory is reserved only in proportion to the bytes that were unpacked.
    std::string raw;
    while (raw.size() < n) {
        const std::size_t at = raw.size();
        raw.resize(std::min<std::uint64_t>(n, at + std::max<std::size_t>(at, piece)));
        take(raw.data() + at, raw.size() - at);
    }
    return raw;
}

std::uint64_t Unpacker::number() {
    std::uint64_t n = 0;
    if (sizeof n > left_) throw Damaged {};
    take(reinterpret_cast<char*>(&n), sizeof n);
    return n;
}

void Unpacker::take(char* to, std::uint64_t n) {
    ZSTD_inBuffer in {packed_.data(), packed_.size(), used_};
    ZSTD_outBuffer out {to, n, 0};
    while (out.pos < n) {
        const std::size_t before = out.pos + in.pos;
        const std::size_t hint = ZSTD_decompressStream(context_.get(), &out, &in);
        if (ZSTD_isError(hint) || out.pos + in.pos == before) throw Damaged {};
        ended_ = hint == 0;
    }
    used_ = in.pos;
    left_ -= n;
}

void Unpacker::finish() {
    char none;
    ZSTD_inBuffer in {packed_.data(), packed_.size(), used_};
    ZSTD_outBuffer out {&none, 1, 0};
    if (!ended_) ended_ = ZSTD_decompressStream(context_.get(), &out, &in) == 0;
    if (left_ != 0 || !ended_ || out.pos != 0 || in.pos != in.size) throw Damaged {};
}

} // namespace memsim::checkpoint
