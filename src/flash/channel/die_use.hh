#pragma once

#include "core/state/archive.hh"
#include "flash/channel/plane_queues.hh"

#include <algorithm>
#include <bit>

namespace memsim::flash {

/// Plain values for State.
struct DieUseState {
    struct Chip {
        std::uint64_t full = 0;       ///< bit per plane whose registers are all in use
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
          unit_mask_(unit_planes_ == 64 ? ~0ull : (1ull << unit_planes_) - 1),
          at_once_(config.at_once ? config.at_once : config.dies), s_(state) {
        s_.packages.resize(config.packages);
        s_.held.assign(std::size_t {config.packages} * units_, 0);
    }

    DieUseState::Chip& chip(std::uint32_t package) { return s_.packages[package]; }
    const DieUseState::Chip& chip(std::uint32_t package) const { return s_.packages[package]; }

    Able able(std::uint32_t package) const {
        const DieUseState::Chip& p = s_.packages[package];
        const bool more = p.working < at_once_;
        if (!more && config_.registers == 1 && !p.erasing && !config_.independent_planes)
            return {}; // working dies have no room
        Able able;
        for (std::uint32_t u = 0; u < units_; ++u) {
            const std::uint16_t held = s_.held[package * units_ + u];
            const bool begins = !held && (more || works(package, u / units_of_die()));
            if (held ? held < config_.registers : begins) able.program |= planes_of(u);
            if (begins) able.erase |= planes_of(u);
        }
        able.program &= ~p.full;
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
        p.working += !works(place.package, place.die);
        ++s_.held[place.package * units_ + unit];
        if (config_.suspends_erases && op == protocol::FlashOp::erase) p.erasing |= 1ull << unit;
    }
    void end(const protocol::FlashPlace& place, protocol::FlashOp op) {
        const std::uint32_t unit = unit_of(place);
        DieUseState::Chip& p = s_.packages[place.package];
        if (op == protocol::FlashOp::erase) p.erasing &= ~(1ull << unit);
        --s_.held[place.package * units_ + unit];
        p.working -= !works(place.package, place.die);
    }

    void check_loaded(Loader& l) const {
        for (const DieUseState::Chip& chip : s_.packages) {
            l.bits("dies.packages", chip.full, config_.dies * config_.planes);
            l.bits("dies.packages", chip.erasing, units_);
        }
    }

  private:
    std::uint32_t units_of_die() const { return config_.independent_planes ? config_.planes : 1; }
    bool works(std::uint32_t package, std::uint32_t die) const {
        const std::uint32_t n = units_of_die();
        const auto first = s_.held.begin() + package * units_ + die * n;
        return std::any_of(first, first + n, [](std::uint16_t held) { return held != 0; });
    }
    /// Number of the unit in its package.
    std::uint32_t unit_of(const protocol::FlashPlace& p) const {
        return config_.independent_planes ? p.die * config_.planes + p.plane : p.die;
    }
    std::uint64_t planes_of(std::uint32_t unit) const { return unit_mask_ << unit * unit_planes_; }

    Config config_;
    std::uint32_t units_;       ///< of a package
    std::uint32_t unit_planes_; ///< planes of a unit
    std::uint64_t unit_mask_;   ///< those of unit 0
    std::uint32_t at_once_;     ///< dies of a package that may work at the same time
    DieUseState& s_;
};

} // namespace memsim::flash
