#pragma once

#include "core/state/fifo.hh"
#include "core/state/hash_map.hh"
#include "zng/package/page_reads.hh"
#include "zng/package/register_file.hh"

namespace memsim::zng::package {

enum class Stage : std::uint8_t {
    idle,
    sensing,
    sending,
    merging,
    migrating,
    copying,
    programming,
    erasing,
    held
};

/// A unit that operates independently: a plane or a die. A page that it programs is its own copy.
struct Worker {
    static constexpr std::uint32_t none = ~0u;

    Fifo<std::uint32_t> senses, programs; ///< programs: register numbers
    Fifo<Request> erases;
    Stage stage = Stage::idle;
    bool moving = false;      ///< on behalf of a collector
    std::uint32_t sense = 0;  ///< page read, while sensing or sending
    std::uint32_t reg = none; ///< the register that becomes free when the operation ends, or none
    std::uint32_t from = 0;   ///< the plane from which the page comes
    std::uint32_t helper = 0; ///< worker of that plane, reserved for the operation, or this worker
    std::uint32_t copies = 0; ///< packets of a copy that have not returned
    std::uint32_t crossing = 0; ///< lines that are crossing wires, one bit each
    PageAddress address;        ///< the page of the operation
    std::uint64_t page = 0;     ///< its number at the destination
    PageMask mask;              ///< the known part of the page
    Request request;            ///< the move or erase
    Tick since = 0;             ///< start of the migration
};

/// The workers of a package: those that are done, those that may have work, and the pages about to
/// be programmed.
class Workers {
  public:
    struct State {
        std::vector<Worker> workers;
        std::vector<std::uint64_t> done;  ///< workers whose operation has ended, one bit each
        std::vector<std::uint64_t> ready; ///< idle workers that may have work
        HashMap<std::uint32_t> leaving;   ///< page to the worker that programs it
        std::uint32_t busy = 0;           ///< workers that are not idle
    };
    /// `planes`: planes per worker.
    Workers(std::uint32_t planes, State& state) : planes_(planes), state_(state) {}

    void reset(std::uint32_t workers) {
        state_.workers.resize(workers);
        state_.done.assign((workers + 63) / 64, 0);
        state_.ready.assign((workers + 63) / 64, 0);
    }
    std::size_t size() const { return state_.workers.size(); }
    Worker& operator[](std::uint32_t w) { return state_.workers[w]; }
    std::uint32_t of_plane(std::uint32_t plane) const { return plane / planes_; }
    std::uint32_t busy() const { return state_.busy; }

    void start_stage(std::uint32_t w, Stage stage) {
        state_.workers[w].stage = stage;
        ++state_.busy;
    }
    void make_idle(std::uint32_t w) {
        state_.workers[w].stage = Stage::idle;
        --state_.busy;
        mark_ready(w);
    }
    void mark_ready(std::uint32_t w) { state_.ready[w / 64] |= bit(w); }
    void clear_ready(std::uint32_t w) { state_.ready[w / 64] &= ~bit(w); }
    void mark_done(std::uint32_t w) {
        MEMSIM_ASSERT(w < size(), "a worker is done that the package does not have");
        state_.done[w / 64] |= bit(w);
    }
    template <class F>
    void each_done(F&& f) {
        each(state_.done, f);
        state_.done.assign(state_.done.size(), 0);
    }
    template <class F>
    void each_ready(F&& f) {
        each(state_.ready, f);
    }

    void leaves(std::uint64_t page, std::uint32_t w) { state_.leaving[page] = w; }
    void has_left(std::uint64_t page) { state_.leaving.erase(page); }
    /// The worker that programs a page, or null.
    const Worker* programs(std::uint64_t page) const {
        const std::uint32_t* const w = state_.leaving.find(page);
        return w ? &state_.workers[*w] : nullptr;
    }
    std::uint32_t number(const Worker& w) const {
        return static_cast<std::uint32_t>(&w - state_.workers.data());
    }

    void check_loaded(Loader& l, const Numbering& n, const PageReads& reads,
                      const RegisterFile& registers, std::size_t ports) const {
        for (const auto* bits : {&state_.done, &state_.ready})
            for (std::uint32_t w = 0; w < bits->size(); ++w)
                l.bits("workers.ready", (*bits)[w], std::min<std::size_t>(64, size() - 64 * w));
        std::vector<bool> queued(registers.size());
        for (const Worker& w : state_.workers) {
            l.indices("workers.senses", w.senses, reads.size());
            for (std::uint32_t i = 0; i < w.senses.size(); ++i) reads.check_list(l, w.senses[i]);
            if (w.stage == Stage::sensing || w.stage == Stage::sending)
                l.index("workers.sense", w.sense, reads.size());
            if (w.stage == Stage::sensing) reads.check_list(l, w.sense);
            l.indices("workers.programs", w.programs, registers.size());
            for (std::uint32_t i = 0; i < w.programs.size(); ++i) {
                const Register& r = registers[w.programs[i]];
                l.within("workers.programs", [&] {
                    l.check(r.phase == RegisterPhase::queued && !queued[w.programs[i]] &&
                                of_plane(r.address.plane) == number(w),
                            "has a register that is not queued there, or is queued twice");
                });
                queued[w.programs[i]] = true;
            }
            for (std::uint32_t i = 0; i < w.erases.size(); ++i)
                check(l, "workers.erases", n, w.erases[i], ports);
            check(l, "workers.request", n, w.request, ports);
            if (w.reg != Worker::none) l.index("workers.reg", w.reg, registers.size());
            l.index("workers.from", w.from, n.planes()),
                l.index("workers.helper", w.helper, size());
            n.check(l, "workers.address", w.address);
        }
        for (std::uint32_t r = 0; r < registers.size(); ++r)
            l.within("workers.programs", [&] {
                l.check(queued[r] == (registers[r].phase == RegisterPhase::queued),
                        "lacks a register that is queued");
            });
        state_.leaving.all([&](std::uint64_t, std::uint32_t w) {
            l.index("workers.leaving", w, size());
            return true;
        });
    }

  private:
    static std::uint64_t bit(std::uint32_t w) { return std::uint64_t {1} << w % 64; }
    template <class F>
    static void each(const std::vector<std::uint64_t>& bits, F&& f) {
        for (std::uint32_t w = 0; w < bits.size(); ++w)
            for (std::uint64_t rest = bits[w]; rest; rest &= rest - 1)
                f(w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
    static void check(Loader& l, std::string_view field, const Numbering& n, const Request& r,
                      std::size_t ports) {
        n.check(l, field, r.packet);
        l.index(field, r.port, ports);
    }

    std::uint32_t planes_;
    State& state_;
};

} // namespace memsim::zng::package
