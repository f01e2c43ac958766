#include "workload/application.hh"

#include "gpu_program/memory_copy.hh"

namespace memsim::workload {

Application::Application(const Options& options)
    : options_(options), memory_(options.first_address) {
    if (options.threads_per_block > 1024)
        throw BadOption("threads_per_block", std::to_string(options.threads_per_block) +
                                                 " threads, but a block has 1 to 1024");
}

bool Application::next_launch(Launch& launch) {
    const Progress& p = progress_;
    MEMSIM_ASSERT(p.launches == 0 || p.next_block == p.launch.blocks(),
                  "a launch was requested before all blocks of the last one ran");
    gpu_program::MemoryCopy before;
    if (notes_host_writes_) before.take(*this);
    const bool more = next();
    if (notes_host_writes_)
        for (const gpu_program::HostWrite& w : before.changes()) host_writes_.push_back(w);
    if (more) launch = p.launch;
    return more;
}

void Application::launch(u32 kernel, u64 threads, u32 size) {
    size = threads_or(size);
    MEMSIM_ASSERT(threads > 0 && (threads - 1) / size < 0x7fffffff,
                  "a launch without threads or with too many");
    launch(kernel, {static_cast<u32>((threads - 1) / size + 1), 1, 1}, {size, 1, 1});
}

void Application::launch(u32 kernel, const Dim& grid, const Dim& block) {
    const Kernel& k = kernels_[kernel];
    progress_.launch = {k.name, grid, block, k.registers_per_thread, k.shared_bytes};
    progress_.kernel = kernel;
    progress_.next_block = 0;
    ++progress_.launches;
}

void Application::run_block(u32 block, BlockStreams& out) {
    Progress& p = progress_;
    // SerialGroups runs blocks in another order, each once.
    MEMSIM_ASSERT(p.next_block < p.launch.blocks() && block < p.launch.blocks(),
                  "more blocks are run than the launch has");
    ++p.next_block;
    const Kernel& k = kernels_[p.kernel];
    Block running({p.launch, options_.first_kernel + p.kernel, block, options_.operation_limit,
                   k.counted == Counted::by_rule, out});
    k.body(running);
    running.end();
}

u64 Application::input_digest() const {
    if (!input_digest_) input_digest_ = memory_.digest(true);
    return input_digest_;
}

void Application::save(Saver& to) const {
    to(input_digest());
    to(progress_);
    to(host_writes_);
    save_host(to);
    memory_.save(to);
}

void Application::load(Loader& from) {
    u64 input = 0;
    from(input);
    if (input != input_digest())
        throw ConfigError("the checkpoint was taken with another input: restore the original "
                          "input file, or start again without --restore");
    from.field("progress", progress_);
    from.check(progress_.launches == 0 || progress_.kernel < kernels_.size(),
               "progress names a kernel that the application does not have");
    host_writes_.clear(); // filling a vector keeps its length
    from.field("host_writes", host_writes_);
    load_host(from);
    memory_.load(from);
}

} // namespace memsim::workload
