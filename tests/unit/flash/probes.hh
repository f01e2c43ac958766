#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "protocol/block_io.hh"
#include "protocol/drive_task.hh"
#include "protocol/flash.hh"

/// Components that tests of this folder put in front of flash parts.
namespace memsim::test_flash {

using namespace memsim::literals;

// Not written where it is used: clang++ 14 links no literal of a template.
inline constexpr Time script_latency = 1_ns;

/// Sends requests of one family at given times and writes down when answers come.
template <class Self, class Family>
class Script : public Model<Self> {
  public:
    using Request = typename Family::Request;
    using Response = typename Family::Response;
    struct Params {
        Param<unsigned> depth {256, "Answers outstanding"};
        Param<Time> latency {script_latency, "Of requests"};
    };
    struct Ports {
        Requester<Family> to {{.depth = from<&Params::depth>, .latency = from<&Params::latency>},
                              "What is tested"};
    };
    struct Stats {
        Counter answered {Unit::count, "Answers"};
    };
    struct Step {
        Tick at = 0;
        Request request;
    };
    struct Seen {
        Tick at = 0;
        Response response;
    };
    struct State {
        Fifo<Step> script;
        std::vector<Seen> log;
        Timer next;
    };
    explicit Script(const Params& p) : params(p) {}
    void start() override {
        if (!state.script.empty()) this->arm(state.next, state.script.front().at);
    }
    void wake() override {
        while (!port.to.empty()) {
            state.log.push_back({this->now(), port.to.pop()});
            ++stat.answered;
        }
        while (!state.script.empty() && state.script.front().at <= this->now() &&
               port.to.can_send())
            port.to.send(state.script.pop().request);
        if (!state.script.empty() && state.script.front().at > this->now())
            this->arm(state.next, state.script.front().at);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

class Pins final : public Script<Pins, protocol::NandBus> {
  public:
    using Script::Script;
};
class Controller final : public Script<Controller, protocol::Flash> {
  public:
    using Script::Script;
};
class HostScript final : public Script<HostScript, protocol::BlockIo> {
  public:
    using Script::Script;
};

/// Notes a drive's tasks.
class Listener final : public Model<Listener> {
  public:
    struct Params {
        Param<unsigned> queue {64, "Tasks that it has not seen"};
    };
    struct Ports {
        In<protocol::DriveTask> tasks {{.depth = from<&Params::queue>}, "A drive's tasks"};
    };
    struct Stats {};
    struct State {
        std::vector<protocol::DriveTask> tasks;
    };
    explicit Listener(const Params& p) : params(p) {}
    void wake() override {
        while (!port.tasks.empty()) state.tasks.push_back(port.tasks.pop());
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

/// Random reads, writes, trims and flushes: no two requests that touch the same sector are in
/// flight at the same time unless both read. In a machine that carries contents each byte read is
/// compared with the data written last, or with the initial data, which follow from its
/// address and the number of the write.
class Checker final : public Model<Checker> {
  public:
    struct Params {
        Param<unsigned> count {2000, "Requests"};
        Param<unsigned> outstanding {16, {1, 1024}, "Requests without an answer"};
        Param<unsigned> sectors {1000, "Range, from 0"};
        Param<unsigned> largest {40, {1, 1024}, "Sectors of a request, at most"};
        Param<Fraction> writes {50_pct, "Writes among the requests"};
        Param<Fraction> trims {5_pct, "Trims"};
        Param<Fraction> flushes {1_pct, "Flushes"};
        Param<Time> gap {20_us, "Longest pause between two requests"};
    };
    struct Ports {
        Requester<protocol::BlockIo> drive {{.depth = from<&Params::outstanding>, .latency = 50_ns},
                                            "The drive"};
    };
    struct Stats {
        Counter answered {Unit::count, "Answers"};
        Counter compared {Unit::byte, "Bytes read and compared"};
        Counter wrong {Unit::byte, "Bytes read that were not written there last"};
        Counter read_sectors {Unit::count, "Sectors read that had been written"};
    };
    struct State {
        std::uint32_t sent = 0;
        Tick ready_at = 0;
        std::vector<std::uint32_t> written; ///< by sector: the last write's number, or `trimmed`
        std::vector<std::int16_t> busy;     ///< readers, or -1: changed
        std::vector<protocol::BlockRequest> asked; ///< by tag
        FreeList free_tags;
        bool drawn = false;
        protocol::BlockRequest next_request; ///< drawn and not sent yet
        Rng random;
        Timer next;
    };
    explicit Checker(const Params& p) : params(p) {}
    void init() override {
        state.written.assign(params.sectors, 0);
        state.busy.assign(params.sectors, 0);
        state.asked.resize(params.outstanding);
        for (unsigned i = params.outstanding; i-- > 0;) state.free_tags.push_back(i);
    }
    void start() override;
    void wake() override;
    bool pending() const override { return state.sent < params.count; }
    /// Compares all sectors with what an untimed look finds; bytes that differ.
    std::uint64_t compare_image();

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    static constexpr std::uint32_t trimmed = ~0u;

    SectorBytes piece(std::uint64_t sector, std::uint32_t i, std::uint32_t write) const;
    Contents::Id data(const protocol::BlockRequest& r);
    void compare(const protocol::BlockRequest& r, Contents::Id found);
    std::uint64_t difference(std::uint64_t sector, std::uint32_t i, const SectorBytes& found) const;
    void draw();
    bool free_to_send() const;
};

} // namespace memsim::test_flash
