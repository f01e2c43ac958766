#include "workload/catalogue.hh"
#include "workload/data/aes_plain.hh"
#include "workload/simt/exact_math.hh"

/// AES-128 (FIPS 197) of many independent blocks, as in the suite of Bakhoda et al. (ISPASS'09)
/// after Manavski (ICSPC'07): a thread computes one column of a state, four threads share a state.
/// The four tables that combine SubBytes, ShiftRows and MixColumns are in shared memory, and so are
/// two copies of the state, so that a round needs one barrier.
namespace memsim::workload {

namespace {

constexpr u32 rounds = 10, columns = 4, block_threads = 256;
using State = std::array<u8, 16>; ///< column by column
using Schedule = std::array<u8, 16 * (rounds + 1)>;

// ---- the host's part: key schedule and tables

constexpr u8 doubled(u8 a) { return static_cast<u8>(a << 1 ^ (a >> 7) * 0x1b); }
constexpr u8 product(u8 a, u8 b) {
    u8 sum = 0;
    for (; b != 0; b >>= 1, a = doubled(a))
        if (b & 1) sum ^= a;
    return sum;
}
constexpr u8 substitute(u8 a) {
    u8 inverse = 1; // a^254
    for (u32 i = 0; i < 254; ++i) inverse = product(inverse, a);
    u8 sum = 0x63;
    for (u32 turn = 0; turn < 5; ++turn)
        sum ^= static_cast<u8>(inverse << turn | inverse >> (8 - turn));
    return sum;
}
std::array<u8, 256> make_sbox() {
    std::array<u8, 256> box {};
    for (u32 i = 0; i < 256; ++i) box[i] = substitute(static_cast<u8>(i));
    return box;
}
const std::array<u8, 256>& sbox() {
    static const std::array<u8, 256> box = make_sbox();
    return box;
}

Schedule schedule_of(const State& key) {
    Schedule s {};
    std::copy(key.begin(), key.end(), s.begin());
    u8 constant = 1;
    for (u32 at = 16; at < s.size(); at += 4) {
        std::array<u8, 4> word {s[at - 4], s[at - 3], s[at - 2], s[at - 1]};
        if (at % 16 == 0) {
            word = {sbox()[word[1]], sbox()[word[2]], sbox()[word[3]], sbox()[word[0]]};
            word[0] ^= constant;
            constant = doubled(constant);
        }
        for (u32 i = 0; i < 4; ++i) s[at + i] = s[at + i - 16] ^ word[i];
    }
    return s;
}

/// Packed as in the kernel: the first row is the lowest byte.
template <class Bytes>
u32 word_of(const Bytes& bytes, u64 at) {
    u32 word = 0;
    for (u32 i = 0; i < 4; ++i) word |= u32 {bytes[at + i]} << 8 * i;
    return word;
}

/// What a byte of row r contributes to its column: tables[256 * r + byte].
std::vector<u32> tables() {
    std::vector<u32> all(4 * 256);
    for (u32 i = 0; i < 256; ++i) {
        const u8 s = sbox()[i];
        const u32 column = product(s, 2) | s << 8 | s << 16 | u32 {product(s, 3)} << 24;
        for (u32 row = 0; row < 4; ++row)
            all[256 * row + i] = std::rotl(column, static_cast<int>(8 * row));
    }
    return all;
}

class Aes final : public Application {
  public:
    explicit Aes(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size) * columns) {
        const std::vector<u32> key = random_words(options.seed, "key", 16, 256);
        std::transform(key.begin(), key.end(), key_.begin(),
                       [](u32 byte) { return static_cast<u8>(byte); });
        const Schedule schedule = schedule_of(key_);
        std::vector<u32> words;
        for (u32 at = 0; at < schedule.size(); at += 4) words.push_back(word_of(schedule, at));
        schedule_ = memory_.input("key", words);
        tables_ = memory_.input("tables", tables());
        plain_ = memory_.input("plain", random_words(options.seed, "plain", n_, u64 {1} << 32));
        cipher_ = memory_.zeroed<u32>("cipher", n_);
        encrypt_ = kernel(
            "aesEncrypt128", 20, [this](Block& b) { encrypt(b); }, Counted::by_rule,
            (4 * 256 + 2 * block_threads) * sizeof(u32));
    }
    std::string difference() const override {
        std::vector<u32> cipher(n_);
        for (u32 at = 0; at < n_; at += columns) {
            State block;
            for (u32 i = 0; i < 16; ++i)
                block[i] = static_cast<u8>(plain_[at + i / 4] >> 8 * (i % 4));
            block = aes128(key_, block);
            for (u32 c = 0; c < columns; ++c) cipher[at + c] = word_of(block, 4 * c);
        }
        return first_difference("cipher", cipher_, cipher);
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch(encrypt_, {(n_ - 1) / block_threads + 1, 1, 1}, {block_threads, 1, 1});
        return true;
    }
    static Lanes<u32> byte_of(const Lanes<u32>& word, u32 row) {
        if (row == 3) return word >> 24;
        return (row == 0 ? word : word >> 8 * row) & 0xff;
    }
    void encrypt(Block& b) {
        enum class Site : u32 {
            table,
            set_table = table + 4,
            plain = set_table + 4,
            first_key,
            first_state,
            state,
            look_up = state + 4,
            key = look_up + 4,
            set_state,
            last_state,
            last_look_up = last_state + 4,
            last_key = last_look_up + 4,
            cipher
        };
        const auto nth = [](Site first, u32 n) {
            return static_cast<Site>(static_cast<u32>(first) + n);
        };
        const auto table = b.shared<u32>(4 * 256);
        const std::array state {b.shared<u32>(block_threads), b.shared<u32>(block_threads)};
        Registers<u32> column(b);
        std::array<Registers<u32>, 4> from {Registers<u32>(b), Registers<u32>(b), Registers<u32>(b),
                                            Registers<u32>(b)};
        Registers<u32> thread(b);
        b.each([&](Warp& w) {
            const auto t = w.tx(), x = w.x();
            thread[w] = x;
            for (u32 row = 0; row < 4; ++row) {
                const auto word = w.load(nth(Site::table, row), tables_, t, row * 256);
                w.store(nth(Site::set_table, row), table, t, word, row * 256);
            }
            column[w] = t & (columns - 1);
            // Row r of this column comes from the column r places further: ShiftRows.
            const auto first = t - column[w];
            for (u32 row = 0; row < 4; ++row)
                from[row][w] = ((column[w] + row) & (columns - 1)) + first;
            w.if_(x < n_, [&] {
                const auto word = w.load(Site::plain, plain_, x);
                const auto key = w.load(Site::first_key, schedule_, column[w]);
                w.store(Site::first_state, state[0], t, word ^ key);
            });
        });
        b.barrier();
        for (u32 round = 1; round < rounds; ++round) {
            b.each([&](Warp& w) {
                w.if_(thread[w] < n_, [&] {
                    Lanes<u32> sum = w.load(Site::key, schedule_, column[w], columns * round);
                    for (u32 row = 0; row < 4; ++row) {
                        const auto word =
                            w.load(nth(Site::state, row), state[(round - 1) % 2], from[row][w]);
                        const auto byte = byte_of(word, row);
                        sum = sum ^ w.load(nth(Site::look_up, row), table, byte, 256 * row);
                    }
                    const auto t = w.tx();
                    w.store(Site::set_state, state[round % 2], t, sum);
                });
                w.extra(rule::loop_round + 2); // and the addresses of key and state
            });
            b.barrier();
        }
        b.each([&](Warp& w) {
            w.if_(thread[w] < n_, [&] {
                Lanes<u32> sum = w.load(Site::last_key, schedule_, column[w], columns * rounds);
                for (u32 row = 0; row < 4; ++row) {
                    const auto word =
                        w.load(nth(Site::last_state, row), state[(rounds - 1) % 2], from[row][w]);
                    const auto byte = byte_of(word, row);
                    // The second byte of the first table is the plain S-box.
                    const auto looked_up = w.load(nth(Site::last_look_up, row), table, byte);
                    const auto box = byte_of(looked_up, 1);
                    sum = sum ^ (row == 0 ? box : box << 8 * row);
                }
                w.store(Site::cipher, cipher_, thread[w], sum);
            });
        });
    }

    u32 n_; ///< columns of all blocks
    State key_ {};
    Array<u32> schedule_, tables_, plain_, cipher_;
    u32 encrypt_;
};

const Entry entry {
    {.names = {"aes", "AES"},
     .doc = "AES-128 of blocks of 16 bytes, one column of a state per thread, tables in "
            "shared memory, after ISPASS'09",
     .tables = "SAP (AES)",
     .size_is = "the number of blocks of 16 bytes",
     .size = 16448, // 257 blocks of 256 threads: ISPASS'09, from memory
     .check_size = 100,
     .most = 1 << 26,
     .memory = [](const Options& o) { return 32 * o.size; },
     .make = make<Aes>}};

} // namespace

} // namespace memsim::workload
