#include "workload/recording.hh"

#include "core/base/bits.hh"
#include "core/base/error.hh"
#include "core/base/heed.hh"
#include "core/base/legible.hh"
#include "input_files/input_file.hh"
#include "workload/simt/simt.hh"

#include <algorithm>
#include <sstream>

namespace memsim::workload {

using gpu_program::u32;
using gpu_program::u64;
using gpu_program::u8;
using gpu_program::WarpOpKind;

namespace {

constexpr std::pair<const char*, WarpOpKind> kinds[] = {
    {"compute", WarpOpKind::compute},    {"load", WarpOpKind::load},
    {"store", WarpOpKind::store},        {"atomic", WarpOpKind::atomic},
    {"reduce", WarpOpKind::reduce},      {"barrier", WarpOpKind::barrier},
    {"shared_load", WarpOpKind::shared}, {"shared_store", WarpOpKind::shared}};

u32 shared_passes(const gpu_program::WarpStreamWriter::Addresses& address, u32 mask, u32 width) {
    std::array<u32, gpu_program::warp_lanes> in_block {};
    std::transform(address.begin(), address.end(), in_block.begin(),
                   [](u64 a) { return static_cast<u32>(a); });
    return bank_passes(mask, in_block, width);
}

constexpr u64 address_space = u64 {1} << 57;

} // namespace

Recording::Recording(const std::string& path) : path_(path) {
    input_files::check_regular(path);
    file_.open(path, std::ios::binary);
    if (!file_) refuse("cannot be read; memsim.simt.record() writes such a file");
    char magic[8] = {};
    file_.read(magic, sizeof magic);
    file_.read(reinterpret_cast<char*>(&index_), sizeof index_);
    if (!file_ || std::string_view(magic, 8) != "memsimS1" || index_ < 16)
        refuse("is not a complete recording of memsim.simt.record()");
    read_index();
}

void Recording::refuse(const std::string& what) const {
    throw ConfigError(legible(path_ + ": " + what));
}

void Recording::read_index() {
    file_.seekg(static_cast<std::streamoff>(index_));
    u64 number = 0;
    for (std::string line; std::getline(file_, line);) {
        heed();
        ++number;
        if (line.starts_with("end ")) {
            digest_ = line.substr(4);
            return;
        }
        read_line(line, number);
    }
    refuse("its index has no end: the file is truncated; record it again");
}

void Recording::read_line(const std::string& line, u64 number) {
    const auto wrong = [&](const std::string& what) {
        refuse("index line " + std::to_string(number) + ": " + what);
    };
    std::istringstream fields(line);
    std::string what, name;
    fields >> what >> name;
    name = legible(name);
    if (what == "array") {
        u64 base = 0, bytes = 0;
        fields >> base >> bytes;
        if (base > address_space || bytes > address_space - base)
            wrong("an array leaves the address space of 2^57 bytes");
        allocations_.push_back({name, base, bytes});
        footprint_ = std::max(footprint_, (base + bytes + 255) / 256 * 256);
    } else if (what == "launch") {
        Kernel kernel;
        kernel.launch.kernel = name;
        fields >> kernel.launch.grid[0] >> kernel.launch.block[0] >>
            kernel.launch.registers_per_thread;
        if (!fields.eof() && !(fields >> std::ws).eof()) fields >> kernel.launch.shared_bytes;
        fields.clear(fields.rdstate() & ~std::ios::eofbit);
        if (kernel.launch.grid[0] == 0 || kernel.launch.block[0] < 1 ||
            kernel.launch.block[0] > 1024)
            wrong("a launch must have at least one block, and a block 1 to 1024 threads");
        kernels_.push_back(std::move(kernel));
    } else if (what == "step") {
        if (kernels_.empty()) wrong("a step before the first launch");
        Step step;
        const auto kind = std::find_if(std::begin(kinds), std::end(kinds),
                                       [&](const auto& k) { return k.first == name; });
        if (kind == std::end(kinds)) wrong("there is no step '" + name + "'");
        step.kind = kind->second;
        step.has_result = name == "load" || name == "atomic" || name == "shared_load";
        u32 width = 0, needs = 0;
        fields >> step.pc >> width >> step.instructions >> step.active >> step.addresses >>
            step.values >> needs;
        step.width = static_cast<u8>(width);
        for (u32 i = 0, needed = 0; i < needs && fields >> needed; ++i) {
            if (needed >= kernels_.back().steps.size()) wrong("a step depends on a later one");
            step.needs.push_back(needed);
        }
        if ((touches_memory(step.kind) || step.kind == WarpOpKind::shared) &&
            (width == 0 || width > 16 || step.addresses == 0))
            wrong("an access must have a width of 1 to 16 bytes, and addresses");
        const u64 threads =
            u64 {kernels_.back().launch.blocks()} * kernels_.back().launch.threads_per_block();
        if (std::max(step.addresses, step.values) > index_ - std::min(index_, 8 * threads) ||
            step.active > index_ - std::min(index_, threads))
            wrong("an array of " + std::to_string(threads) + " threads does not fit in the file");
        kernels_.back().steps.push_back(std::move(step));
    } else
        wrong("'" + what + "' is not array, launch, step or end");
    if (!fields) wrong("it ends too early");
}

bool Recording::next_launch(gpu_program::Launch& launch) {
    MEMSIM_ASSERT(launches_ == 0 || next_block_ == kernels_[launches_ - 1].launch.blocks(),
                  "a launch was requested before all blocks of the last one ran");
    if (launches_ == kernels_.size()) return false;
    launch = kernels_[launches_++].launch;
    next_block_ = 0;
    return true;
}

void Recording::fetch(u64 place, u64 first, u64 n, u64 size, void* to) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(place + first * size));
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(n * size));
    if (!file_) refuse("became shorter during the run");
}

