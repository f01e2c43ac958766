#pragma once

#include "core/base/bits.hh"
#include "core/state/hash_map.hh"
#include "device_parts/links.hh"
#include "zng/layout/page_mask.hh"
#include "zng/package/page_address.hh"

#include <bit>
#include <vector>

namespace memsim::zng::package {

enum class RegisterPhase : std::uint8_t { free, dirty, queued, busy };
constexpr std::array<std::string_view, 4> names_of(RegisterPhase) {
    return {"free", "dirty", "queued", "busy"};
}

struct Register {
    PageAddress address;
    std::uint64_t key = 0; ///< page number
    PageMask mask;
    Tick queued_at = 0;
    std::uint32_t newer = 0, older = 0; ///< neighbours in its pool's list of dirty registers
    RegisterPhase phase = RegisterPhase::free;
};

/// The registers that share their pages: those of a package, or those of one plane.
struct RegisterPool {
    device_parts::ListEnds written; ///< dirty registers, ordered by their last write
    std::uint32_t free = 0;
    std::uint32_t leaving = 0; ///< queued or busy
};

/// Plain values for State.
struct RegisterState {
    std::vector<Register> registers; ///< plane x registers per plane
    std::vector<RegisterPool> pools;
    std::vector<std::uint64_t> free; ///< one bit per register, by plane
    HashMap<std::uint32_t> of_page;  ///< pages in dirty or queued registers
    std::uint32_t used = 0;          ///< not free
};

/// The registers of a package as a fully associative write cache over the package or over each
/// plane. States of a register: free; dirty, accepts writes; queued for its plane, still accepts
/// writes; busy, its page is being programmed. A part: the owner keeps time.
class RegisterFile {
  public:
    static constexpr std::uint32_t none = ~0u;
    struct Config {
        std::uint32_t planes = 1, of_plane = 1;
        bool grouped = true;
    };
    RegisterFile(const Config& f, RegisterState& s) : config_(f), state_(s) {}

    void reset() {
        state_.registers.assign(std::size_t {config_.planes} * config_.of_plane, {});
        state_.pools.assign(config_.grouped ? 1 : config_.planes, {});
        for (RegisterPool& p : state_.pools) p.free = pool_size();
        state_.free.assign(config_.planes, low_bits(config_.of_plane));
    }
    std::uint32_t pool_size() const {
        return config_.grouped ? config_.planes * config_.of_plane : config_.of_plane;
    }
    RegisterPool& pool(std::uint32_t plane) { return state_.pools[pool_of(plane)]; }
    const RegisterPool& pool_at(std::uint32_t i) const { return state_.pools[i]; }
    std::uint32_t pools() const { return static_cast<std::uint32_t>(state_.pools.size()); }
    std::uint32_t pool_of(std::uint32_t plane) const { return config_.grouped ? 0 : plane; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(state_.registers.size()); }
    std::uint32_t used() const { return state_.used; }
    const Register& operator[](std::uint32_t i) const { return state_.registers[i]; }
    std::uint32_t plane_of(std::uint32_t i) const { return i / config_.of_plane; }
    /// The register that accepts writes to this page, or none.
    std::uint32_t find(std::uint64_t key) const {
        const std::uint32_t* const r = state_.of_page.find(key);
        return r ? *r : none;
    }

    /// Takes a free register for a page, preferably of its own plane. Requires a free one in the
    /// pool.
    std::uint32_t take(const PageAddress& a, std::uint64_t key) {
        std::uint32_t plane = a.plane;
        while (state_.free[plane] == 0) plane = plane + 1 == config_.planes ? 0 : plane + 1;
        const std::uint32_t i = plane * config_.of_plane +
                                static_cast<std::uint32_t>(std::countr_zero(state_.free[plane]));
        state_.free[plane] &= state_.free[plane] - 1;
        RegisterPool& p = pool(a.plane);
        --p.free, ++state_.used;
        state_.registers[i] = {a, key, {}, 0, 0, 0, RegisterPhase::dirty};
        device_parts::link_newest(state_.registers, p.written, i);
        state_.of_page[key] = i;
        return i;
    }
    void write(std::uint32_t i, unsigned line, unsigned sectors, unsigned partial) {
        Register& r = state_.registers[i];
        r.mask.add(line, sectors, partial);
        if (r.phase != RegisterPhase::dirty) return;
        RegisterPool& p = pool(r.address.plane);
        device_parts::unlink(state_.registers, p.written, i);
        device_parts::link_newest(state_.registers, p.written, i);
    }
    /// Queues a dirty register for programming.
    void queue(std::uint32_t i, Tick now) {
        RegisterPool& p = pool(state_.registers[i].address.plane);
        device_parts::unlink(state_.registers, p.written, i);
        state_.registers[i].phase = RegisterPhase::queued;
        state_.registers[i].queued_at = now;
        ++p.leaving;
    }
    /// The page of a register is being programmed, or was taken to be programmed elsewhere.
    void leave(std::uint32_t i) {
        Register& r = state_.registers[i];
        state_.of_page.erase(r.key);
        r.phase = RegisterPhase::busy;
    }
    void release(std::uint32_t i) {
        RegisterPool& p = pool(state_.registers[i].address.plane);
        --p.leaving;
        ++p.free, --state_.used;
        state_.free[plane_of(i)] |= std::uint64_t {1} << (i % config_.of_plane);
        state_.registers[i].phase = RegisterPhase::free;
    }

    /// Checks that the lists end and that the counts of free registers are right: otherwise a
    /// search for a free register would not end.
    void check_loaded(Loader& l, const Numbering& n) const {
        for (const Register& r : state_.registers) {
            n.check(l, "registers.address", r.address);
            for (const std::uint32_t other : {r.newer, r.older})
                if (other != none) l.index("registers.newer", other, size());
        }
        std::vector<std::uint32_t> free(pools());
        for (std::uint32_t plane = 0; plane < config_.planes; ++plane) {
            l.bits("registers.free", state_.free[plane], config_.of_plane);
            free[pool_of(plane)] += static_cast<std::uint32_t>(std::popcount(state_.free[plane]));
        }
        for (std::uint32_t i = 0; i < pools(); ++i) {
            device_parts::check_list(l, "registers.written", state_.registers,
                                     state_.pools[i].written);
            l.within("registers.free", [&] {
                l.check(free[i] == state_.pools[i].free,
                        "has a number of free registers that differs from its count");
            });
        }
        state_.of_page.all([&](std::uint64_t, std::uint32_t r) {
            l.index("registers.of_page", r, size());
            return true;
        });
    }

  private:
    Config config_;
    RegisterState& state_;
};

} // namespace memsim::zng::package
