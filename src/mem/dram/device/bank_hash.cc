#include "mem/dram/device/bank_hash.hh"

namespace memsim::mem {

namespace {

class Plain final : public PolicyModel<Plain, BankHash> {
  public:
    struct Params {};
    struct State {};
    explicit Plain(const Params&) {}
    std::uint32_t bank(std::uint32_t bank, std::uint32_t, std::uint32_t) const override {
        return bank;
    }
    State state;
};
const PolicyRegistration<Plain> plain {"none", "The bank is the address map's"};

class Xor final : public PolicyModel<Xor, BankHash> {
  public:
    struct Params {};
    struct State {};
    explicit Xor(const Params&) {}
    bool fits(std::uint32_t banks) const override { return std::has_single_bit(banks); }
    std::uint32_t bank(std::uint32_t bank, std::uint32_t row, std::uint32_t banks) const override {
        return bank ^ (row & (banks - 1));
    }
    State state;
};
const PolicyRegistration<Xor> exclusive_or {
    "xor", "The bank's bits are XORed with the row's low bits (Zhang et al., MICRO 2000)"};

} // namespace
} // namespace memsim::mem
