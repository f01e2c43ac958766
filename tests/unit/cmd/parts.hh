#pragma once

#include "cmd/unit/reading.hh"
#include "cmd/unit/writing.hh"

#include <catch2/catch.hpp>

namespace memsim::cmd::test {

/// Notes what the steps of a request start.
struct Noted final : Actions {
    struct Fetch {
        std::uint32_t place, sectors;
        bool operator==(const Fetch&) const = default;
    };
    struct Look {
        Table table;
        std::uint32_t block;
        bool operator==(const Look&) const = default;
    };
    std::vector<Look> looks;
    std::vector<unsigned> waits;
    std::vector<std::uint32_t> hashes, finished;
    std::vector<Fetch> fetches;

    void look(std::uint32_t, Table table, std::uint32_t block) override {
        looks.push_back({table, block});
    }
    void wait(std::uint32_t, unsigned cycles) override { waits.push_back(cycles); }
    void hash(std::uint32_t, std::uint32_t sectors) override { hashes.push_back(sectors); }
    void fetch(std::uint32_t id, std::uint32_t place, std::uint32_t sectors,
               Counter& counter) override {
        fetches.push_back({place, sectors});
        ++(*jobs)[id].waits;
        ++counter;
    }
    void change(Placement::Freed, std::uint32_t, std::initializer_list<Table>) override {}
    void begin(std::uint32_t) override {}
    void finish(std::uint32_t id) override {
        finished.push_back(id);
        jobs->finish(id, [](std::uint32_t) {});
    }
    Jobs* jobs = nullptr;
};

template <class Family>
Policy<Family> made(const std::string& name) {
    Policy<Family> policy;
    policy.make(name, "test", 1);
    return policy;
}

/// The parts around a few blocks, without time and without memory.
struct Parts {
    static constexpr Jobs::Most most {4, 4, 1};
    Policy<Detector> detector = made<Detector>("md5");
    Policy<Compressor> compressor = made<Compressor>("none");
    Scheme scheme {&*detector, IntraData::map};
    PlacementState placed;
    PlacementStats placement_stat;
    Placement placement {false, placed, placement_stat};
    PackingStats packing_stat;
    Packing packing {*compressor, packing_stat};
    BlockMap map;
    Fifo<protocol::MemRequest> out;
    Contents contents;
    Requester<protocol::Mem> below {{}, ""};
    BlockMemory memory {map, packing, out, below, contents};
    JobsState jobs_state;
    Jobs jobs {most, jobs_state};
    Noted noted;
    Shared shared {scheme, placement, packing, memory, jobs, noted};

    explicit Parts(std::uint32_t blocks = 16) : map({128, 1}, 0, blocks) {
        Placement::resize(placed, blocks, false, 0, 1);
        Jobs::resize(most, jobs_state);
        noted.jobs = &jobs;
    }
    std::uint32_t add(JobKind kind, std::uint32_t block, std::uint32_t sectors) {
        const std::uint32_t id = jobs.add(kind, block);
        jobs[id].sectors = static_cast<std::uint8_t>(sectors);
        return id;
    }
    /// Reads and looks that were started are done.
    template <class Steps>
    void step(Steps& steps, std::uint32_t id) {
        jobs[id].waits = 0;
        steps.step(id);
    }
};

} // namespace memsim::cmd::test
