#pragma once

#include "core/declare/stats.hh"
#include "core/state/fifo.hh"
#include "core/state/free_list.hh"
#include "protocol/block_io.hh"

#include <vector>

namespace memsim::flash {

/// A block request in the drive.
struct DriveCommand {
    protocol::BlockRequest request;
    Tick arrived = 0;
    Contents::Id contents;      ///< of the response to a read
    std::uint64_t accepted = 0; ///< sectors of a write in the cache
    std::uint64_t left = 0;     ///< sectors not completed, plus 1 while the command is being split
    std::uint16_t queue = 0;
    bool waited = false; ///< for space in the write buffer
};

/// Completed commands.
struct DriveCommandStats {
    using group = void;
    Counter reads {Unit::count, "Reads answered"};
    Counter writes {Unit::count, "Writes answered"};
    Counter trims {Unit::count, "Trims answered"};
    Counter flushes {Unit::count, "Flushes answered"};
    Counter read_bytes {Unit::byte, "Bytes of reads answered"};
    Counter write_bytes {Unit::byte, "Bytes of writes answered"};
    Distribution read_latency {Unit::time,
                               "Time from the arrival of a read until its response leaves"};
    Distribution write_latency {Unit::time,
                                "Time from the arrival of a write until its response leaves"};

    void count(const DriveCommand& command, Tick now) {
        const std::uint64_t bytes = command.request.sectors * protocol::block_sector_bytes;
        const Time taken {now - command.arrived};
        switch (command.request.op) {
        case protocol::BlockOp::read:
            ++reads, read_bytes += bytes;
            read_latency.sample(taken);
            break;
        case protocol::BlockOp::write:
            ++writes, write_bytes += bytes;
            write_latency.sample(taken);
            break;
        case protocol::BlockOp::trim:
            ++trims;
            break;
        case protocol::BlockOp::flush:
            ++flushes;
            break;
        }
    }
};

/// Plain values for State.
struct DriveCommandsState {
    std::vector<DriveCommand> commands;
    FreeList free;
    Fifo<std::uint32_t> for_cores;
    std::vector<Fifo<std::uint32_t>> answers; ///< completed commands, by queue
    Fifo<std::uint32_t> waiting_writes;       ///< for space in the cache; with flushes
};

/// The commands in progress in a drive, from arrival in a queue to the response. A part.
class DriveCommands {
  public:
    explicit DriveCommands(DriveCommandsState& state) : state_(state) {}
    void reset(std::uint32_t commands, std::uint32_t queues) {
        state_.commands.resize(commands);
        for (std::uint32_t i = commands; i-- > 0;) state_.free.push_back(i);
        state_.answers.resize(queues);
    }

    DriveCommand& operator[](std::uint32_t c) { return state_.commands[c]; }
    const DriveCommand& operator[](std::uint32_t c) const { return state_.commands[c]; }
    bool full() const { return state_.free.empty(); }
    std::size_t under_way() const { return state_.commands.size() - state_.free.size(); }

    std::uint32_t create(const protocol::BlockRequest& r, std::uint32_t queue, Tick now) {
        const std::uint32_t c = state_.free.back();
        state_.free.pop_back();
        state_.commands[c] = {r, now, {}, 0, 0, static_cast<std::uint16_t>(queue), false};
        return c;
    }
    /// Completes `sectors` sectors. Returns true if all are complete; the command then waits to be
    /// answered.
    bool done(std::uint32_t c, std::uint64_t sectors) {
        DriveCommand& command = state_.commands[c];
        MEMSIM_ASSERT(command.left >= sectors, "a command completes more sectors than it has");
        command.left -= sectors;
        if (command.left) return false;
        state_.answers[command.queue].push(c);
        return true;
    }
    bool has_answer(std::uint32_t queue) const { return !state_.answers[queue].empty(); }
    /// Removes the next command to be answered; its entry is then free.
    const DriveCommand& take_answer(std::uint32_t queue) {
        const std::uint32_t c = state_.answers[queue].pop();
        state_.free.push_back(c);
        return state_.commands[c];
    }

    /// `sectors`: size of the drive.
    void check_loaded(Loader& l, std::uint64_t sectors) const {
        const std::size_t n = state_.commands.size();
        for (const DriveCommand& c : state_.commands) {
            l.index("commands.request", c.request.sector, sectors + 1);
            l.index("commands.request", c.request.sectors, sectors - c.request.sector + 1);
            l.index("commands.queue", c.queue, state_.answers.size());
        }
        for (const auto* queue : {&state_.for_cores, &state_.waiting_writes})
            l.indices("for_cores", *queue, n);
        for (const auto& queue : state_.answers) l.indices("answers", queue, n);
    }

  private:
    DriveCommandsState& state_;
};

} // namespace memsim::flash
