#pragma once

#include "workload/simt/simt.hh"

#include <functional>
#include <optional>

/// The parts of an application in the catalogue: device memory, kernels, and a host that launches
/// them. `next()` is the host's program; each call performs one launch.
namespace memsim::workload {

/// Options of the user. An application ignores those that it does not use.
struct Options {
    std::string input;         ///< a file; empty: generated
    std::string generator;     ///< kind of a generated graph: kronecker, social, communities, grid,
                               ///< mesh, uniform
    u64 size = 0;              ///< unit: see Workload::size_is; 0: its default
    u32 degree = 16;           ///< edges drawn per vertex of a Kronecker graph
    u64 seed = 1;              ///< of generated inputs
    std::optional<u32> source; ///< of a search; none: the vertex with the most arcs
    u32 iterations = 0;        ///< 0: the workload's default
    u32 threads_per_block = 0; ///< 0: the workload's usual block size
    u64 operation_limit = 1 << 24; ///< warp operations per block [A]: some 100 MB of streams
    u64 first_address = 0;         ///< of a part of a Sequence: start of its arrays
    u32 first_kernel =
        0; ///< of a part of a Sequence: number of its first kernel, which determines PCs
};

/// An invalid option. `option` is its name in the user interface.
class BadOption : public ConfigError {
  public:
    BadOption(std::string which, const std::string& why)
        : ConfigError(why), option(std::move(which)) {}
    std::string option;
};

/// The progress of an application.
struct Progress {
    Launch launch;    ///< the current one
    u32 kernel = 0;   ///< its number in the application
    u32 launches = 0; ///< started so far
    u32 next_block = 0;
};

using Dim = std::array<u32, 3>;

enum class Counted : std::uint8_t {
    by_rule,     ///< each operator counts as an instruction
    machine_code ///< compute(n) states the count
};

class Application : public KernelSource {
  public:
    explicit Application(const Options& options);

    bool next_launch(Launch& launch) override;
    void run_block(u32 block, BlockStreams& out) override;
    std::vector<gpu_program::MemoryView> memory() const override { return memory_.views(); }
    void note_host_writes() override { notes_host_writes_ = true; }
    std::vector<gpu_program::HostWrite> take_host_writes() override {
        return std::exchange(host_writes_, {});
    }
    u64 footprint_bytes() const override { return memory_.bytes(); }
    const std::vector<Allocation>& allocations() const override { return memory_.allocations(); }
    std::vector<std::string> inputs() const override {
        return options_.input.empty() ? std::vector<std::string> {} : std::vector {options_.input};
    }
    u64 result_digest() const override { return memory_.digest(false); }
    /// Digest of all arrays that kernels only read.
    u64 input_digest() const;
    void save(Saver& to) const override;
    void load(Loader& from) override;
    u32 launches() const { return progress_.launches; } ///< started so far
    u32 kernel_count() const { return static_cast<u32>(kernels_.size()); }

    /// After the end: a sentence about the first difference between device memory and a plain
    /// reference program for the same input; empty if there is none.
    virtual std::string difference() const = 0;

  protected:
    /// The host's program: calls launch() once, or returns false at the end.
    virtual bool next() = 0;
    /// Variables of the host.
    virtual void save_host(Saver&) const {}
    virtual void load_host(Loader&) {}

    /// Registers a kernel with the body of a warp (Warp&) or a block (Block&). Returns its number
    /// for launch().
    template <class F>
    u32 kernel(const char* name, u32 registers_per_thread, F body,
               Counted counted = Counted::by_rule, u32 shared_bytes = 0) {
        kernels_.push_back({name, registers_per_thread, shared_bytes, counted, {}});
        if constexpr (std::is_invocable_v<F, Block&>)
            kernels_.back().body = body;
        else
            kernels_.back().body = [body](Block& block) { block.each(body); };
        return static_cast<u32>(kernels_.size() - 1);
    }
    /// Launches at least `threads` threads in one dimension, in blocks of `size` or of the user's
    /// choice.
    void launch(u32 kernel, u64 threads, u32 size = 256);
    void launch(u32 kernel, const Dim& grid, const Dim& block);

    u32 threads_or(u32 usual) const {
        return options_.threads_per_block ? options_.threads_per_block : usual;
    }

    const Options options_;
    DeviceMemory memory_;

  private:
    struct Kernel {
        std::string name;
        u32 registers_per_thread;
        u32 shared_bytes;
        Counted counted;
        std::function<void(Block&)> body;
    };

    Progress progress_;
    bool notes_host_writes_ = false;
    std::vector<gpu_program::HostWrite> host_writes_;
    std::vector<Kernel> kernels_;
    mutable u64 input_digest_ = 0; ///< 0: not computed yet
};

/// An application whose host has variables: an aggregate of values. It must not be declared in an
/// unnamed namespace, because reflection needs its name.
template <class Host>
class HostedApplication : public Application {
    static_assert(checkpointable<Host>());

  public:
    using Application::Application;

  protected:
    Host host;

  private:
    void save_host(Saver& to) const final { to(host); }
    void load_host(Loader& from) final { from(host); }
};

/// Returns a sentence like "rank[17] is 3, but the reference has 4"; empty if all are equal.
template <class T>
std::string first_difference(const std::string& name, std::span<const T> ours,
                             std::span<const T> reference) {
    if (ours.size() != reference.size())
        return name + " has " + std::to_string(ours.size()) + " elements, but the reference has " +
               std::to_string(reference.size());
    for (std::size_t i = 0; i < ours.size(); ++i)
        if (bits_of(ours[i]) != bits_of(reference[i]))
            return name + "[" + std::to_string(i) + "] is " + std::to_string(ours[i]) +
                   ", but the reference has " + std::to_string(reference[i]);
    return "";
}
template <class T>
std::string first_difference(const std::string& name, const Array<T>& ours,
                             const std::vector<T>& reference) {
    return first_difference<T>(name, std::span<const T>(ours.host()), reference);
}

} // namespace memsim::workload
