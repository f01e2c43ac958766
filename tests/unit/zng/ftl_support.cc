#include "ftl_support.hh"

#include "core/kernel/registry.hh"

namespace memsim::test_zng {

using protocol::Command;

static const Registration<Wanderer> wanderer {"Test: random requests of virtual lines."};
static const Registration<Gate> gate {"Test: looks at physical addresses."};

void Wanderer::wake() {
    while (!port.mem.empty()) {
        port.mem.pop();
        ++stat.answered;
        if (--state.out == 0 && state.sent == params.count) stat.last += Time {now()};
    }
    while (state.sent < params.count && state.ready_at <= now() && port.mem.can_send()) {
        protocol::MemRequest r;
        const std::uint64_t line =
            params.first() + params.stride() * state.random.below(params.lines());
        const std::uint64_t kind = state.random.below(100);
        const std::uint64_t first = state.random.below(4), sectors = 1 + state.random.below(4);
        r.address = line * 128 + first * 32;
        r.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(sectors, 4 - first) * 32);
        r.application = static_cast<std::uint16_t>(params.application());
        r.command = kind < params.writes()                      ? Command::write
                    : kind < params.writes() + params.atomics() ? Command::atomic
                                                                : Command::read;
        r.posted = r.command == Command::write && state.random.below(2);
        if (!r.posted) ++state.out;
        port.mem.send(r);
        ++state.sent;
        const std::uint64_t gap =
            state.random.below(static_cast<std::uint64_t>(params.gap->raw) + 1);
        state.ready_at = now() + static_cast<Tick>(gap);
    }
    if (state.sent < params.count && state.ready_at > now()) arm(state.next, state.ready_at);
}

void Gate::wake() {
    while (!port.below.empty()) port.above.send(port.below.pop());
    while (!port.above.empty() && port.below.can_send()) {
        const protocol::MemRequest r = port.above.pop();
        ++stat.passed;
        const std::uint64_t block = r.address / static_cast<std::uint64_t>(params.block->raw);
        bool known = mmu_ == nullptr;
        for (unsigned p = 0; !known && p < params.blocks(); ++p)
            known = mmu_->frame_of(r.application, p) == block;
        stat.astray += !known;
        port.below.send(r);
    }
}

