#include "zng/ftl/collect_requests.hh"

#include <catch2/catch.hpp>

namespace memsim::collect_requests_test {

using namespace memsim::zng;

namespace {

struct Port {
    std::uint32_t room = 100;
    std::vector<CollectRequest> sent {};
    bool can_send() const { return sent.size() < room; }
    void send(const CollectRequest& r) { sent.push_back(r); }
};

/// One package of two planes; a mapped block has four pages in each of its `span` planes.
struct Requests {
    Flash flash;
    MergeTableState merges;
    std::vector<std::uint32_t> package_moves {0};
    Fifo<CollectRequest> extensions;
    CollectRequests requests;
    std::vector<Port> ports {Port {}};

    explicit Requests(CollectRequests::Limits limits, std::uint32_t span = 1)
        : flash {1, 1, 2, 12, 4, 4096, 4, span},
          requests(flash, limits, merges, package_moves, extensions) {}
    /// A merge of a log block, whose moves may send all of their pages.
    Merge& merge(std::uint32_t log, std::vector<std::uint32_t> data) {
        merges.active.push_back(static_cast<std::uint32_t>(merges.merges.size()));
        Merge& m = merges.merges.emplace_back();
        m.log = log;
        m.logs = {log};
        m.phase = MergePhase::moving;
        for (const std::uint32_t block : data) {
            DataMove& move = m.moves.emplace_back();
            move.blocks.from = block;
            move.granted = flash.mapped_pages();
        }
        m.left = static_cast<std::uint32_t>(data.size());
        return m;
    }
    /// Data blocks and pages of the requests to the only controller.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sent() const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
        for (const CollectRequest& r : ports[0].sent) all.emplace_back(r.data, r.page);
        return all;
    }
};

using Sent = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

} // namespace

TEST_CASE("Merges and their blocks send pages in turn, up to the limits of block and package",
          "[zng]") {
    Requests r({2, 5, 2, 1});
    r.merge(8, {0, 2});
    r.merge(9, {4});
    r.requests.send_moves(r.ports);
    CHECK(r.sent() == Sent {{0, 0}, {2, 0}, {4, 0}, {0, 1}, {2, 1}}); // five in the package
    CHECK(r.ports[0].sent[2].tag == 2);                               // merge 1, move 0
    CHECK_FALSE(r.requests.moved({0, 0, CollectOp::move}));
    CHECK_FALSE(r.requests.moved({0, 1, CollectOp::move}));
    r.ports[0].sent.clear();
    r.requests.send_moves(r.ports); // block 2 has its two, the others share two places
    CHECK(r.sent() == Sent {{0, 2}, {4, 1}});
}

TEST_CASE("A move is complete with its last page, and a merge with its last erase", "[zng]") {
    Requests r({4, 100, 2, 1});
    Merge& m = r.merge(8, {0});
    m.moves[0].granted = 3; // the helper thread has processed three pages
    r.requests.send_moves(r.ports);
    CHECK(r.ports[0].sent.size() == 3);
    m.moves[0].granted = 4;
    r.requests.send_moves(r.ports);
    for (std::uint32_t page = 0; page < 3; ++page)
        CHECK_FALSE(r.requests.moved({0, page, CollectOp::move}));
    CHECK(r.requests.moved({0, 3, CollectOp::move}) == m.moves.data());
    CHECK(m.left == 0);
    CHECK(r.package_moves[0] == 0);
    m.phase = MergePhase::erasing;
    m.left = 2;
    r.ports[0] = {1};
    r.requests.send_erases(0, r.ports); // the port has room for one
    r.ports[0].room = 100;
    r.requests.send_erases(0, r.ports);
    CHECK(r.sent() == Sent {{0, 0}, {8, 0}}); // the data block, then the log block
    CHECK_FALSE(r.requests.erased({0, 0, CollectOp::erase}));
    CHECK(r.requests.erased({0, 0, CollectOp::erase}));
}

TEST_CASE("A log block is extended in each of its planes", "[zng]") {
    Requests r({2, 5, 2, 1}, 2);
    r.requests.extend(8, 10);
    r.ports[0].room = 1;
    r.requests.send_extensions(r.ports);
    CHECK(r.extensions.size() == 1);
    r.ports[0].room = 2;
    r.requests.send_extensions(r.ports);
    REQUIRE(r.sent() == Sent {{8, 0}, {8, 1}});
    CHECK(r.ports[0].sent[1].to == 10);
    CHECK(r.ports[0].sent[1].op == CollectOp::extend);
}

} // namespace memsim::collect_requests_test
