#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

/// Compresses a stream of bytes with zstd, piece by piece, so that no second copy of a snapshot is
/// held.
namespace memsim::checkpoint {

class Packer {
  public:
    using Sink = std::function<void(std::string_view)>;
    explicit Packer(Sink sink);
    void bytes(std::string_view raw) { feed(raw, false); }
    /// Eight bytes, little-endian.
    void number(std::uint64_t n);
    void finish() { feed({}, true); }
    std::uint64_t raw_bytes() const { return raw_bytes_; }

  private:
    void feed(std::string_view raw, bool end);
    struct Free {
        void operator()(ZSTD_CCtx_s* c) const;
    };
    Sink sink_;
    std::unique_ptr<ZSTD_CCtx_s, Free> context_;
    std::string out_;
    std::uint64_t raw_bytes_ = 0;
};

/// Throws Damaged if the packed bytes were not made by a Packer or do not hold `raw_bytes` bytes.
/// Reserves at most twice the memory of the bytes unpacked.
class Unpacker {
  public:
    struct Damaged {};
    Unpacker(std::string_view packed, std::uint64_t raw_bytes);
    std::string bytes(std::uint64_t n);
    std::uint64_t number();
    /// Checks that nothing is left.
    void finish();

  private:
    void take(char* to, std::uint64_t n);
    struct Free {
        void operator()(ZSTD_DCtx_s* c) const;
    };
    std::string_view packed_;
    std::size_t used_ = 0;
    bool ended_ = false; ///< the end of the packed stream was read
    std::uint64_t left_;
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

} // namespace memsim::checkpoint
