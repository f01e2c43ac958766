#pragma once

#include "cmd/controller/reading.hh"
#include "cmd/controller/writing.hh"

#include <catch2/catch.hpp>

namespace memsim::cmd::test {

/// Notes the actions of the steps of a request.
struct Noted {
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

    void note(std::uint32_t, const action::Look& a) { looks.push_back({a.table, a.block}); }
    void note(std::uint32_t, const action::Wait& a) { waits.push_back(a.cycles); }
    void note(std::uint32_t, const action::Hash& a) { hashes.push_back(a.sectors); }
    void note(std::uint32_t, const action::Fetch& a) {
        fetches.push_back({a.place, a.sectors});
        *a.counter += bits_set(a.sectors);
    }
    void note(std::uint32_t, const action::Change&) {}
    void note(std::uint32_t id, const action::Store& a) {
        writes += memory->write(a.place, jobs->data(id).own, a.sectors, true, 0);
    }
    void note(std::uint32_t, const action::Begin&) {}
    void note(std::uint32_t id, const action::Finish&) {
        finished.push_back(id);
        jobs->finish(id, [](std::uint32_t) {});
    }
    unsigned writes = 0; ///< to memory
    Jobs* jobs = nullptr;
    BlockMemory* memory = nullptr;
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
    Shared shared {scheme, placement, packing, memory, jobs};

    explicit Parts(std::uint32_t blocks = 16) : map({128, 1}, 0, blocks) {
        Placement::resize(placed, blocks, false, 0, 1);
        Jobs::resize(most, jobs_state);
        noted.jobs = &jobs, noted.memory = &memory;
    }
    std::uint32_t add(JobKind kind, std::uint32_t block, std::uint32_t sectors) {
        const std::uint32_t id = jobs.add(kind, block);
        jobs[id].sectors = static_cast<std::uint8_t>(sectors);
        return id;
    }
    /// Reads and looks that were started are done.
    template <class Steps>
    void step(Steps& steps, std::uint32_t id) {
        for (const Action& one : steps.step(id))
            std::visit([&](const auto& a) { noted.note(id, a); }, one);
    }
};

} // namespace memsim::cmd::test