void Ftl::add(Machine& m) const {
    const auto n = [](unsigned i) { return std::to_string(i); };
    const auto bytes = [](unsigned b) { return std::to_string(b) + "B"; };
    const unsigned page = pages * 4096 * span, groups = 4 * packages / span;
    const unsigned space = (blocks_each() + groups * 2) * page;
    m.add("mmu", "gpu.Mmu",
          with({{"tlbs", n(wanderers)},
                {"page", bytes(page)},
                {"applications", n(wanderers)},
                {"address_space", bytes(space)},
                {"placement", "identity"},
                {"memory", bytes(wanderers * space)}},
               mmu));
    m.add("table", "mem.SimpleMemory", {{"latency", "2ns"}, {"capacity", "1024TiB"}});
    m.bind("mmu", "walk_side", "table", "cpu_side");
    m.add("network", "mem.Crossbar",
          {{"inputs", n(wanderers)}, {"outputs", n(slices)}, {"granularity", "4KiB"}});
    m.add("flash_network", "mem.Crossbar",
          {{"inputs", n(slices)}, {"outputs", n(controllers)}, {"granularity", "4KiB"}});
    for (unsigned i = 0; i < wanderers; ++i) {
        m.add(at("wanderer", i), driver,
              with(with({{"application", n(i)}}, wanderer), i == 1 ? second : Arguments {}));
        m.add(at("tlb", i), "gpu.Tlb",
              {{"page", bytes(page)}, {"acknowledged_stores", "true"}, {"empties_l1", "false"}});
        m.bind(at("wanderer", i), "mem", at("tlb", i), "cpu_side");
        m.bind(at("tlb", i), "mem_side", "network", at("cpu_side", i));
        m.bind(at("tlb", i), "mmu_side", "mmu", at("tlb_side", i));
        m.bind("mmu", at("shootdowns", i), at("tlb", i), "shootdowns");
    }
    for (unsigned i = 0; i < slices; ++i) {
        m.add(at("l2", i), "mem.Cache",
              with({{"capacity", "8KiB"},
                    {"ways", "4"},
                    {"write_policy", redirect ? "write_through" : "write_back"},
                    {"write_allocate", redirect ? "false" : "true"},
                    {"mshrs", "16"},
                    {"control_ports", redirect ? "2" : "1"},
                    {"acknowledged_writebacks", "true"},
                    {"interleave_ways", n(slices)},
                    {"interleave_granularity", "4KiB"}},
                   l2));
        m.bind("network", at("mem_side", i), at("l2", i), "cpu_side");
        m.bind(at("l2", i), "mem_side", "flash_network", at("cpu_side", i));
    }
    m.add("mesh", "zng.Mesh", {{"columns", "3"}, {"rows", "2"}});
    const auto bind = [&](const std::string& component, const std::string& out,
                          const std::string& in, unsigned endpoint) {
        m.bind(component, out, "mesh", at("input", endpoint));
        m.bind("mesh", at("output", endpoint), component, in);
    };
    const Arguments blocks = with(geometry(), {{"data_blocks", "12"}, {"log_ratio", "2"}});
    const Arguments mapped =
        with(blocks, {{"span", n(span)}, {"across", across ? "true" : "false"}});
    for (unsigned c = 0; c < controllers; ++c) {
        const std::string path = at("controller", c);
        m.add(path, "zng.FlashController",
              with(with(mapped, {{"packages", n(packages)},
                                 {"endpoint", n(c)},
                                 {"first_package", n(controllers)},
                                 {"pins", redirect ? "1" : "0"},
                                 {"thrash_window", "64"},
                                 {"window", "16"},
                                 {"collect_queue", "8"}}),
                   controller));
        bind(path, "output", "input", c);
        if (redirect) m.bind(path, "pin[0]", at("l2", c), "control[1]");
        if (gates) {
            m.add(at("gate", c), "test_zng.Gate",
                  {{"applications", n(wanderers)},
                   {"blocks", n(blocks_each())},
                   {"block", bytes(page)}});
            m.bind("flash_network", at("mem_side", c), at("gate", c), "above");
            m.bind(at("gate", c), "below", path, "mem[0]");
        } else
            m.bind("flash_network", at("mem_side", c), path, "mem[0]");
    }
    for (unsigned p = 0; p < packages; ++p) {
        const std::string path = at("package", p);
        const unsigned endpoint = controllers + 2 * p;
        m.add(path, "zng.Package",
              with(with(blocks, {{"registers", "3"},
                                 {"log_reserve", "1"},
                                 {"endpoint", n(endpoint)},
                                 {"controller", n(p % controllers)},
                                 {"queue", n(24 * controllers)}}),
                   package));
        for (unsigned i = 0; i < 2; ++i) bind(path, at("output", i), at("input", i), endpoint + i);
    }
    std::string footprints;
    for (unsigned i = 0; i < wanderers; ++i)
        footprints += (i ? "," : "") + bytes(blocks_each() * page);
    m.add("collector", "zng.GarbageCollector",
          with(with(mapped, {{"packages", n(packages)},
                             {"controllers", n(controllers)},
                             {"caches", n(slices)},
                             {"applications", n(wanderers)},
                             {"footprints", footprints},
                             {"queue", "8"},
                             {"step", "4"}}),
               collector));
    if (assist) {
        m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}, {"translated", "true"}});
        m.add("host", "test.ScriptHost", {{"script", "0"}});
        m.add("sm", "gpu.Sm", {});
        m.add("sm_memory", "mem.SimpleMemory", {});
        m.bind("host", "dispatcher", "dispatcher", "host");
        m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
        m.bind("sm", "mem_side", "sm_memory", "cpu_side");
        m.bind("collector", "helper", "sm", "helper");
    }
    m.bind("collector", "mmu", "mmu", "mover_side[0]");
    for (unsigned i = 0; i < slices; ++i)
        m.bind("collector", at("flush", i), at("l2", i), "control[0]");
    for (unsigned c = 0; c < controllers; ++c) {
        m.bind("collector", at("collect", c), at("controller", c), "collector");
        m.bind(at("controller", c), "log_low", "collector", at("log_low", c));
    }
}

void Ftl::look(Machine& m) const {
    for (unsigned c = 0; gates && c < controllers; ++c)
        m.get<Gate>(at("gate", c)).ask(m.get<gpu::Mmu>("mmu"));
}

} // namespace memsim::test_zng
