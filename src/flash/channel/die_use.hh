#pragma once

#include "core/base/bits.hh"
#include "core/state/archive.hh"
#include "flash/channel/plane_queues.hh"

#include <bit>

namespace memsim::flash {

/// Plain values for State.
struct DieUseState {
    struct Chip {
        std::uint64_t full = 0;       ///< bit per plane whose registers are all in use
        std::uint64_t busy = 0;       ///< planes of units with operations
        std::uint64_t filled = 0;     ///< planes of units with an operation for each register
        std::uint32_t working = 0;    ///< dies with work
        std::uint32_t collecting = 0; ///< blocks being collected whose programs wait
        std::uint64_t erasing = 0;    ///< units whose erase reads suspend
    };
    std::vector<Chip> packages;
    std::vector<std::uint16_t> held; ///< operations, by unit
};

/// What the dies of a channel execute, and what each may start next. Its units are those that
/// operate independently: dies, or planes if these are independent. A part of the channel.
class DieUse {
  public:
    struct Config {
        std::uint32_t packages = 1, dies = 1, planes = 1, registers = 1;
        std::uint32_t at_once = 0; ///< dies of a package that may work at the same time; 0: all
        bool independent_planes = false;
        bool suspends_erases = false; ///< for reads
    };
    /// The planes of a package that may start an erase, a program, a read.
    struct Able {
        std::uint64_t erase = 0, program = 0, read = 0;
        std::uint64_t of(unsigned kind) const {
            return kind == PlaneQueues::erase       ? erase
                   : kind < protocol::flash_classes ? read
                                                    : program;
        }
        bool any() const { return erase | program | read; }
    };

    DieUse(const Config& config, DieUseState& state)
        : config_(config),
          units_(config.independent_planes ? config.dies * config.planes : config.dies),
          unit_planes_(config.independent_planes ? 1 : config.planes),
          unit_mask_(low_bits(unit_planes_)), die_mask_(low_bits(config.planes)),
          all_planes_(low_bits(config.dies * config.planes)),
          at_once_(config.at_once ? config.at_once : config.dies), s_(state) {
        s_.packages.resize(config.packages);
        s_.held.assign(std::size_t {config.packages} * units_, 0);
    }

    DieUseState::Chip& chip(std::uint32_t package) { return s_.packages[package]; }
    const DieUseState::Chip& chip(std::uint32_t package) const { return s_.packages[package]; }

    Able able(std::uint32_t package) const {
        const DieUseState::Chip& p = s_.packages[package];
        Able able;
        able.erase = ~p.busy & (p.working < at_once_ ? all_planes_ : planes_of_working_dies(p));
        able.program = (able.erase | (p.busy & ~p.filled)) & ~p.full;
        able.read = able.program;
        for (std::uint64_t left = p.erasing; left; left &= left - 1) {
            const auto u = static_cast<std::uint32_t>(std::countr_zero(left));
            if (s_.held[package * units_ + u] <= config_.registers)
                able.read |= planes_of(u) & ~p.full;
        }
        return able;
    }
    /// The planes that operate together with this one, itself included.
    std::uint64_t together(const protocol::FlashPlace& p) const { return planes_of(unit_of(p)); }

    void begin(const protocol::FlashPlace& place, protocol::FlashOp op) {
        const std::uint32_t unit = unit_of(place);
        DieUseState::Chip& p = s_.packages[place.package];
        p.working += !(p.busy & planes_of_die(place.die));
        p.busy |= planes_of(unit);
        if (++s_.held[place.package * units_ + unit] >= config_.registers)
            p.filled |= planes_of(unit);
        if (config_.suspends_erases && op == protocol::FlashOp::erase) p.erasing |= 1ull << unit;
    }
    void end(const protocol::FlashPlace& place, protocol::FlashOp op) {
        const std::uint32_t unit = unit_of(place);
        DieUseState::Chip& p = s_.packages[place.package];
        if (op == protocol::FlashOp::erase) p.erasing &= ~(1ull << unit);
        const std::uint16_t left = --s_.held[place.package * units_ + unit];
        if (left < config_.registers) p.filled &= ~planes_of(unit);
        if (left) return;
        p.busy &= ~planes_of(unit);
        p.working -= !(p.busy & planes_of_die(place.die));
    }

    void check_loaded(Loader& l) const {
        for (std::uint32_t i = 0; i < s_.packages.size(); ++i) {
            const DieUseState::Chip& chip = s_.packages[i];
            l.bits("dies.packages", chip.full, config_.dies * config_.planes);
            l.bits("dies.packages", chip.erasing, units_);
            std::uint64_t busy = 0, filled = 0;
            for (std::uint32_t u = 0; u < units_; ++u) {
                const std::uint16_t held = s_.held[i * units_ + u];
                if (held) busy |= planes_of(u);
                if (held >= config_.registers) filled |= planes_of(u);
            }
            l.within("dies.held", [&] {
                l.check(busy == chip.busy && filled == chip.filled,
                        "differs from the planes that dies.packages has as busy or filled");
            });
        }
    }

  private:
    std::uint64_t planes_of_die(std::uint32_t die) const {
        return die_mask_ << die * config_.planes;
    }
    std::uint64_t planes_of_working_dies(const DieUseState::Chip& chip) const {
        std::uint64_t planes = 0;
        for (std::uint32_t die = 0; die < config_.dies; ++die)
            if (chip.busy & planes_of_die(die)) planes |= planes_of_die(die);
        return planes;
    }
    /// Number of the unit in its package.
    std::uint32_t unit_of(const protocol::FlashPlace& p) const {
        return config_.independent_planes ? p.die * config_.planes + p.plane : p.die;
    }
    std::uint64_t planes_of(std::uint32_t unit) const { return unit_mask_ << unit * unit_planes_; }

    Config config_;
    std::uint32_t units_;       ///< of a package
    std::uint32_t unit_planes_; ///< planes of a unit
    std::uint64_t unit_mask_;   ///< planes of unit 0
    std::uint64_t die_mask_;    ///< planes of die 0
    std::uint64_t all_planes_;  ///< of a package
    std::uint32_t at_once_;     ///< dies of a package that may work at the same time
    DieUseState& s_;
};

} // namespace memsim::flash
