#include "script.hh"

#include "core/kernel/registry.hh"

namespace memsim::test {

static const Registration<ScriptHost> script_host {"A test's hand-written application."};

bool Script::next_launch(gpu_program::Launch& l) {
    if (given == launches) return false;
    if (!warps_of_launch.empty()) warps = warps_of_launch[given];
    ++given;
    l.kernel = "script";
    l.grid = {blocks, 1, 1};
    l.block = {warps * 32, 1, 1};
    l.registers_per_thread = registers_per_thread;
    l.shared_bytes = shared_bytes;
    return true;
}

void Script::run_block(gpu_program::u32, gpu_program::BlockStreams& out) {
    out.warps.assign(warps, {});
    out.counts = {};
    for (unsigned w = 0; w < warps; ++w) {
        gpu_program::WarpStreamWriter writer(out.warps[w], out.counts);
        write(writer, w);
        writer.exit(~0u);
    }
}

std::vector<Script>& scripts() {
    static std::vector<Script> all;
    return all;
}

gpu_program::KernelSource& ScriptHost::kernels() {
    if (!state.function.source)
        state.function.source = std::make_unique<Script>(scripts().at(params.script()));
    return *state.function.source;
}

void ScriptHost::wake() {
    while (!port.dispatcher.empty() && port.dispatcher.can_send()) {
        const std::uint32_t stream = port.dispatcher.pop().stream;
        gpu_program::Launch l;
        const bool more = kernels().stream(stream).next_launch(l);
        port.dispatcher.send({!more, stream, ++state.launch, l.blocks(), l.threads_per_block(),
                              l.registers_per_thread, l.shared_bytes});
    }
}

ScriptRig::ScriptRig(const std::vector<Script>& applications, Arguments sm, unsigned sms,
                     const Arguments& dispatcher, const Arguments& memory,
                     const std::string& memory_type) {
    scripts() = applications;
    Arguments all = dispatcher;
    all.emplace_back("sms", std::to_string(sms));
    all.emplace_back("applications", std::to_string(applications.size()));
    machine.add("dispatcher", "gpu.Dispatcher", all);
    for (std::size_t i = 0; i < applications.size(); ++i) {
        const std::string host = "host[" + std::to_string(i) + "]";
        machine.add(host, "test.ScriptHost", {{"script", std::to_string(i)}});
        machine.bind(host, "dispatcher", "dispatcher", "host");
    }
    for (unsigned i = 0; i < sms; ++i) {
        const std::string n = "[" + std::to_string(i) + "]";
        machine.add("sm" + n, "gpu.Sm", sm);
        machine.add("memory" + n, memory_type, memory);
        machine.bind("dispatcher", "sm_side" + n, "sm" + n, "blocks");
        machine.bind("sm" + n, "mem_side", "memory" + n, "cpu_side");
    }
    machine.build();
    machine.start();
}

void ScriptRig::trace() {
    machine.sim().set_debug(std::vector<std::uint8_t>(DebugFlag::all().size(), 1), 0, never,
                            [this](const std::string& line) { lines.push_back(line); });
}

std::vector<ScriptRig::Issue> ScriptRig::issues() {
    std::vector<Issue> all;
    const Clock clock(sm().params.clock());
    for (const std::string& line : lines) {
        const std::size_t at = line.find(": Sm: warp ");
        if (at == std::string::npos || line.find("issues") == std::string::npos) continue;
        const Tick tick =
            std::stoll(line) * 1'000'000 + std::stoll(line.substr(line.find('.') + 1));
        const std::int64_t cycle = clock.at_or_after(tick).cycle;
        all.push_back({cycle, static_cast<unsigned>(std::stoul(line.substr(at + 11)))});
    }
    for (std::size_t i = all.size(); i-- > 0;) all[i].cycle -= all[0].cycle;
    return all;
}

std::ostream& operator<<(std::ostream& to, const ScriptRig::Issue& i) {
    return to << "warp " << i.warp << " at " << i.cycle;
}

} // namespace memsim::test
