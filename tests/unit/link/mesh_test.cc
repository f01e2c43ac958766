#include "../flash/mesh_probes.hh"
#include "../flash/support.hh"
#include "zng/network/mesh.hh"

using namespace memsim;
using namespace memsim::test_flash;
using zng::Mesh;
using zng::PacketKind;

namespace {

constexpr Tick cycle = 1250 * 1000; // of 800 MHz, in fs

std::string node(unsigned i) { return "node[" + std::to_string(i) + "]"; }

struct Bench {
    Machine machine;
    explicit Bench(unsigned nodes, const Arguments& mesh = {}, const Arguments& of_node = {}) {
        machine.add("mesh", "zng.Mesh", mesh);
        for (unsigned i = 0; i < nodes; ++i) {
            machine.add(
                node(i), "test_flash.Node",
                with({{"index", std::to_string(i)}, {"nodes", std::to_string(nodes)}}, of_node));
            machine.bind(node(i), "output", "mesh", "input[" + std::to_string(i) + "]");
            machine.bind("mesh", "output[" + std::to_string(i) + "]", node(i), "input");
        }
        machine.build();
    }
    Node& at(unsigned i) { return machine.get<Node>(node(i)); }
    Mesh& mesh() { return machine.get<Mesh>("mesh"); }
    /// A packet that the mesh sees at an edge: node i sends it a latency of 1 ns before.
    void send(std::int64_t edge, unsigned from, unsigned to, PacketKind kind = PacketKind::read,
              unsigned bytes = 128) {
        FlashPacket p;
        p.source = static_cast<std::uint16_t>(from);
        p.destination = static_cast<std::uint16_t>(to);
        p.kind = kind;
        p.bytes = bytes;
        p.tag = ++tags;
        at(from).state.script.push({edge * cycle - 1 * ns, p});
    }
    unsigned tags = 0;
};

} // namespace

TEST_CASE("A packet takes 5 cycles a router, one link and its flits, to the tick", "[link][mesh]") {
    // 5 x 5; routers 0 and 24 are 8 links apart: 9 routers. 2 flits without, 18 with data.
    for (const auto& [to, kind, flits] :
         {std::tuple {24u, PacketKind::read, 2}, std::tuple {24u, PacketKind::data, 18},
          std::tuple {1u, PacketKind::read, 2}, std::tuple {0u, PacketKind::data, 18}}) {
        Bench b(25);
        b.send(10, 0, to, kind);
        run(b.machine);
        const unsigned routers = b.mesh().topology().distance(0, to) + 1;
        REQUIRE(b.at(to).state.log.size() == 1);
        CHECK(b.at(to).state.log[0].at == (10 + 5 * routers + 1 + flits) * cycle);
        CHECK(value(b.mesh().stat.hops) == routers - 1);
    }
    CHECK(Bench(25).mesh().topology().distance(0, 24) == 8);
}

TEST_CASE("The pipeline's depth, the link and the width are parameters", "[link][mesh]") {
    Bench b(
        4,
        {{"columns", "2"}, {"rows", "2"}, {"stages", "2"}, {"link_cycles", "3"}, {"width", "16B"}});
    b.send(8, 0, 3, PacketKind::data);
    run(b.machine);
    CHECK(b.at(3).state.log[0].at == (8 + 3 * 5 + 3 + 9) * cycle);
}

TEST_CASE("A link carries a flit a cycle: one packet after another", "[link][mesh]") {
    Bench b(2, {{"columns", "2"}, {"rows", "1"}});
    for (unsigned i = 0; i < 100; ++i) b.send(10, 0, 1, PacketKind::data);
    run(b.machine);
    const auto& log = b.at(1).state.log;
    REQUIRE(log.size() == 100);
    for (unsigned i = 1; i < 100; ++i) REQUIRE(log[i].at - log[i - 1].at == 18 * cycle);
    CHECK(value(b.mesh().stat.link_busy) == 1800);
}

TEST_CASE("Two packets for one link take turns; packets for other links leave at once",
          "[link][mesh]") {
    // A row of 4: nodes 0 and 1 both send to 3, crossing the link from 1 to 2.
    Bench b(4, {{"columns", "4"}, {"rows", "1"}});
    b.send(10, 1, 3, PacketKind::data); // at router 1 first
    b.send(10, 0, 3, PacketKind::data); // there 5 cycles later: waits for 13 more
    b.send(10, 2, 0, PacketKind::data); // the other direction: no waiting
    run(b.machine);
    REQUIRE(b.at(3).state.log.size() == 2);
    CHECK(b.at(3).state.log[0].at == (10 + 15 + 1 + 18) * cycle);
    CHECK(b.at(3).state.log[1].at - b.at(3).state.log[0].at == 18 * cycle);
    CHECK(b.at(0).state.log[0].at == (10 + 15 + 1 + 18) * cycle);
}

