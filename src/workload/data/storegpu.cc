#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// StoreGPU (Al-Kiswany et al., HPDC'08) as in the suite of Bakhoda et al. (ISPASS'09): sliding
/// windows of a data stream, each hashed by MD5 (RFC 1321), to find known parts. A thread hashes
/// one window; windows begin 4 bytes apart. A block first copies the data of its windows to shared
/// memory. The window of 52 bytes is an assumption: the longest of whole words whose message is one
/// block of MD5.
namespace memsim::workload {

namespace {

constexpr u32 window = 13, digest = 4, block_threads = 128; // window and digest in words

using Message = std::array<u32, 16>;
using Digest = std::array<u32, digest>;

constexpr Digest begin {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
constexpr std::array<u32, 64> sines {
    // 2^32 |sin(i + 1)|
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr u32 turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/// The word of the message that a step adds.
constexpr u32 word_of(u32 step) {
    constexpr u32 times[] = {1, 5, 3, 7}, plus[] = {0, 1, 5, 0};
    return (times[step / 16] * step + plus[step / 16]) % 16;
}

/// A window, then the padding of RFC 1321: a bit, zeros and the length in bits.
constexpr u32 padding(u32 word) { return word == window ? 0x80 : word == 14 ? 32 * window : 0; }

// ---- the standard, for one window

constexpr Digest hash(const Message& m) {
    auto [a, b, c, d] = begin;
    for (u32 step = 0; step < 64; ++step) {
        const u32 f = step < 16   ? (b & c) | (~b & d)
                      : step < 32 ? (b & d) | (c & ~d)
                      : step < 48 ? b ^ c ^ d
                                  : c ^ (b | ~d);
        const u32 sum = a + f + m[word_of(step)] + sines[step];
        a = d, d = c, c = b;
        b += std::rotl(sum, static_cast<int>(turns[step / 16][step % 4]));
    }
    return {begin[0] + a, begin[1] + b, begin[2] + c, begin[3] + d};
}
/// Bytes that fill one message block, with padding byte by byte.
template <class Bytes>
constexpr Message message_of(const Bytes& bytes) {
    std::array<u8, 64> block {};
    std::size_t n = 0;
    for (u8 byte : bytes) block[n++] = byte;
    block[n] = 0x80; // followed by zeros and the number of bits in 64 bits
    for (u32 i = 0; i < 8; ++i) block[56 + i] = static_cast<u8>(u64 {8 * n} >> 8 * i);
    Message m {};
    for (u32 i = 0; i < 64; ++i) m[i / 4] |= u32 {block[i]} << i % 4 * 8;
    return m;
}
// The test suite of RFC 1321: "abc". Zeros of the length of a window: computed by md5sum.
static_assert(hash(message_of(std::array<u8, 3> {'a', 'b', 'c'})) ==
              Digest {0x98500190, 0xb04fd23c, 0x7d3f96d6, 0x727fe128});
static_assert(hash(message_of(std::array<u8, 4 * window> {})) ==
              Digest {0x16a89a46, 0x869c0c01, 0x6f17a939, 0xaf895162});

class StoreGpu final : public Application {
  public:
    explicit StoreGpu(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)) {
        data_ = memory_.input("data",
                              random_words(options.seed, "data", n_ + window - 1, u64 {1} << 32));
        digests_ = memory_.zeroed<u32>("digests", u64 {n_} * digest);
        hash_ = kernel(
            "md5_overlap", 32, [this](Block& b) { windows(b); }, Counted::by_rule,
            (block_threads + window - 1) * sizeof(u32));
    }
    std::string difference() const override {
        std::vector<u32> digests;
        for (u32 first = 0; first < n_; ++first) {
            std::array<u8, 4 * window> bytes;
            for (u32 i = 0; i < bytes.size(); ++i)
                bytes[i] = static_cast<u8>(data_[first + i / 4] >> i % 4 * 8);
            const Digest of = hash(message_of(bytes));
            digests.insert(digests.end(), of.begin(), of.end());
        }
        return first_difference("digests", digests_, digests);
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch(hash_, {(n_ - 1) / block_threads + 1, 1, 1}, {block_threads, 1, 1});
        return true;
    }
    void windows(Block& b) {
        enum class Site : u32 { data, copy, rest, copy_rest, word, set = word + window };
        const auto tile = b.shared<u32>(block_threads + window - 1);
        b.each([&](Warp& w) {
            const auto t = w.tx(), x = w.x();
            const u32 all = n_ + window - 1;
            w.if_(x < all, [&] {
                const auto word = w.load(Site::data, data_, x);
                w.store(Site::copy, tile, t, word);
            });
            w.if_(t < window - 1 && x + block_threads < all, [&] {
                const auto word = w.load(Site::rest, data_, x, block_threads);
                w.store(Site::copy_rest, tile, t, word, block_threads);
            });
        });
        b.barrier();
        b.each([&](Warp& w) {
            const auto x = w.x();
            w.if_(x < n_, [&] {
                const auto t = w.tx();
                std::array<Lanes<u32>, 16> m;
                for (u32 i = 0; i < 16; ++i)
                    m[i] =
                        i < window ? w.load(nth(Site::word, i), tile, t, i) : all_lanes(padding(i));
                const auto hashed = hashed_by(w, m);
                const auto at = x << 2;
                for (u32 i = 0; i < digest; ++i)
                    w.store(nth(Site::set, i), digests_, at, hashed[i], i);
            });
        });
    }
    /// The 64 steps are unrolled, as in the original: constants cost no instructions.
    static std::array<Lanes<u32>, digest> hashed_by(Warp& w, const std::array<Lanes<u32>, 16>& m) {
        std::array<Lanes<u32>, digest> s;
        for (u32 i = 0; i < digest; ++i) {
            s[i] = all_lanes(begin[i]);
            s[i].flow = &w;
        }
        for (u32 step = 0; step < 64; ++step) {
            // a, b, c and d are renamed instead of being moved.
            auto& a = s[(64 - step) % 4];
            const auto &b = s[(65 - step) % 4], &c = s[(66 - step) % 4], &d = s[(67 - step) % 4];
            const auto f = step < 16   ? d ^ (b & (c ^ d))
                           : step < 32 ? c ^ (d & (b ^ c))
                           : step < 48 ? b ^ c ^ d
                                       : c ^ (b | (d ^ 0xffffffff));
            auto sum = a + f;
            const u32 word = word_of(step);
            if (word < window)
                sum = sum + m[word] + sines[step];
            else
                sum = sum + (padding(word) + sines[step]);
            const u32 turn = turns[step / 16][step % 4];
            const auto turned = (sum << turn) | (sum >> (32 - turn));
            a = b + turned;
        }
        for (u32 i = 0; i < digest; ++i) s[i] = s[i] + begin[i];
        return s;
    }
    template <class Site>
    static Site nth(Site first, u32 n) {
        return static_cast<Site>(static_cast<u32>(first) + n);
    }

    u32 n_; ///< number of windows
    Array<u32> data_, digests_;
    u32 hash_;
};

const Entry entry {{.names = {"sto", "STO"},
                    .doc =
                        "MD5 of sliding windows of 52 bytes, 4 bytes apart, one window per thread, "
                        "after StoreGPU (ISPASS'09)",
                    .tables = "STO",
                    .size_is = "the number of windows",
                    .size = 49152, // 192 KiB, 384 blocks of 128 threads: ISPASS'09, from memory
                    .check_size = 300,
                    .most = 1 << 28,
                    .memory = [](const Options& o) { return 20 * o.size; },
                    .make = make<StoreGpu>}};

} // namespace

} // namespace memsim::workload
