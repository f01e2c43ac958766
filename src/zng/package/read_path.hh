#pragma once

#include "zng/package/core.hh"

namespace memsim::zng::package {

/// Serves reads from registers and data registers, or queues them until their page is sensed.
class ReadPath {
  public:
    explicit ReadPath(Core& core) : c_(core) {}

    void read(const Request& r) {
        const FlashPacket& p = r.packet;
        const PageAddress a = c_.decoders.forwarded(c_.n.address(p));
        const std::uint64_t page = c_.n.page(a);
        if (c_.missing(page, p.line, p.sectors) == 0) {
            ++c_.stat.register_reads;
            PagePlaces here = c_.versions.carries() ? c_.places_of(a) : PagePlaces {};
            here.array = PagePlaces::nowhere;
            const std::uint32_t reg = c_.registers.find(page);
            const std::uint32_t plane =
                reg != RegisterFile::none ? c_.registers.plane_of(reg) : a.plane;
            return c_.answers.data(r, {p.bytes, c_.versions.read(here, p.line, p.sectors), plane});
        }
        std::uint32_t s = c_.reads.find(page);
        c_.stat.joined_reads += s != PageReads::none;
        if (s == PageReads::none) {
            s = c_.reads.open(a, page);
            const std::uint32_t worker = c_.workers.of_plane(a.plane);
            c_.workers[worker].senses.push(s);
            c_.workers.mark_ready(worker);
        } else if (c_.reads[s].output)
            return send(r, a, s);
        c_.reads.join(s, r);
    }
    /// Sensing of the page begins.
    void begins(std::uint32_t s) { mark(s, FlashStage::plane); }
    /// The page is in the data register of its plane.
    void sensed(std::uint32_t s) {
        PageReads::Sense& sense = c_.reads[s];
        sense.output = true;
        ++c_.stat.page_reads;
        c_.stat.pages_read += c_.reads.first_time(s);
        const PageAddress a = sense.address;
        std::uint32_t asked = 0;
        Request last;
        mark(s, FlashStage::sensing);
        c_.reads.take_all(s, [&](const Request& r) {
            asked |= 1u << r.packet.line;
            last = r;
            send(r, a, s);
        });
        if (c_.params.transfer() == PageTransfer::page) send_rest(last, ~asked, s);
    }
    /// The page has moved since it was queued: repeats its reads for the new place.
    void ask_again(std::uint32_t s) {
        c_.reads.hide(s);
        c_.reads.take_all(s, [&](const Request& r) { read(r); });
        c_.reads.close(s);
        c_.again = true;
    }
    /// An answer has left. After the last one the data register is free.
    void sent(std::uint32_t s) {
        PageReads::Sense& sense = c_.reads[s];
        if (--sense.unsent > 0) return;
        c_.stat.useful_bytes += sense.useful;
        c_.stat.sensed_bytes += page_bytes;
        const std::uint32_t worker = c_.workers.of_plane(sense.address.plane);
        c_.reads.hide(s);
        c_.reads.close(s);
        c_.rest(worker);
    }

  private:
    /// Marks a stage for all reads that wait for the page.
    void mark(std::uint32_t sense, memsim::Stage stage) {
        if (c_.sim.stamps().enabled())
            c_.reads.each(sense, [&](const Request& r) {
                c_.sim.stamps().mark(r.packet.stamps, stage, c_.sim.now());
            });
    }
    /// All reads of a page come from one controller.
    void send_rest(const Request& r, std::uint32_t lines, std::uint32_t sense) {
        for (; lines; lines &= lines - 1) {
            c_.answers.rest(r, static_cast<unsigned>(std::countr_zero(lines)),
                            c_.reads[sense].address.plane, sense);
            ++c_.reads[sense].unsent;
        }
    }
    void send(const Request& r, const PageAddress& a, std::uint32_t sense) {
        const FlashPacket& p = r.packet;
        c_.answers.data(r, {p.bytes, c_.contents_of(a, p.line, p.sectors), a.plane, sense});
        ++c_.reads[sense].unsent;
        c_.reads[sense].useful += p.bytes;
    }

    Core& c_;
};

} // namespace memsim::zng::package
