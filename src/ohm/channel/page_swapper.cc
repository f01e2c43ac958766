#include "ohm/channel/page_swapper.hh"

#include "core/base/bits.hh"
#include "device_parts/named.hh"

#include <bit>

namespace memsim::ohm {

using Mask = PageSwapperState::Mask;
using protocol::DdrtCommand;
using xpoint::line_bytes;

namespace {
std::uint32_t next_of(unsigned all, unsigned done) {
    return static_cast<std::uint32_t>(std::countr_zero(all & ~done));
}
Mask line_bit(std::uint32_t piece) { return static_cast<Mask>(1u << piece); }
} // namespace

bool PageSwapper::accept(const DdrtCommand& c) {
    for (Job& job : state_.jobs) {
        if (job.live) continue;
        job = {};
        job.live = true;
        job.xpoint = c.address;
        job.dram = c.other;
        job.id = c.id;
        job.all = low_bits<Mask>(c.bytes / line_bytes);
        return true;
    }
    return false;
}

void PageSwapper::take_answers() {
    while (!dram_.empty()) {
        const SequenceDone d = dram_.pop();
        Job& job = device_parts::named(state_.jobs, d.id >> job_shift);
        const std::uint32_t piece = d.id & 15;
        if (d.id & write_mark) {
            job.dram_written |= line_bit(piece);
            continue;
        }
        job.dram_read |= line_bit(piece);
        state_.registers.replace(contents_, place(number(job), true, piece), d.contents);
    }
}

void PageSwapper::line_read(const xpoint::Device::Load& load) {
    const std::uint32_t job = (load.id & ~own_load) >> job_shift, piece = load.id & 15;
    state_.jobs[job].media_read |= line_bit(piece);
    state_.registers.replace(contents_, place(job, false, piece), load.contents);
}

/// Returns whether the job is now complete.
bool PageSwapper::advance(Job& job, Tick now) {
    if (!job.has_both()) read(job, now);
    if (job.has_both()) write(job); // also data that buffers supplied at once
    job.ready = (job.written & job.dram_written) == job.all;
    return job.ready;
}

/// Reads both pages into the register: lines of the media, pieces of the open row.
void PageSwapper::read(Job& job, Tick now) {
    while (job.media_asked != job.all) {
        const std::uint32_t piece = next_of(job.all, job.media_asked);
        DdrtCommand c;
        c.address = job.xpoint + piece * line_bytes;
        c.bytes = line_bytes;
        c.id = own_load | number(job) << job_shift | piece;
        if (!device_.read(c, now)) break;
        job.media_asked |= line_bit(piece);
    }
    while (job.dram_asked != job.all && dram_.can_send()) {
        const std::uint32_t piece = next_of(job.all, job.dram_asked);
        dram_.send({job.dram + piece * line_bytes,
                    line_bytes,
                    number(job) << job_shift | piece,
                    {},
                    false});
        job.dram_asked |= line_bit(piece);
    }
}

/// Writes both pages back, exchanged. Writes to the DRAM are sent together, because each change of
/// direction costs a turnaround.
void PageSwapper::write(Job& job) {
    while (job.write_asked != job.all && dram_.can_send()) {
        const std::uint32_t piece = next_of(job.all, job.write_asked);
        dram_.send({job.dram + piece * line_bytes, line_bytes,
                    number(job) << job_shift | write_mark | piece,
                    from_register(place(number(job), false, piece)), true});
        job.write_asked |= line_bit(piece);
    }
    while (job.written != job.all) {
        const std::uint32_t piece = next_of(job.all, job.written);
        DdrtCommand c;
        c.address = job.xpoint + piece * line_bytes;
        c.bytes = line_bytes;
        c.write = true;
        c.contents = from_register(place(number(job), true, piece));
        if (!device_.write(c)) { // the write buffer is full
            contents_.release(c.contents);
            break;
        }
        job.written |= line_bit(piece);
    }
}

Contents::Id PageSwapper::from_register(std::uint64_t place) {
    if (!contents_.enabled()) return {};
    return state_.registers.take_out(contents_, place, xpoint::line_sectors);
}

/// Frees the job that is confirmed. Only a ready one matches, because the next swap may have the
/// same id and may have been accepted already.
void PageSwapper::confirm(std::uint32_t id) {
    for (Job& job : state_.jobs)
        if (job.live && job.ready && job.id == id) job.live = false;
}

bool PageSwapper::pending() const {
    for (const Job& job : state_.jobs)
        if (job.live) return true;
    return false;
}

void PageSwapper::check_loaded(Loader& l) const {
    for (const Job& job : state_.jobs)
        l.within("swaps", [&] {
            const unsigned asked = job.media_asked | job.dram_asked | job.write_asked | job.written;
            l.check((asked & ~job.all) == 0, "request more than their page");
        });
}

void PageSwapper::waits_on(const std::string& path, WaitReport& report) const {
    for (const Job& job : state_.jobs)
        if (job.live)
            report.add(path + ": a swap " +
                       (job.ready        ? "waits to be confirmed"
                        : job.has_both() ? "is being written"
                                         : "is being read"));
}

} // namespace memsim::ohm
