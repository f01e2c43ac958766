#include "workload/traces/trace_source.hh"

#include "core/base/bits.hh"
#include "core/base/hash.hh"
#include "core/base/heed.hh"
#include "device_parts/named.hh"
#include "workload/traces/bank_conflicts.hh"

#include <algorithm>
#include <filesystem>
#include <set>

namespace memsim::workload {

using gpu_program::WarpOpKind;

namespace {

constexpr std::string_view all_streams = "in_order";
constexpr unsigned zero_register = 255;
constexpr std::uint64_t window = 16 << 20; ///< of shared and of local memory, in the generic space
/// The first PC of a kernel. The first 1024 kernels are 4 MiB apart. The next 1024 begin in the
/// middle between two of them, the 2048 after those in the middle of the halves, and so on.
std::uint32_t first_pc(std::uint32_t kernel) {
    std::uint32_t pc = kernel << 22, half = 1u << 21;
    for (std::uint32_t round = kernel >> 10; round; round >>= 1, half >>= 1)
        if (round & 1) pc += half;
    return pc;
}

std::string digest_of(const std::vector<TraceCommand>& commands) {
    Digest digest;
    for (const TraceCommand& c : commands)
        digest.add(c.kernel.empty() ? std::to_string(c.address) + "," + std::to_string(c.bytes)
                                    : std::filesystem::path(c.kernel).filename().string() + "," +
                                          std::to_string(std::filesystem::file_size(c.kernel)));
    return digest.value;
}

} // namespace

TraceSource::TraceSource(const std::string& path, const TraceSourceOptions& options)
    : path_(path), options_(options), commands_(read_trace_list(path, options.outside)) {
    state.memory.set(options.page, options.memory);
    take_copies();
    choose_stream();
    state.input = digest_of(commands_);
}

/// Copied data are present from the start, placed in list order.
void TraceSource::take_copies() {
    std::set<std::uint64_t> known;
    for (const TraceCommand& c : commands_) {
        if (!c.kernel.empty() || c.bytes == 0) continue;
        heed();
        for (std::uint64_t a = c.address; a < c.address + c.bytes; a += options_.page)
            state.memory.global(a);
        state.memory.global(c.address + c.bytes - 1);
        const std::uint64_t base = state.memory.global(c.address);
        if (known.insert(base).second)
            allocations_.push_back(
                {"copy " + std::to_string(allocations_.size() + 1), base, c.bytes});
    }
}

/// Assigns the kernels to streams, unless one stream or the list's order is selected.
void TraceSource::choose_stream() {
    if (options_.stream == all_streams) return;
    std::map<std::string, std::string> stream_of; // by kernel file
    std::vector<std::string> streams;             // in list order
    for (const TraceCommand& c : commands_) {
        if (c.kernel.empty() || stream_of.contains(c.kernel)) continue;
        heed();
        const std::string s = std::to_string(AccelSimKernel(c.kernel).header().stream);
        stream_of[c.kernel] = s;
        if (std::find(streams.begin(), streams.end(), s) == streams.end()) streams.push_back(s);
    }
    if (!options_.stream.empty()) {
        if (std::find(streams.begin(), streams.end(), options_.stream) == streams.end()) {
            std::string list;
            for (const std::string& s : streams) list += (list.empty() ? "" : ", ") + s;
            throw ConfigError(path_ + ": has no kernel of stream '" + options_.stream +
                              "': its streams are " + list + "; 'in_order' plays all of them");
        }
        return keep_stream(stream_of, options_.stream);
    }
    if (streams.size() == 1) return;
    place_pages();
    for (std::size_t s = 1; s < streams.size(); ++s) {
        others_.emplace_back(new TraceSource(path_, options_, *this));
        others_.back()->keep_stream(stream_of, streams[s]);
        others_.back()->state.input = digest_of(others_.back()->commands_);
    }
    keep_stream(stream_of, streams[0]);
}

void TraceSource::keep_stream(const std::map<std::string, std::string>& stream_of,
                              const std::string& kept) {
    std::erase_if(commands_, [&](const TraceCommand& c) {
        return !c.kernel.empty() && stream_of.at(c.kernel) != kept;
    });
}

/// Reads all kernels once in list order and keeps only the places of pages and names.
void TraceSource::place_pages() {
    TraceSourceOptions once = options_;
    once.repeat = 1;
    TraceSource all(path_, once, *this);
    gpu_program::Launch launch;
    gpu_program::BlockStreams out;
    while (all.next_launch(launch))
        for (std::uint32_t block = 0; block < launch.blocks(); ++block) {
            heed();
            all.run_block(block, out);
        }
}

gpu_program::KernelSource& TraceSource::stream(std::uint32_t number) {
    return number == 0 ? *this : *device_parts::named(others_, number - 1);
}

std::vector<std::string> TraceSource::inputs() const {
    std::vector<std::string> all {path_};
    for (const TraceCommand& c : commands_)
        if (!c.kernel.empty()) all.push_back(c.kernel);
    for (const auto& other : others_)
        for (const TraceCommand& c : other->commands_)
            if (!c.kernel.empty()) all.push_back(c.kernel);
    return all;
}

std::uint64_t TraceSource::result_digest() const {
    std::uint64_t digest = state.instructions * 0x9e3779b97f4a7c15 + state.launches;
    for (const auto& other : others_) digest += other->result_digest();
    return digest;
}

void TraceSource::open(const std::string& path) {
    kernel_ = std::make_unique<AccelSimKernel>(path);
    auto& names = shared_ ? shared_->state.names : state.names;
    auto at = std::find(names.begin(), names.end(), kernel_->header().name);
    if (at == names.end()) at = names.insert(names.end(), kernel_->header().name);
    pc_base_ = first_pc(static_cast<std::uint32_t>(at - names.begin()));
}

void TraceSource::save(Saver& to) const {
    to(state);
    for (const auto& other : others_) other->save(to);
}

void TraceSource::load(Loader& from) {
    State loaded;
    loaded.memory.set(options_.page, options_.memory);
    from(loaded);
    if (loaded.input != state.input)
        throw ConfigError("the checkpoint was taken with another trace: restore the original "
                          "files, or start again without --restore");
    from.check(loaded.command <= commands_.size() && (!loaded.in_kernel || loaded.command > 0),
               "command does not belong to the trace's list");
    state = std::move(loaded);
    kernel_.reset();
    if (state.in_kernel) {
        open(commands_[state.command - 1].kernel);
        kernel_->file().go_to({state.line, state.byte});
    }
    for (const auto& other : others_) other->load(from);
}

bool TraceSource::next_launch(gpu_program::Launch& launch) {
    while (state.command < commands_.size() && commands_[state.command].kernel.empty())
        ++state.command;
    if (state.command == commands_.size()) {
        if (++state.round >= options_.repeat) return false;
        state.command = 0;
        return next_launch(launch);
    }
    open(commands_[state.command++].kernel);
    const AccelSimKernel::Header& header = kernel_->header();
    launch = {header.name, header.grid, header.block, header.registers, header.shared_bytes};
    state.in_kernel = true;
    state.next_block = 0;
    state.line = kernel_->file().place().line;
    state.byte = kernel_->file().place().byte;
    ++state.launches;
    return true;
}

void TraceSource::run_block(std::uint32_t block, gpu_program::BlockStreams& out) {
    MEMSIM_ASSERT(state.in_kernel && block == state.next_block,
                  "blocks of a launch must be run in linear order, each once");
    const AccelSimKernel::Header& header = kernel_->header();
    const auto& size = header.block;
    const std::uint32_t warps = (size[0] * size[1] * size[2] + 31) / 32;
    out.counts = {};
    out.warps.resize(warps);
    for (auto& stream : out.warps) stream.clear();
    kernel_->begin_block(block);
    SassInstruction i;
    while (const auto warp = kernel_->next_warp()) {
        gpu_program::WarpStreamWriter stream(out.warps[*warp], out.counts);
        result_of_.fill(0);
        arithmetic_of_.fill(0);
        results_ = copies_ = arithmetic_ = 0;
        while (kernel_->next(i)) write(i, stream, kernel_->instructions_left() == 0);
        stream.flush();
    }
    // A warp without traced instructions ends at once.
    for (auto& bytes : out.warps)
        if (bytes.empty()) gpu_program::WarpStreamWriter(bytes, out.counts).exit(0);
    state.instructions += out.counts.warp_instructions;
    ++state.next_block;
    state.line = kernel_->file().place().line;
    state.byte = kernel_->file().place().byte;
    if (state.next_block == header.grid[0] * header.grid[1] * header.grid[2]) {
        kernel_->end();
        state.in_kernel = false;
    }
}

/// The trace lists the first register of a group: an address uses two registers, a value of 8 or 16
/// bytes two or four, a tile of a matrix operation two at least.
std::uint64_t TraceSource::waits_of(const SassInstruction& i, std::uint64_t& operands) {
    operands = 0;
    if (results_ == 0 && arithmetic_ == 0) return 0;
    std::uint64_t waits = 0;
    const auto need = [&](unsigned first, unsigned n) {
        const auto from = [&](std::uint64_t& result, std::uint64_t last, std::uint64_t& bits) {
            if (result == 0) return;
            if (last - result < 64) bits |= std::uint64_t {1} << (last - result);
            result = 0; // it is available, and so are older ones
        };
        for (unsigned r = first; r < first + n && r < zero_register; ++r) {
            from(result_of_[r], results_, waits);
            from(arithmetic_of_[r], arithmetic_, operands);
        }
    };
    const bool memory = i.opcode.space != SassSpace::none;
    const bool matrix = i.opcode.kind == SassKind::matrix;
    const unsigned value = memory || matrix ? std::max(1u, i.opcode.width / 4u)
                           : in_unit(i)     ? 1u + i.opcode.wide_result
                                            : 1u;
    const unsigned group = memory       ? std::max(2u, value)
                           : matrix     ? 2u
                           : in_unit(i) ? 1u + i.opcode.wide_sources
                                        : 1u;
    for (unsigned s = 0; s < i.sources; ++s) need(i.source[s], group);
    for (unsigned d = 0; d < i.destinations; ++d) need(i.destination[d], value);
    if (i.opcode.kind == SassKind::wait_copies && copies_ != 0) {
        // All outstanding copies, because no register states how many may remain outstanding.
        waits |= low_bits(std::min<std::uint64_t>(results_ - copies_ + 1, 64));
        copies_ = 0;
    }
    return waits;
}

void TraceSource::produce(const SassInstruction& i) {
    ++results_;
    if (i.opcode.kind == SassKind::copy && copies_ == 0) copies_ = results_;
    const unsigned group = std::max(1u, i.opcode.width / 4u);
    for (unsigned d = 0; d < i.destinations; ++d)
        for (unsigned r = i.destination[d]; r < i.destination[d] + group && r < zero_register; ++r)
            result_of_[r] = results_;
}

/// The address space of a generic access, determined by the windows of shared and local memory.
SassSpace TraceSource::space_of(const SassInstruction& i) const {
    if (i.opcode.space != SassSpace::generic) return i.opcode.space;
    const auto& header = kernel_->header();
    const auto of = [&](std::uint64_t a) {
        if (header.shared_base && a - header.shared_base < window) return SassSpace::shared;
        if (header.local_base && a - header.local_base < window) return SassSpace::local;
        return SassSpace::global;
    };
    const SassSpace first = of(i.address[static_cast<unsigned>(std::countr_zero(i.mask))]);
    for (std::uint32_t rest = i.mask; rest; rest &= rest - 1)
        if (of(i.address[static_cast<unsigned>(std::countr_zero(rest))]) != first)
            kernel_->file().refuse_line("a generic access spans several of global, shared and "
                                        "local memory, which is not supported");
    return first;
}

void TraceSource::write(const SassInstruction& i, gpu_program::WarpStreamWriter& stream,
                        bool last) {
    std::uint64_t operands;
    const std::uint64_t waits = waits_of(i, operands);
    stream.needs_arithmetic(operands);
    if (i.opcode.space != SassSpace::none && i.mask != 0)
        access(i, stream, waits);
    else if (i.opcode.kind == SassKind::barrier && i.mask != 0)
        stream.barrier(i.mask, waits);
    else if (i.opcode.kind == SassKind::exit && last)
        stream.exit(i.mask, waits);
    else if (i.opcode.kind == SassKind::matrix && i.mask != 0) {
        stream.matrix(i.mask, i.opcode.products, waits);
        produce(i);
    } else if (in_unit(i))
        execute(i, stream, waits);
    else
        stream.compute(i.mask, 1, waits);
    if (last && i.opcode.kind != SassKind::exit) stream.exit(0); // its EXIT was not traced
}

void TraceSource::execute(const SassInstruction& i, gpu_program::WarpStreamWriter& stream,
                          std::uint64_t waits) {
    stream.arithmetic(*i.opcode.unit, i.mask, 1, false, waits);
    ++arithmetic_;
    for (unsigned d = 0; d < i.destinations; ++d)
        for (unsigned n = 0; n < 1u + i.opcode.wide_result; ++n)
            if (const unsigned r = i.destination[d] + n; r < zero_register)
                arithmetic_of_[r] = arithmetic_;
}

/// The offset of an access in its thread's local memory, which the thread sees through a window:
/// the stack ends at the end of the window; other data start at its start.
std::uint64_t TraceSource::local_offset(std::uint64_t address, unsigned width) const {
    address &= window - 1;
    const bool stack = address >= window / 2;
    const std::uint64_t depth = stack ? window - address : address + width;
    if (depth > options_.local)
        kernel_->file().refuse_line("the access lies " + std::to_string(depth) +
                                    " bytes into its thread's local memory, which has " +
                                    std::to_string(options_.local) +
                                    ": set local_memory of the workload.TraceProgram");
    if (stack && depth < width)
        kernel_->file().refuse_line("the access leaves the window of local memory, 16 MiB");
    return stack ? options_.local - depth : address;
}

void TraceSource::access(const SassInstruction& i, gpu_program::WarpStreamWriter& stream,
                         std::uint64_t waits) {
    const std::uint32_t pc = pc_base_ + i.pc;
    const SassSpace space = space_of(i);
    const SassKind kind = i.opcode.kind;
    if (space == SassSpace::shared) {
        const bool result = kind == SassKind::load || kind == SassKind::atomic;
        stream.shared(pc, i.mask, bank_passes(i.mask, i.opcode.width, i.address), result, waits);
        if (result) produce(i);
        return;
    }
    const bool local = space == SassSpace::local;
    if (local) traced_memory().touch_local();
    const std::uint64_t local_base =
        i.opcode.space == SassSpace::generic ? kernel_->header().local_base : 0;
    for (std::uint32_t rest = i.mask; rest; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        address_[lane] = local ? local_offset(i.address[lane] - local_base, i.opcode.width)
                               : traced_memory().global(i.address[lane]);
    }
    const WarpOpKind op = kind == SassKind::store    ? WarpOpKind::store
                          : kind == SassKind::atomic ? WarpOpKind::atomic
                          : kind == SassKind::reduce ? WarpOpKind::reduce
                                                     : WarpOpKind::load;
    if (kind == SassKind::copy)
        stream.copy(pc, i.mask, i.opcode.width, address_, waits);
    else
        stream.access(op, pc, i.mask, i.opcode.width, address_, nullptr, waits, local);
    if (kind != SassKind::store && kind != SassKind::reduce) produce(i);
}

} // namespace memsim::workload
