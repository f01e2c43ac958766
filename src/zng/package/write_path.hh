#pragma once

#include "zng/package/core.hh"

namespace memsim::zng::package {

/// Writes lines to registers, or queues writes until a register is free. Keeps registers free by
/// programming the pages written longest ago.
class WritePath {
  public:
    explicit WritePath(Core& core)
        : c_(core), spare_(std::min(core.params.spare(), core.registers.pool_size() / 4)) {}

    void take(const Request& r) {
        const std::uint32_t pool = pool_of(r);
        if (!write(r, true)) {
            ++c_.stat.stalled_writes;
            c_.stalled.add(pool, r);
        }
        evict(pool, c_.stalled.pages(pool));
    }
    /// Retries the writes that wait for a register, in order.
    void serve_stalled() {
        for (std::uint32_t pool = 0; pool < c_.stalled.pools(); ++pool) {
            const Request* const left =
                c_.stalled.serve(pool, [this](const Request& r) { return write(r, false); });
            if (!left) continue;
            const std::uint32_t of = pool_of(*left);
            evict(of, std::max(c_.stalled.pages(of), 1u));
        }
    }

  private:
    std::uint32_t pool_of(const Request& r) const {
        return c_.registers.pool_of(c_.decoders.forwarded(c_.n.address(r.packet)).plane);
    }
    /// Writes a line to a register, if one is available. `first`: this is its first attempt.
    bool write(const Request& w, bool first) {
        const FlashPacket& p = w.packet;
        const PageAddress a = c_.decoders.forwarded(c_.n.address(p));
        const std::uint64_t page = c_.n.page(a);
        std::uint32_t r = c_.registers.find(page);
        const bool hit = r != RegisterFile::none;
        if (!hit) {
            if (c_.registers.pool(a.plane).free == 0) return false;
            r = c_.registers.take(a, page);
            c_.stat.registers_used.set(c_.sim.now(), c_.registers.used());
        }
        if (hit && first) ++c_.stat.write_hits;
        c_.registers.write(r, p.line, p.sectors, p.partial);
        if (p.contents)
            c_.versions.write(c_.places_of(a), p.line, p.sectors & ~p.partial, p.contents);
        if (!first) c_.sim.stamps().mark(p.stamps, FlashStage::reg, c_.sim.now());
        Request done = w;
        done.packet.sectors = hit && first;
        c_.answers.answer(done, PacketKind::written,
                          c_.cross_io_path(c_.registers.plane_of(r), p.bytes).ends);
        return true;
    }
    /// Queues pages for programming, the one written longest ago first, until enough registers are
    /// free or will become free: the reserve and those that writes wait for.
    void evict(std::uint32_t pool, std::uint32_t waiting) {
        const RegisterPool& p = c_.registers.pool_at(pool);
        const std::uint32_t want = spare_ + waiting;
        std::uint32_t i = p.written.oldest;
        while (p.free + p.leaving < want && i != parts::no_link) {
            const Register& r = c_.registers[i];
            const std::uint32_t next = r.newer;
            // Versions of one page are programmed one after another.
            if (!c_.workers.programs(r.key) && promise(r.address)) {
                const std::uint32_t worker = c_.workers.of_plane(r.address.plane);
                c_.registers.queue(i, c_.sim.now());
                c_.workers[worker].programs.push(i);
                c_.workers.mark_ready(worker);
            }
            i = next;
        }
    }
    bool promise(const PageAddress& a) {
        const RowDecoders::Promise p = c_.decoders.promise(a);
        if (p.low) {
            ++c_.stat.log_lows;
            c_.answers.log_low(a, c_.n.place(a.plane), p.left, p.blocks);
        }
        return p.granted;
    }

    Core& c_;
    std::uint32_t spare_;
};

} // namespace memsim::zng::package
