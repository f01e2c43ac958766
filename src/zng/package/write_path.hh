#pragma once

#include "zng/package/core.hh"

namespace memsim::zng::package {

/// Writes lines to registers, or queues writes until a register is free. Keeps registers free by
/// programming the pages written longest ago.
class WritePath {
  public:
    explicit WritePath(Core& core)
        : core_(core), spare_(std::min(core.params.spare(), core.registers.pool_size() / 4)) {}

    void take(const Request& r) {
        const std::uint32_t pool = pool_of(r);
        if (!write(r, true)) {
            ++core_.stat.stalled_writes;
            core_.stalled.add(pool, r);
        }
        evict(pool, core_.stalled.pages(pool));
    }
    /// Retries the writes that wait for a register, in order.
    void serve_stalled() {
        for (std::uint32_t pool = 0; pool < core_.stalled.pools(); ++pool) {
            const Request* const left =
                core_.stalled.serve(pool, [this](const Request& r) { return write(r, false); });
            if (!left) continue;
            const std::uint32_t of = pool_of(*left);
            evict(of, std::max(core_.stalled.pages(of), 1u));
        }
    }

  private:
    std::uint32_t pool_of(const Request& r) const {
        return core_.registers.pool_of(core_.decoders.forwarded(core_.n.address(r.packet)).plane);
    }
    /// Writes a line to a register, if one is available. `first`: this is its first attempt.
    bool write(const Request& w, bool first) {
        const FlashPacket& p = w.packet;
        const PageAddress a = core_.decoders.forwarded(core_.n.address(p));
        const std::uint64_t page = core_.n.page(a);
        std::uint32_t r = core_.registers.find(page);
        const bool hit = r != RegisterFile::none;
        if (!hit) {
            if (core_.registers.pool(a.plane).free == 0) return false;
            r = core_.registers.take(a, page);
            core_.stat.registers_used.set(core_.sim.now(), core_.registers.used());
        }
        if (hit && first) ++core_.stat.write_hits;
        core_.registers.write(r, p.line, p.sectors, p.partial);
        if (p.contents)
            core_.versions.write(core_.places_of(a), p.line, p.sectors & ~p.partial, p.contents);
        if (!first) core_.sim.stamps().mark(p.stamps, FlashStage::reg, core_.sim.now());
        Request done = w;
        done.packet.sectors = hit && first;
        core_.answers.answer(done, PacketKind::written,
                             core_.cross_io_path(core_.registers.plane_of(r), p.bytes).ends);
        return true;
    }
    /// Queues pages for programming, the one written longest ago first, until enough registers are
    /// free or will become free: the reserve and those that writes wait for.
    void evict(std::uint32_t pool, std::uint32_t waiting) {
        const RegisterPool& p = core_.registers.pool_at(pool);
        const std::uint32_t want = spare_ + waiting;
        std::uint32_t i = p.written.oldest;
        while (p.free + p.leaving < want && i != device_parts::no_link) {
            const Register& r = core_.registers[i];
            const std::uint32_t next = r.newer;
            // Versions of one page are programmed one after another.
            if (!core_.workers.programs(r.key) && promise(r.address)) {
                const std::uint32_t worker = core_.workers.of_plane(r.address.plane);
                core_.registers.queue(i, core_.sim.now());
                core_.workers[worker].programs.push(i);
                core_.workers.mark_ready(worker);
            }
            i = next;
        }
    }
    bool promise(const PageAddress& a) {
        const RowDecoders::Promise p = core_.decoders.promise(a);
        if (p.low) {
            ++core_.stat.log_lows;
            core_.answers.log_low(a, core_.n.place(a.plane), p.left, p.blocks);
        }
        return p.granted;
    }

    Core& core_;
    std::uint32_t spare_;
};

} // namespace memsim::zng::package
