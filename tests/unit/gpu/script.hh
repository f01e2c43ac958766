#pragma once

#include "core/machine/machine.hh"
#include "gpu/dispatch/dispatcher.hh"
#include "gpu/sm/sm.hh"
#include "mem/simple_memory.hh"
#include "workload/simt/functional_state.hh"

#include <catch2/catch.hpp>

#include <functional>

/// Applications that a test writes by hand, and machines of SMs that run them.
namespace memsim::test {

using namespace memsim::literals;

/// Each block is `warps` streams, made by `write`. How far it has come is its functional state.
class Script final : public gpu_program::KernelSource {
  public:
    using Write = std::function<void(gpu_program::WarpStreamWriter&, unsigned warp)>;
    unsigned launches = 1, blocks = 1, warps = 1;
    unsigned registers_per_thread = 0, shared_bytes = 0;
    std::uint64_t footprint = 1 << 20;
    std::uint64_t local = 0; ///< bytes of local memory for each thread
    Write write = [](auto&, unsigned) {};
    std::vector<unsigned> warps_of_launch; ///< instead of `warps`, where they differ
    std::vector<Script> others;            ///< its streams behind the first

    bool next_launch(gpu_program::Launch& l) override;
    void run_block(gpu_program::u32 block, gpu_program::BlockStreams& out) override;
    gpu_program::u32 streams() const override {
        return static_cast<gpu_program::u32>(others.size() + 1);
    }
    gpu_program::KernelSource& stream(gpu_program::u32 i) override {
        return i ? static_cast<gpu_program::KernelSource&>(others.at(i - 1)) : *this;
    }
    gpu_program::u64 footprint_bytes() const override { return footprint; }
    gpu_program::u64 local_bytes() const override { return local; }
    const std::vector<gpu_program::Allocation>& allocations() const override { return none_; }
    gpu_program::u64 result_digest() const override { return 0; }
    void save(Saver& s) const override {
        s(given);
        for (const Script& other : others) other.save(s);
    }
    void load(Loader& l) override {
        l(given);
        for (Script& other : others) other.load(l);
    }

    unsigned given = 0; ///< launches

  private:
    std::vector<gpu_program::Allocation> none_;
};

/// The host of a Script: the one named by the parameter, which the test has put into scripts().
class ScriptHost final : public Model<ScriptHost>, public protocol::HasKernels {
  public:
    struct Params {
        Param<unsigned> script {0, "Its place in scripts()"};
        Param<Time> launch_latency {1_fs, {1_fs, 1_s}, "From one launch to the next"};
    };
    struct Ports {
        Responder<protocol::Launches> dispatcher {
            {.depth = [](const void*) { return 1u; }, .latency = from<&Params::launch_latency>},
            "Launches"};
    };
    struct Stats {};
    struct State {
        std::uint32_t launch = 0;
        workload::FunctionalState function;
    };
    explicit ScriptHost(const Params& p) : params(p) {}
    void wake() override;
    gpu_program::KernelSource& kernels() override;
    std::string kernel() const override { return "kernel " + std::to_string(state.launch); }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
/// What hosts made from now on run.
std::vector<Script>& scripts();

/// SMs, each with a memory of its own, that run the scripts.
struct ScriptRig {
    Machine machine;
    std::vector<std::string> lines; ///< debug output, if requested

    explicit ScriptRig(const Script& script, const Arguments& sm = {}, unsigned sms = 1,
                       const Arguments& dispatcher = {})
        : ScriptRig(std::vector<Script> {script}, sm, sms, dispatcher) {}
    ScriptRig(const std::vector<Script>& applications, Arguments sm, unsigned sms,
              const Arguments& dispatcher = {}, const Arguments& memory = {{"latency", "100ns"}},
              const std::string& memory_type = "mem.SimpleMemory");

    gpu::Sm& sm(unsigned i = 0) { return machine.get<gpu::Sm>("sm[" + std::to_string(i) + "]"); }
    gpu::Dispatcher& dispatcher() { return machine.get<gpu::Dispatcher>("dispatcher"); }
    double cycles() { return static_cast<double>(dispatcher().stat.cycles.value()); }
    void run() {
        REQUIRE(machine.run(never) == Stop::idle);
        REQUIRE_FALSE(machine.pending());
        REQUIRE(machine.imbalances().empty());
    }
    /// Which warps issued, in order, and in which cycles of the clock, counted from the first.
    struct Issue {
        std::int64_t cycle;
        unsigned warp;
        bool operator==(const Issue&) const = default;
    };
    std::vector<Issue> issues();
    void trace();
};
std::ostream& operator<<(std::ostream& to, const ScriptRig::Issue& i);

constexpr gpu_program::WarpStreamWriter::Addresses word(std::uint64_t base, std::uint64_t stride) {
    gpu_program::WarpStreamWriter::Addresses a {};
    for (unsigned i = 0; i < 32; ++i) a[i] = base + stride * i;
    return a;
}

} // namespace memsim::test
