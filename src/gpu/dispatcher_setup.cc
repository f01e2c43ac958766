#include "gpu/dispatcher.hh"
#include "program/local_memory.hh"

#include <algorithm>

/// How applications share a machine: who has which SMs and which addresses.
namespace memsim::gpu {

namespace {

/// '10,6': the parts of a list.
std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; !list.empty() && at <= list.size();) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        const std::size_t first = std::min(list.find_first_not_of(' ', at), comma);
        parts.push_back(list.substr(first, comma - first));
        at = comma + 1;
    }
    return parts;
}

} // namespace

void Dispatcher::init() {
    shares_.resize(params.applications());
    for (unsigned i = 0; i < params.applications(); ++i) {
        auto* host = dynamic_cast<protocol::HasKernels*>(&port.host[i].peer()->owner());
        MEMSIM_ASSERT(host, "a Host responder must offer its kernels");
        shares_[i].kernels = &host->kernels();
        if (sim().contents().enabled()) {
            if (shares_[i].kernels->memory().empty())
                refuse("host", "application " + std::to_string(i) +
                                   " has no values, as traces of addresses have none: build the "
                                   "machine without contents");
            shares_[i].kernels->note_host_writes();
        }
        check_first_launch(i);
    }
    split_sms();
    place_applications();
    state.applications.resize(params.applications());
    state.used.resize(params.sms());
}

/// A block that fits in no SM is refused before time 0, where the first launch has it.
void Dispatcher::check_first_launch(std::uint32_t application) {
    program::KernelSource& kernels = *shares_[application].kernels;
    Saver before;
    kernels.save(before);
    program::Launch l;
    if (kernels.next_launch(l))
        need(application,
             {false, 1, l.blocks(), l.threads_per_block(), l.registers_per_thread, l.shared_bytes});
    Loader back(before.bytes);
    kernels.load(back);
    if (params.when_one_ends() == WhenOneEnds::repeat)
        shares_[application].initial = std::move(before.bytes);
}

void Dispatcher::split_sms() {
    const unsigned n = params.applications();
    if (params.partition() == Partition::shared) {
        if (!params.sm_split->empty())
            refuse("sm_split", "applications that share all SMs have none of their own: leave it "
                               "empty or take partition='spatial'");
        for (Share& s : shares_) s.end_sm = params.sms();
        return;
    }
    std::vector<std::uint64_t> split;
    for (const std::string& part : parts_of(params.sm_split())) {
        try {
            split.push_back(Text<unsigned>::parse(part));
        } catch (const ConfigError& e) {
            refuse("sm_split", e.what());
        }
        if (split.back() == 0) refuse("sm_split", "each application needs at least one SM");
    }
    if (split.empty()) {
        if (n > params.sms())
            refuse("sms", std::to_string(n) + " applications need an SM each, and there are " +
                              std::to_string(params.sms()) + ": more SMs, or partition='shared'");
        for (unsigned i = 0; i < n; ++i) split.push_back(params.sms() / n + (i < params.sms() % n));
    }
    std::uint64_t sum = 0;
    for (std::uint64_t sms : split) sum += sms;
    if (split.size() != n || sum != params.sms())
        refuse("sm_split", "'" + params.sm_split() + "' is for " + std::to_string(split.size()) +
                               " applications and " + std::to_string(sum) + " SMs, but there are " +
                               std::to_string(n) + " and " + std::to_string(params.sms()));
    std::uint32_t sm = 0;
    for (unsigned i = 0; i < n; ++i) {
        shares_[i].first_sm = sm;
        shares_[i].end_sm = sm += static_cast<std::uint32_t>(split[i]);
    }
}

void Dispatcher::place_applications() {
    const std::vector<std::string> bases = parts_of(params.bases());
    if (params.translated()) {
        if (!bases.empty()) refuse("bases", "an MMU places pages: leave it empty");
        return;
    }
    if (!bases.empty() && bases.size() != params.applications())
        refuse("bases", "'" + params.bases() + "' has " + std::to_string(bases.size()) +
                            " addresses for " + std::to_string(params.applications()) +
                            " applications");
    const auto step = static_cast<std::uint64_t>(params.base_alignment->raw);
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        Share& s = shares_[i];
        s.base = next;
        if (!bases.empty()) try {
                s.base = static_cast<std::uint64_t>(Text<Bytes>::parse(bases[i]).raw);
            } catch (const ConfigError& e) {
                refuse("bases", e.what());
            }
        next = (s.base + s.kernels->footprint_bytes() + step - 1) / step * step;
    }
}

