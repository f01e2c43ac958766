#pragma once

#include "../flash/mesh_probes.hh"
#include "support.hh"
#include "zng/package/package.hh"

namespace memsim::test_zng {

using test_flash::Node;
using zng::FlashPacket;
using zng::Package;
using zng::PacketKind;

/// A package of one port whose controller is the test. Packets and answers take 1 ns each and I/O
/// paths no time, so an answer that the package gives at once is seen 2 ns after the request left.
struct Bench {
    Machine machine;
    explicit Bench(const Arguments& more = {}) {
        machine.add("controller", "test_flash.Node",
                    {{"nodes", "2"}, {"echo", "true"}, {"depth", "4096"}});
        machine.add("package", "zng.Package",
                    with({{"dies", "1"},
                          {"planes", "2"},
                          {"blocks", "8"},
                          {"pages", "8"},
                          {"registers", "2"},
                          {"spare", "0"},
                          {"log_reserve", "0"},
                          {"ports", "1"},
                          {"io_path", "false"},
                          {"port_queue", "4096"},
                          {"latency", "1ns"},
                          {"endpoint", "1"},
                          {"controller", "0"}},
                         more));
        machine.bind("controller", "output", "package", "input[0]");
        machine.bind("package", "output[0]", "controller", "input");
        machine.carry_contents();
        machine.build();
    }
    Package& package() { return machine.get<Package>("package"); }
    FlashPacket& push(Tick when, PacketKind kind, unsigned plane, unsigned page, unsigned line) {
        FlashPacket p;
        p.kind = kind;
        p.tag = ++tags;
        p.destination = 1;
        p.at.plane = static_cast<std::uint8_t>(plane);
        p.log_block = 6;
        p.page = static_cast<std::uint16_t>(page);
        p.line = static_cast<std::uint8_t>(line);
        p.sectors = 15;
        p.bytes = 128;
        auto& script = machine.get<Node>("controller").state.script;
        script.push({when, p});
        return script.back().packet;
    }
    /// What a write brings: all of its sectors are full of one byte.
    Contents::Id full_of(unsigned byte, unsigned sectors = 15) {
        Contents& contents = machine.sim().contents();
        const Contents::Id id = contents.create();
        for (std::uint32_t i = 0; i < 4; ++i)
            if (sectors >> i & 1) {
                contents[id].pieces.push_back({i, {}});
                contents[id].pieces.back().data.known = SectorBytes::all;
                contents[id].pieces.back().data.bytes.fill(static_cast<std::uint8_t>(byte));
            }
        return id;
    }
    unsigned write(Tick when, unsigned plane, unsigned page, unsigned line, unsigned byte = 0) {
        push(when, PacketKind::write, plane, page, line).contents = full_of(byte);
        return tags;
    }
    /// All lines of a page; the tag of the last.
    unsigned write_page(Tick when, unsigned plane, unsigned page, unsigned byte = 0) {
        for (unsigned l = 0; l < 32; ++l) write(when, plane, page, l, byte);
        return tags;
    }
    unsigned read(Tick when, unsigned plane, unsigned page, unsigned line) {
        push(when, PacketKind::read, plane, page, line);
        return tags;
    }
    /// When the request with this tag was answered, and the answer.
    const Node::Step& answer(unsigned tag) {
        for (const Node::Step& s : machine.get<Node>("controller").state.log)
            if (s.packet.tag == tag && s.packet.kind != PacketKind::copy_out) return s;
        FAIL("no answer to " << tag);
        throw 0;
    }
    Tick time(unsigned tag) { return answer(tag).at; }
    unsigned content(unsigned tag) { return answer(tag).byte; }
    unsigned tags = 0;
};

} // namespace memsim::test_zng
