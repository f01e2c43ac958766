#pragma once

#include "zng/package/core.hh"

namespace memsim::zng::package {

/// Serves reads from registers and data registers, or queues them until their page is sensed.
class ReadPath {
  public:
    explicit ReadPath(Core& core) : core_(core) {}

    void read(const Request& r) {
        const FlashPacket& p = r.packet;
        const PageAddress a = core_.decoders.forwarded(core_.n.address(p));
        const std::uint64_t page = core_.n.page(a);
        if (core_.missing(page, p.line, p.sectors) == 0) {
            ++core_.stat.register_reads;
            PagePlaces here = core_.versions.carries() ? core_.places_of(a) : PagePlaces {};
            here.array = PagePlaces::nowhere;
            const std::uint32_t reg = core_.registers.find(page);
            const std::uint32_t plane =
                reg != RegisterFile::none ? core_.registers.plane_of(reg) : a.plane;
            return core_.answers.data(
                r, {p.bytes, core_.versions.read(here, p.line, p.sectors), plane});
        }
        std::uint32_t s = core_.reads.find(page);
        core_.stat.joined_reads += s != PageReads::none;
        if (s == PageReads::none) {
            s = core_.reads.open(a, page);
            const std::uint32_t worker = core_.workers.of_plane(a.plane);
            core_.workers[worker].senses.push(s);
            core_.workers.mark_ready(worker);
        } else if (core_.reads[s].output)
            return send(r, a, s);
        core_.reads.join(s, r);
    }
    /// Sensing of the page begins.
    void begins(std::uint32_t s) { mark(s, FlashStage::plane); }
    /// The page is in the data register of its plane.
    void sensed(std::uint32_t s) {
        PageReads::Sense& sense = core_.reads[s];
        sense.output = true;
        ++core_.stat.page_reads;
        core_.stat.pages_read += core_.reads.first_time(s);
        const PageAddress a = sense.address;
        std::uint32_t asked = 0;
        Request last;
        mark(s, FlashStage::sensing);
        core_.reads.take_all(s, [&](const Request& r) {
            asked |= 1u << r.packet.line;
            last = r;
            send(r, a, s);
        });
        if (core_.params.transfer() == PageTransfer::page) send_rest(last, ~asked, s);
    }
    /// The page has moved since it was queued: repeats its reads for the new place.
    void ask_again(std::uint32_t s) {
        core_.reads.hide(s);
        core_.reads.take_all(s, [&](const Request& r) { read(r); });
        core_.reads.close(s);
        core_.again = true;
    }
    /// An answer has left. After the last one the data register is free.
    void sent(std::uint32_t s) {
        PageReads::Sense& sense = core_.reads[s];
        if (--sense.unsent > 0) return;
        core_.stat.useful_bytes += sense.useful;
        core_.stat.sensed_bytes += page_bytes;
        const std::uint32_t worker = core_.workers.of_plane(sense.address.plane);
        core_.reads.hide(s);
        core_.reads.close(s);
        core_.make_idle(worker);
    }

  private:
    /// Marks a stage for all reads that wait for the page.
    void mark(std::uint32_t sense, memsim::Stage stage) {
        if (core_.sim.stamps().enabled())
            core_.reads.each(sense, [&](const Request& r) {
                core_.sim.stamps().mark(r.packet.stamps, stage, core_.sim.now());
            });
    }
    /// All reads of a page come from one controller.
    void send_rest(const Request& r, std::uint32_t lines, std::uint32_t sense) {
        for (; lines; lines &= lines - 1) {
            core_.answers.send_rest(r, static_cast<unsigned>(std::countr_zero(lines)),
                                    core_.reads[sense].address.plane, sense);
            ++core_.reads[sense].unsent;
        }
    }
    void send(const Request& r, const PageAddress& a, std::uint32_t sense) {
        const FlashPacket& p = r.packet;
        core_.answers.data(r, {p.bytes, core_.contents_of(a, p.line, p.sectors), a.plane, sense});
        ++core_.reads[sense].unsent;
        core_.reads[sense].useful += p.bytes;
    }

    Core& core_;
};

} // namespace memsim::zng::package