TEST_CASE("Inputs that share a link get it in turn", "[link][mesh]") {
    Bench b(3, {{"columns", "3"}, {"rows", "1"}});
    for (unsigned from : {0, 1})
        for (unsigned i = 0; i < 20; ++i) b.send(10, from, 2, PacketKind::data);
    run(b.machine);
    const auto& log = b.at(2).state.log;
    REQUIRE(log.size() == 40);
    unsigned of_first = 0;
    for (unsigned i = 0; i < 20; ++i) of_first += log[i].packet.source == 0;
    CHECK(of_first >= 9);
    CHECK(of_first <= 11);
}

TEST_CASE("One input of a router feeds one output at a time", "[link][mesh]") {
    // Both packets reach router 1 from the west; one leaves for its endpoint, the other continues.
    // They were injected one after the other, so each is 18 cycles behind its predecessor.
    Bench b(6, {{"columns", "3"}, {"rows", "2"}});
    b.send(10, 0, 1, PacketKind::data);
    b.send(10, 0, 2, PacketKind::data);
    b.send(10, 0, 4, PacketKind::data);
    run(b.machine);
    CHECK(b.at(1).state.log[0].at == (10 + 10 + 1 + 18) * cycle);
    CHECK(b.at(2).state.log[0].at == (10 + 15 + 1 + 36) * cycle);
    CHECK(b.at(4).state.log[0].at == (10 + 15 + 1 + 54) * cycle);
}

TEST_CASE("A packet waits while another packet of its input leaves through another port",
          "[link][mesh]") {
    // At router 1 the link east is occupied in cycles 15 to 33, so the first packet from the west
    // leaves then; the next one, in another channel and for another output, arrives at 38.
    Bench b(3, {{"columns", "3"}, {"rows", "1"}});
    b.send(10, 1, 2, PacketKind::data);
    b.send(10, 0, 2, PacketKind::data);
    b.send(10, 0, 1, PacketKind::data);
    run(b.machine);
    CHECK(b.at(2).state.log[1].at == (33 + 5 + 1 + 18) * cycle);
    CHECK(b.at(1).state.log[0].at == (33 + 18 + 1 + 18) * cycle);
}

TEST_CASE("A full buffer stops its sender, and nothing is lost", "[link][mesh]") {
    // One channel that holds one packet: the next leaves when the tail has left and the credit is
    // back: 18 flits + link + stages + link after the head arrived.
    Bench tight(2, {{"columns", "2"}, {"rows", "1"}, {"channels", "1"}, {"buffer", "18"}});
    for (unsigned i = 0; i < 20; ++i) tight.send(10, 0, 1, PacketKind::data);
    run(tight.machine);
    REQUIRE(tight.at(1).state.log.size() == 20);
    CHECK(tight.at(1).state.log[19].at - tight.at(1).state.log[18].at == (18 + 1 + 5) * cycle);

    // An endpoint that takes nothing for long: the network fills, then drains.
    Bench slow(2, {{"columns", "2"}, {"rows", "1"}}, {{"pause", "2us"}, {"depth", "1"}});
    for (unsigned i = 0; i < 200; ++i) slow.send(10, 0, 1, PacketKind::data);
    run(slow.machine);
    CHECK(slow.at(1).state.log.size() == 200);
    CHECK(value(slow.at(1).stat.disordered) == 0);
    CHECK(value(slow.mesh().stat.blocked) > 0);
    CHECK(value(slow.mesh().stat.waits) > 0);
}

TEST_CASE("Random traffic of all to all arrives, in order, however slow endpoints are",
          "[link][mesh]") {
    for (const char* channels : {"1", "4"})
        for (const char* pause : {"0ns", "100ns"}) {
            Bench b(36,
                    {{"columns", "4"},
                     {"rows", "4"},
                     {"channels", channels},
                     {"buffer", "18"},
                     {"queue", "2"}},
                    {{"count", "300"}, {"pause", pause}, {"depth", "1"}});
            run(b.machine);
            std::uint64_t received = 0;
            for (unsigned i = 0; i < 36; ++i) {
                received += value(b.at(i).stat.received);
                CHECK(value(b.at(i).stat.disordered) == 0);
            }
            CHECK(received == 36 * 300);
        }
}

