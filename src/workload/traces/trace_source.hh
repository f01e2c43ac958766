#pragma once

#include "gpu_program/kernel_source.hh"
#include "workload/traces/accelsim_kernel.hh"
#include "workload/traces/trace_list.hh"
#include "workload/traces/trace_memory.hh"

#include <map>
#include <memory>

namespace memsim::workload {

/// Arithmetic of a trace. stretches: instructions between others, each of which needs the one
/// before. units: operations of the units that their opcodes name, which need the results that
/// their registers name.
enum class TraceArithmetic : std::uint8_t { stretches, units };
constexpr std::array<std::string_view, 2> names_of(TraceArithmetic) {
    return {"stretches", "units"};
}

struct TraceSourceOptions {
    std::uint64_t page = 2 << 20;
    std::uint64_t memory = std::uint64_t {4} << 30;
    std::uint32_t repeat = 1;
    std::uint64_t local = 4096; ///< local memory per thread
    bool outside = false;       ///< kernels may lie outside of the list's folder
    std::string stream {};      ///< the only stream to play: workload.TraceProgram
    TraceArithmetic arithmetic = TraceArithmetic::stretches;
};

/// An Accel-Sim trace as an application. Each block is read on demand, and its warps become
/// streams. An operation waits for the loads that last wrote its registers. State holds the
/// position in the list and the file, and the places of pages. For a trace with several streams, it
/// plays the first one and creates a source for each of the others, which share its memory. Their
/// pages are placed in advance in list order, so that places do not depend on the timing of
/// streams.
class TraceSource final : public gpu_program::KernelSource {
  public:
    struct State {
        std::string input;         ///< digest of the list and the sizes of its files
        std::uint32_t round = 0;   ///< of `repeat`
        std::uint64_t command = 0; ///< the next in the list
        bool in_kernel = false;    ///< command - 1 is a kernel with blocks left
        std::uint32_t next_block = 0;
        std::uint64_t line = 0, byte = 0; ///< where that block begins
        std::vector<std::string> names;   ///< of kernels, in the order of their first use
        std::uint64_t instructions = 0, launches = 0;
        TraceMemory memory;
    };

    TraceSource(const std::string& path, const TraceSourceOptions& options);

    bool next_launch(gpu_program::Launch& launch) override;
    void run_block(std::uint32_t block, gpu_program::BlockStreams& out) override;
    std::uint32_t streams() const override {
        return static_cast<std::uint32_t>(others_.size() + 1);
    }
    gpu_program::KernelSource& stream(std::uint32_t number) override;
    std::uint64_t footprint_bytes() const override { return options_.memory; }
    std::uint64_t local_bytes() const override { return options_.local; }
    void reserve_local(std::uint64_t bytes) override { state.memory.reserve_local(bytes); }
    const std::vector<gpu_program::Allocation>& allocations() const override {
        return allocations_;
    }
    std::vector<std::string> inputs() const override;
    std::uint64_t result_digest() const override;
    void save(Saver& to) const override;
    void load(Loader& from) override;

    State state;

  private:
    using Registers = std::array<std::uint64_t, 256>;

    TraceSource(const std::string& path, const TraceSourceOptions& options, TraceSource& shared)
        : path_(path), options_(options), commands_(shared.commands_), shared_(&shared) {}

    void take_copies();
    void choose_stream();
    void keep_stream(const std::map<std::string, std::string>& stream_of, const std::string& kept);
    void place_pages();
    void open(const std::string& path);
    TraceMemory& traced_memory() { return shared_ ? shared_->state.memory : state.memory; }
    bool in_unit(const SassInstruction& i) const {
        return options_.arithmetic == TraceArithmetic::units && i.opcode.unit;
    }
    /// The results that the instruction waits for. `operands`: those of arithmetic.
    std::uint64_t waits_of(const SassInstruction& i, std::uint64_t& operands);
    void execute(const SassInstruction& i, gpu_program::WarpStreamWriter& stream,
                 std::uint64_t waits);
    void write(const SassInstruction& i, gpu_program::WarpStreamWriter& stream, bool last);
    void access(const SassInstruction& i, gpu_program::WarpStreamWriter& stream,
                std::uint64_t waits);
    std::uint64_t local_offset(std::uint64_t address, unsigned width) const;
    SassSpace space_of(const SassInstruction& i) const;
    void produce(const SassInstruction& i);

    std::string path_;
    TraceSourceOptions options_;
    std::vector<TraceCommand> commands_;
    TraceSource* shared_ = nullptr; ///< owner of the shared memory and names, if not this object
    std::vector<std::unique_ptr<TraceSource>> others_;
    std::vector<gpu_program::Allocation> allocations_;
    std::unique_ptr<AccelSimKernel> kernel_;
    std::uint32_t pc_base_ = 0;
    // For the warp being read: the number of the result last written to each register, from 1; 0:
    // none that must be waited for.
    Registers result_of_ {};
    std::uint64_t results_ = 0;
    Registers arithmetic_of_ {}; ///< the same for arithmetic operations
    std::uint64_t arithmetic_ = 0;
    std::uint64_t copies_ =
        0; ///< result number of the first LDGSTS that was not waited for; 0: none
    gpu_program::WarpStreamWriter::Addresses address_ {};
};

static_assert(checkpointable<TraceSource::State>());

} // namespace memsim::workload
