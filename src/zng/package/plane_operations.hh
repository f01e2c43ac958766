#pragma once

#include "zng/package/read_path.hh"

namespace memsim::zng::package {

/// Schedules the planes. Each plane performs one operation at a time: sense, merge, migrate to
/// another plane, program or erase.
class PlaneOperations {
  public:
    PlaneOperations(Core& core, ReadPath& reads) : core_(core), reads_(reads) {}

    void add_move(const Request& r) { core_.state.moves.push(r); }
    void add_erase(const Request& r);
    /// Adds a block to a log block. No time passes.
    void extend(const Request& r);
    /// Starts the moves whose planes are idle.
    void start_moves();
    /// Starts the next operation of an idle plane.
    void begin(std::uint32_t worker);
    /// Completes the current operation of a plane.
    void finish(std::uint32_t worker);
    /// Accepts a line of a page that a controller's buffer returns.
    void come_back(const FlashPacket& p);

  private:
    static constexpr std::uint32_t none = Worker::none;

    bool waited_long(Tick since) const {
        return core_.sim.now() - since >= core_.params.patience->raw;
    }
    bool kept_free(std::uint32_t worker) const;
    PageAddress target(const FlashPacket& move) const {
        return {core_.n.plane(move.to), move.to_block, move.to_log, move.page};
    }
    void busy(std::uint32_t worker, Stage stage, Time t) {
        core_.workers[worker].stage = stage;
        core_.alarm.finish_in(t, worker);
    }
    void sense(std::uint32_t worker, const PageAddress& a, Stage stage);
    void begin_program(std::uint32_t worker, std::uint32_t reg);
    void begin_move(const Request& r);
    void take_register(std::uint32_t worker);
    void migrate(std::uint32_t worker);
    void send_copies(std::uint32_t worker);
    Time data_path_time() const;
    void leave_register(std::uint32_t worker);
    void migrated(std::uint32_t worker);
    void program(std::uint32_t worker);
    void programmed(std::uint32_t worker);
    void erase(std::uint32_t worker, const Request& r);
    void count_touched();

    Core& core_;
    ReadPath& reads_;
};

} // namespace memsim::zng::package