TEST_CASE("More than one endpoint may be attached to a router", "[link][mesh]") {
    Bench b(3, {{"columns", "2"}, {"rows", "1"}, {"places", "0 1 1"}});
    b.send(10, 0, 2, PacketKind::data);
    b.send(10, 0, 1, PacketKind::data);
    run(b.machine);
    CHECK(b.at(2).state.log[0].at == (10 + 10 + 1 + 18) * cycle);
    CHECK(b.at(1).state.log[0].at == (10 + 10 + 1 + 36) * cycle);
}

TEST_CASE("An idle mesh costs nothing", "[link][mesh]") {
    Bench b(25);
    run(b.machine);
    CHECK(b.machine.sim().events_executed() == 0);
}

TEST_CASE("An invalid mesh is rejected with a message", "[link][mesh]") {
    const auto refusal = [](const Arguments& mesh) { return error_of([&] { Bench b(4, mesh); }); };
    CHECK(refusal({{"buffer", "17"}}) ==
          "mesh.buffer: it holds 17 flits, but a packet has up to 18: "
          "a channel must hold at least one packet");
    CHECK(refusal({{"places", "0 1 25 2"}}) ==
          "mesh.places: there is no router 25: the mesh has 25");
    CHECK(refusal({{"places", "0 1 2"}}) == "mesh.places: endpoint 3 of 4 has no router");
    CHECK(refusal({{"places", "0 1 2 3 4"}}) ==
          "mesh.places: it names more routers than there are endpoints, 4");
    CHECK(refusal({{"places", "0 0 0 0"}, {"channels", "16"}}) ==
          "mesh.places: a router has 8 ports of 16 channels: the maximum that it can arbitrate is "
          "64");
    Machine none;
    none.add("mesh", "zng.Mesh", {});
    CHECK(error_of([&] { none.build(); }) ==
          "mesh: 0 inputs and 0 outputs are connected: each endpoint needs one of each");
    CHECK(error_of([] {
              Bench b(4, {{"columns", "2"}, {"rows", "2"}});
              b.send(10, 0, 4);
              b.machine.start(), b.machine.run(never);
          }) == "mesh: a packet is for endpoint 4, but there are 4: number endpoints in the order "
                "of their connections");
}

namespace memsim::test_flash {

/// Another family, of messages of one size.
struct Letter {
    static constexpr std::uint32_t largest_wire_bytes = 24;
    std::uint16_t source = 0, destination = 0;
};
class Post final : public link::Mesh<Post, Letter> {
  public:
    using link::Mesh<Post, Letter>::Mesh;
};
static const Registration<Post> post_registered {"A mesh that carries letters (a test's)."};

/// Sends a letter to the other, and records arrivals.
class Correspondent final : public Model<Correspondent> {
  public:
    struct Params {
        Param<unsigned> self {0, "Its number"};
        Param<unsigned> depth {1, "Of its queue"};
    };
    struct Ports {
        Out<Letter> output {{}, "Letters"};
        In<Letter> input {{.depth = from<&Params::depth>}, "Letters"};
    };
    struct Stats {};
    struct State {
        Tick got = 0;
        Timer first;
    };
    explicit Correspondent(const Params& p) : params(p) {}
    void start() override { arm(state.first, 10 * cycle - 1); }
    void wake() override {
        const auto self = static_cast<std::uint16_t>(params.self());
        if (now() == 10 * cycle - 1 && port.output.can_send())
            port.output.send({self, static_cast<std::uint16_t>(1 - self)});
        while (!port.input.empty())
            if (port.input.pop().destination == self) state.got = now();
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Correspondent> correspondent {"Writes a letter (a test's)."};

} // namespace memsim::test_flash

TEST_CASE("A mesh carries any message that names its destination", "[link][mesh]") {
    Machine m;
    m.add("post", "test_flash.Post", {{"columns", "2"}, {"rows", "1"}});
    for (const char* n : {"0", "1"}) {
        m.add(std::string("c") + n, "test_flash.Correspondent", {{"self", n}});
        m.bind(std::string("c") + n, "output", "post", "input");
        m.bind("post", "output", std::string("c") + n, "input");
    }
    m.build();
    run(m);
    // Two routers, a last link, and three flits of 8 B.
    for (const char* c : {"c0", "c1"})
        CHECK(m.get<Correspondent>(c).state.got == (10 + 2 * 5 + 1 + 3) * cycle);
}
