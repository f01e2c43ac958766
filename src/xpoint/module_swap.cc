#include "parts/named.hh"
#include "xpoint/module.hh"

#include <bit>

/// The swap function: a page of XPoint and a row of DRAM change places without the memory
/// controller (Ohm-GPU IV-B, V-A).
namespace memsim::xpoint {

namespace {
constexpr std::uint32_t write_mark = 16; ///< in the id of an access to the DRAM
constexpr unsigned job_shift = 5;
} // namespace

/// SWAP-CMD. False if every register is in use.
bool Module::accept_swap(const protocol::DdrtCommand& c) {
    for (SwapJob& job : state.swaps) {
        if (job.live) continue;
        job = {};
        job.live = true;
        job.xpoint = c.address;
        job.dram = c.other;
        job.id = c.id;
        job.all = static_cast<SwapJob::Mask>((1u << c.bytes / line_bytes) - 1);
        return true;
    }
    return false;
}

/// What the DRAM has answered.
void Module::take_sequence() {
    for (unsigned p = 0; p < port.dram.size(); ++p)
        while (!port.dram[p].empty()) {
            const protocol::SequenceDone d = port.dram[p].pop();
            SwapJob& job = parts::named(state.swaps, d.id >> job_shift);
            const unsigned piece = d.id & 15;
            const auto bit = static_cast<SwapJob::Mask>(1u << piece);
            if (d.id & write_mark) {
                job.dram_written |= bit;
            } else {
                job.dram_read |= bit;
                state.contents.registers.replace(
                    sim().contents(), in_register(d.id >> job_shift, true, piece), d.contents);
            }
        }
}

/// A line of a swap has come from the media into the register.
void Module::swap_line_read(std::uint32_t id, const parts::SectorStore& buffer, unsigned entry) {
    const std::uint32_t index = (id & ~own_load) >> job_shift;
    state.swaps[index].media_read |= static_cast<SwapJob::Mask>(1u << (id & 15));
    if (sim().contents().enabled())
        state.contents.registers.copy(buffer, entry * line_sectors,
                                      in_register(index, false, id & 15), line_sectors);
}

void Module::advance_swaps() {
    for (SwapJob& job : state.swaps) {
        if (!job.live || job.ready) continue;
        if ((job.media_read & job.dram_read) != job.all)
            read_swap(job);
        else
            write_swap(job);
        if ((job.written & job.dram_written) == job.all) {
            job.ready = true;
            ++stat.swaps;
            port.commands.send({job.id});
        }
    }
}

namespace {
unsigned next_of(unsigned all, unsigned done) {
    return static_cast<unsigned>(std::countr_zero(all & ~done));
}
} // namespace

/// Both pages into the register: lines of the media, pieces of the open row.
void Module::read_swap(SwapJob& job) {
    const auto index = static_cast<std::uint32_t>(&job - state.swaps.data());
    while (job.media_asked != job.all) {
        const unsigned piece = next_of(job.all, job.media_asked);
        protocol::DdrtCommand c;
        c.address = job.xpoint + piece * line_bytes;
        c.bytes = line_bytes;
        c.id = own_load | index << job_shift | piece;
        if (!accept_read(c)) break;
        job.media_asked |= static_cast<SwapJob::Mask>(1u << piece);
    }
    while (job.dram_asked != job.all && port.dram[0].can_send()) {
        const unsigned piece = next_of(job.all, job.dram_asked);
        port.dram[0].send(
            {job.dram + piece * line_bytes, line_bytes, index << job_shift | piece, {}, false});
        job.dram_asked |= static_cast<SwapJob::Mask>(1u << piece);
    }
}

/// And back, crosswise. The DRAM's writes go in one run: between them and reads it has to turn.
void Module::write_swap(SwapJob& job) {
    const auto index = static_cast<std::uint32_t>(&job - state.swaps.data());
    while (job.write_asked != job.all && port.dram[0].can_send()) {
        const unsigned piece = next_of(job.all, job.write_asked);
        port.dram[0].send({job.dram + piece * line_bytes, line_bytes,
                           index << job_shift | write_mark | piece,
                           from_register(in_register(index, false, piece)), true});
        job.write_asked |= static_cast<SwapJob::Mask>(1u << piece);
    }
    while (job.written != job.all) {
        const unsigned piece = next_of(job.all, job.written);
        protocol::DdrtCommand c;
        c.address = job.xpoint + piece * line_bytes;
        c.bytes = line_bytes;
        c.contents = from_register(in_register(index, true, piece));
        c.write = true;
        if (!accept_write(c)) { // the write buffer is full
            sim().contents().release(c.contents);
            break;
        }
        job.written |= static_cast<SwapJob::Mask>(1u << piece);
    }
}

} // namespace memsim::xpoint