void Recording::run_block(u32 block, gpu_program::BlockStreams& out) {
    const Kernel& kernel = kernels_[launches_ - 1];
    MEMSIM_ASSERT(block == next_block_ && block < kernel.launch.blocks(),
                  "blocks of a launch must be run in linear order, each once");
    ++next_block_;
    const u32 threads = kernel.launch.threads_per_block(), warps = kernel.launch.warps_per_block();
    out.warps.resize(warps);
    for (auto& bytes : out.warps) bytes.clear();
    out.counts = {};
    std::vector<gpu_program::WarpStreamWriter> writers;
    for (auto& bytes : out.warps) writers.emplace_back(bytes, out.counts);
    std::vector<Warp> so_far(warps);
    active_.resize(threads);
    addresses_.resize(threads);
    values_.resize(threads);
    const u64 first = u64 {block} * threads;
    for (std::size_t s = 0; s < kernel.steps.size(); ++s) {
        const Step& step = kernel.steps[s];
        if (step.active)
            fetch(step.active, first, threads, 1, active_.data());
        else
            std::fill(active_.begin(), active_.end(), 1);
        if (step.addresses) fetch(step.addresses, first, threads, 8, addresses_.data());
        if (step.values && out.with_values) fetch(step.values, first, threads, 8, values_.data());
        for (u32 w = 0; w < warps; ++w)
            write_step(step, s, w, so_far[w], threads, writers[w], out.with_values);
    }
    for (u32 w = 0; w < warps; ++w) {
        const u32 in_warp =
            std::min(threads - w * gpu_program::warp_lanes, gpu_program::warp_lanes);
        writers[w].exit(low_bits<u32>(in_warp));
    }
}

void Recording::write_step(const Step& step, std::size_t number, u32 warp, Warp& so_far,
                           u32 threads, gpu_program::WarpStreamWriter& to, bool with_values) {
    const u32 first = warp * gpu_program::warp_lanes;
    const u32 lanes = std::min(threads - first, gpu_program::warp_lanes);
    u32 mask = 0;
    for (u32 i = 0; i < lanes; ++i) mask |= u32 {active_[first + i] != 0} << i;
    u64 waits = 0;
    for (u32 needed : step.needs)
        if (const u32 result = so_far.result_of[needed]; result && so_far.results - result < 64)
            waits |= u64 {1} << (so_far.results - result);
    so_far.result_of.resize(number + 1);
    if (mask == 0) return;
    if (step.kind == WarpOpKind::compute)
        to.compute(mask, step.instructions, waits);
    else if (step.kind == WarpOpKind::barrier)
        to.barrier(mask, waits);
    else {
        gpu_program::WarpStreamWriter::Addresses address {}, value {};
        std::copy_n(addresses_.begin() + first, lanes, address.begin());
        if (step.values) std::copy_n(values_.begin() + first, lanes, value.begin());
        if (step.kind == WarpOpKind::shared)
            to.shared(step.pc, mask, shared_passes(address, mask, step.width), step.has_result,
                      waits);
        else
            to.access(step.kind, step.pc, mask, step.width, address,
                      with_values && step.values ? &value : nullptr, waits);
    }
    if (step.has_result) so_far.result_of[number] = ++so_far.results;
}

void Recording::save(Saver& to) const {
    to(digest_);
    to(launches_);
    to(next_block_);
}

void Recording::load(Loader& from) {
    std::string digest;
    from(digest);
    if (digest != digest_)
        throw ConfigError("the checkpoint was taken with another recording than " + path_ +
                          ": restore the original file, or start again without --restore");
    from(launches_);
    from(next_block_);
    from.check(launches_ <= kernels_.size(), "more launches were started than were recorded");
}

} // namespace memsim::workload
