#include "flash/drive/writes.hh"

#include "flash/drive/page_spans.hh"

namespace memsim::flash {

using protocol::block_sector_bytes;

void DriveWrites::add(std::uint32_t c) {
    DriveCommand& command = of_.commands[c];
    command.left = is_flush(c) ? 1 : command.request.sectors;
    of_.waiting.push(c);
}

void DriveWrites::accept_waiting(Tick now) {
    while (!of_.waiting.empty()) {
        const std::uint32_t c = of_.waiting.front();
        if (is_flush(c)) {
            if (!of_.cache.all_written()) return;
            flushed_(c);
        } else if (!take_write(c, now))
            return;
        of_.waiting.pop();
    }
}

/// Accepts as many sectors of a write as there is space for. Returns true if all are in the cache.
bool DriveWrites::take_write(std::uint32_t c, Tick now) {
    DriveCommand& command = of_.commands[c];
    const protocol::BlockRequest& r = command.request;
    std::uint32_t taken = 0;
    bool room = true;
    while (command.accepted < r.sectors) {
        const PageSpan span = first_span(r.sector + command.accepted, r.sectors - command.accepted,
                                         config_.page_sectors);
        const std::uint32_t cached =
            of_.cache.buffered() < config_.buffer ? of_.cache.place(span.lpn) : no_link;
        if (cached == no_link) {
            room = false;
            break;
        }
        of_.cache.write(cached, span.sectors);
        of_.contents.write(cached, span.lpn, span.sectors, r);
        command.accepted += span.count();
        taken += span.count();
    }
    if (taken) of_.dram.use(c, taken, taken * block_sector_bytes, now);
    if (room) of_.records.release(std::exchange(command.request.contents, {}));
    if (!room && !std::exchange(command.waited, true)) ++of_.buffer_waits;
    return room;
}

void DriveWrites::destage() {
    for (;;) {
        const bool waits = !of_.waiting.empty();
        std::uint32_t i = no_link;
        if (of_.cache.dirty_pages() > config_.dirty_pages || waits) i = of_.cache.oldest_dirty();
        if (i == no_link && waits && (of_.cache.full() || is_flush(of_.waiting.front())))
            i = of_.cache.oldest_hot();
        if (i == no_link) return;
        of_.cache.take_off(i);
        of_.back_end.write(i, of_.cache[i].lpn, of_.cache[i].flying);
    }
}

} // namespace memsim::flash
