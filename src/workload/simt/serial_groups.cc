#include "workload/simt/serial_groups.hh"

#include "core/kernel/registry.hh"
#include "workload/application.hh"
#include "workload/simt/lockstep.hh"

namespace memsim::workload {

using gpu_program::BlockStreams;
using gpu_program::Launch;

static const Registration<SerialGroups> serial_groups {
    "Runs the work-groups of an application in hardware threads, one after the other."};

namespace {

/// The launches of another application, distributed over hardware threads. Its
/// state consists of the other's state and the current launch.
class SerialSource final : public gpu_program::KernelSource {
  public:
    SerialSource(gpu_program::KernelSource& of, const SerialGroups::Params& params,
                 SerialLaunch& launch)
        : of_(of), params_(params), launch_(launch) {}

    bool next_launch(Launch& launch) override {
        if (!of_.next_launch(launch)) return false;
        launch_ = SerialLaunch::of(launch.blocks(), params_.warps(), params_.lanes());
        launch.grid = {launch_.blocks(), 1, 1};
        launch.block = {params_.lanes(), 1, 1};
        launch.shared_bytes = 0;
        return true;
    }
    void run_block(std::uint32_t block, BlockStreams& out) override {
        const std::uint32_t lanes = params_.lanes();
        groups_.resize(lanes);
        streams_.with_values = out.with_values;
        std::uint32_t phases = 0, warps = 0, active = 0;
        for (std::uint32_t i = 0; i < lanes; ++i) {
            const std::uint32_t g = launch_.group(block, i, lanes, params_.order());
            if (g == SerialLaunch::none) {
                groups_[i].decode({});
                continue;
            }
            of_.run_block(g, streams_);
            groups_[i].decode(streams_.warps);
            active |= 1u << i;
            phases = std::max(phases, groups_[i].phases());
            warps = std::max(warps, groups_[i].warps());
        }
        out.counts = {};
        out.warps.resize(1);
        out.warps[0].clear();
        gpu_program::WarpStreamWriter writer(out.warps[0], out.counts);
        Lockstep lockstep(writer, lanes);
        std::vector<Lockstep::Item> items(lanes);
        for (std::uint32_t phase = 0; phase < phases; ++phase)
            for (std::uint32_t thread = 0; thread < warps * gpu_program::warp_lanes; ++thread) {
                const std::uint32_t w = thread / gpu_program::warp_lanes;
                const std::uint32_t t = thread % gpu_program::warp_lanes;
                for (std::uint32_t i = 0; i < lanes; ++i) {
                    const GroupOperations& g = groups_[i];
                    const bool has = w < g.warps() && g.threads(w) >> t & 1;
                    items[i] = {has ? g.phase(w, phase) : nullptr, t};
                }
                lockstep.run(items, params_.item_instructions());
            }
        writer.exit(active);
    }

    std::vector<gpu_program::MemoryView> memory() const override { return of_.memory(); }
    void note_host_writes() override { of_.note_host_writes(); }
    std::vector<gpu_program::HostWrite> take_host_writes() override {
        return of_.take_host_writes();
    }
    std::uint64_t footprint_bytes() const override { return of_.footprint_bytes(); }
    const std::vector<gpu_program::Allocation>& allocations() const override {
        return of_.allocations();
    }
    std::vector<std::string> inputs() const override { return of_.inputs(); }
    std::uint64_t local_bytes() const override { return of_.local_bytes(); }
    void reserve_local(std::uint64_t bytes) override { of_.reserve_local(bytes); }
    std::uint64_t result_digest() const override { return of_.result_digest(); }
    void save(Saver& to) const override {
        of_.save(to);
        to(launch_);
    }
    void load(Loader& from) override {
        of_.load(from);
        from.field("launch", launch_);
    }

  private:
    gpu_program::KernelSource& of_;
    const SerialGroups::Params& params_;
    SerialLaunch& launch_;
    BlockStreams streams_;                ///< scratch space
    std::vector<GroupOperations> groups_; ///< scratch space
};

} // namespace

protocol::HasKernels& SerialGroups::application() const {
    return port.program.interface<protocol::HasKernels>();
}

gpu_program::KernelSource& SerialGroups::kernels() {
    if (serial_) return *serial_;
    gpu_program::KernelSource& of = application().kernels();
    // Only an Application runs its blocks in any order (KernelSource), which a cast finds.
    if (!dynamic_cast<Application*>(&of))
        refuse("program", port.program.neighbour_path() +
                              " runs its blocks in linear order only, like a recording: bind a "
                              "workload.Program");
    serial_ = std::make_unique<SerialSource>(of, params, state.launch);
    return *serial_;
}

std::string SerialGroups::kernel() const { return application().kernel(); }

/// An answer of the application means that it has started the launch.
void SerialGroups::wake() {
    while (!port.dispatcher.empty() && port.program.can_send())
        port.program.send(port.dispatcher.pop());
    while (!port.program.empty() && port.dispatcher.can_send()) {
        protocol::LaunchReply reply = port.program.pop();
        if (!reply.ended) {
            ++stat.launches;
            stat.groups += reply.blocks;
            state.launch = SerialLaunch::of(reply.blocks, params.warps(), params.lanes());
            reply.blocks = state.launch.blocks();
            reply.threads_per_block = params.lanes();
            reply.shared_bytes = 0;
        }
        port.dispatcher.send(reply);
    }
}

void SerialGroups::check_loaded(Loader& l) const {
    const SerialLaunch& s = state.launch;
    const bool begun = static_cast<const Application&>(application().kernels()).launches() != 0;
    l.within("launch", [&] {
        l.check((s.groups == 0 && !begun) ||
                    (s.groups != 0 && s.warps && s.rounds &&
                     std::uint64_t {s.warps} * s.rounds * params.lanes() >= s.groups &&
                     s.warps <= params.warps()),
                "does not distribute all work-groups");
    });
}

} // namespace memsim::workload
