#pragma once

#include "core/kernel/registry.hh"
#include "core/machine/functional.hh"
#include "core/machine/machine.hh"
#include "protocol/mem.hh"

#include <map>

/// The data contract: a component that accepts block requests returns the bytes written last.
namespace memsim::test {

using namespace memsim::literals;
using protocol::Mem;

/// Random reads, writes and atomics to a few lines, each read compared with a reference memory. A
/// byte's value follows from its address and the number of the store that wrote it, so data of
/// another place or of another time is found.
class DataDriver final : public Model<DataDriver> {
  public:
    struct Params {
        Param<unsigned> count {3000, "Requests to send"};
        Param<unsigned> answers {12, {1, 4096}, "Answers that may be outstanding"};
        Param<Time> gap {20_ns, "Longest pause between two requests"};
        Param<Bytes> base {0_B, "First address"};
        Param<unsigned> lines {24, "Lines of 128 bytes from there that they go to"};
        Param<unsigned> stride {1, "One line in so many"};
        Param<unsigned> application {0, "Whose addresses they are"};
        Param<unsigned> atomics {1, "Of eight requests, those that are atomics"};
        Param<unsigned> writes {4, "And those that are writes"};
        Param<unsigned> values {0, "Different data, so that lines are equal; 0: no two bytes are"};
        Param<std::uint64_t> twist {
            0, "Every other value differs from the one before by this, word by word of 8 bytes"};
        Param<unsigned> whole {5, "With few values, of eight requests those of whole lines"};
        Param<unsigned> copies {0, "After so many requests and a pause the host writes; 0: never"};
        Param<Time> pause {100_us, "Time between the last request and a write of the host"};
    };
    struct Ports {
        Requester<Mem> mem {{.depth = from<&Params::answers>}, "To what is tested"};
    };
    struct Stats {
        Counter compared {Unit::byte, "Bytes read and compared"};
        Counter old {Unit::byte, "Bytes of an older store than the last one before the read"};
        Counter wrong {Unit::byte, "Bytes that no store left there, or none that was sent yet"};
    };
    struct Read {
        bool live = false;
        std::vector<std::uint32_t> least; ///< of each byte of its line, the last store's number
    };
    struct State {
        Rng random;
        std::uint32_t sent = 0;
        std::uint32_t stores = 0;
        std::vector<std::uint32_t> latest; ///< of each byte of the lines, the last store's number
        std::vector<Read> reads;           ///< by tag
        Tick due = 0;
        bool copies = false; ///< next, instead of a request
        Timer next;
    };
    explicit DataDriver(const Params& p) : params(p) {}
    void init() override;
    void start() override;
    void wake() override;
    bool pending() const override { return state.sent < params.count(); }
    /// Compares all of the lines with what an untimed look finds; bytes that differ.
    std::uint64_t compare_image() const;

    const Params params;
    Ports port;
    Stats stat;
    State state;

    std::uint8_t value(std::uint64_t address, std::uint32_t store) const;

  private:
    void send();
    void copy();
    bool waits_for_reads() const;
    void check(const protocol::MemResponse& r);
    /// Where byte i of the lines is.
    std::uint64_t address(std::uint64_t i) const {
        return static_cast<std::uint64_t>(params.base->raw) + i / 128 * 128 * params.stride() +
               i % 128;
    }
    std::uint64_t index(std::uint64_t address) const {
        const std::uint64_t at = address - static_cast<std::uint64_t>(params.base->raw);
        return at / 128 / params.stride() * 128 + at % 128;
    }
    FunctionalAccess access(std::uint64_t i, bool write) const {
        return {address(i), static_cast<std::uint16_t>(params.application()), write, {}};
    }
};

} // namespace memsim::test