/// With an MMU their addresses are not those of memory.
std::vector<MemoryUse> Dispatcher::memory_uses() const {
    std::vector<MemoryUse> uses;
    for (std::size_t i = 0; i < shares_.size() && !params.translated(); ++i)
        uses.push_back({"the data of application " + std::to_string(i), shares_[i].base,
                        shares_[i].kernels->footprint_bytes()});
    return uses;
}

/// A block's share of an SM, rounded as the hardware hands it out. Refuses one that does not fit.
Dispatcher::Resources Dispatcher::need(std::uint32_t application,
                                       const protocol::LaunchReply& launch) const {
    const auto up = [](std::uint64_t value, std::uint64_t unit) {
        return (value + unit - 1) / unit * unit;
    };
    const std::uint64_t warps = (launch.threads_per_block + 31) / 32;
    const std::uint64_t registers = up(warps, params.warp_unit()) *
                                    up(launch.registers_per_thread * 32, params.register_unit());
    const std::uint64_t shared =
        up(launch.shared_bytes, static_cast<std::uint64_t>(params.shared_unit->raw));
    if (warps > params.warp_slots() || registers > params.registers() ||
        shared > static_cast<std::uint64_t>(params.shared->raw))
        throw ConfigError(path() + ": a block of " + std::to_string(launch.threads_per_block) +
                          " threads with " + std::to_string(launch.registers_per_thread) +
                          " registers each and " + std::to_string(launch.shared_bytes) +
                          " bytes of shared memory (launch " + std::to_string(launch.launch) +
                          " of application " + std::to_string(application) +
                          ") does not fit in an SM of " + std::to_string(params.warp_slots()) +
                          " warps, " + std::to_string(params.registers()) + " registers and " +
                          Text<Bytes>::show(params.shared()) + " of shared memory");
    return {1, static_cast<std::uint32_t>(warps), static_cast<std::uint32_t>(registers),
            static_cast<std::uint32_t>(shared)};
}

/// Blocks of this kind that an SM still takes: the scarcest of its slots, warps, registers and
/// shared memory decides.
std::uint32_t Dispatcher::room(const Resources& used, const Resources& block) const {
    std::uint32_t n = std::min(params.block_slots() - used.blocks,
                               (params.warp_slots() - used.warps) / block.warps);
    if (block.registers) n = std::min(n, (params.registers() - used.registers) / block.registers);
    const auto shared = static_cast<std::uint32_t>(params.shared->raw);
    if (block.shared) n = std::min(n, (shared - used.shared) / block.shared);
    return n;
}

std::uint32_t Dispatcher::local_warp() const {
    return static_cast<std::uint32_t>(params.sms() * program::local_row_bytes);
}

/// Where the local memory of the application's launch begins: all of it lies at the end of the
/// application's addresses, a pool before the other.
std::uint64_t Dispatcher::place_local(std::uint32_t application) {
    program::KernelSource& kernels = *shares_[application].kernels;
    const std::uint64_t pool = kernels.local_bytes() / 4 * local_row();
    if (pool == 0) return 0;
    Application& a = state.applications[application];
    const bool all = params.local_pool() == LocalPool::context;
    const std::uint32_t kind = all ? 0 : a.block.warps * room({}, a.block);
    auto at = std::find(a.local_pools.begin(), a.local_pools.end(), kind);
    if (at == a.local_pools.end()) at = a.local_pools.insert(at, kind);
    kernels.reserve_local(a.local_pools.size() * pool);
    const auto before = static_cast<std::uint64_t>(at - a.local_pools.begin()) + 1;
    return kernels.footprint_bytes() - before * pool;
}

} // namespace memsim::gpu
