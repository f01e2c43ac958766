#include "xpoint/device.hh"

#include "core/base/bits.hh"

#include <algorithm>
#include <bit>

namespace memsim::xpoint {

using protocol::DdrtCommand;

Device::Device(const DeviceParams& params, const MediaParams& media_params, DeviceStats& stats,
               MediaStats& media_stats, WearStats& wear, DeviceState& state, Contents& contents,
               Ready ready)
    : params_(params), media_params_(media_params), stats_(stats), state_(state),
      contents_(contents), ready_(std::move(ready)),
      media_(media_params, media_stats, wear, state.media, state.read_buffer, state.write_buffer,
             contents.enabled()) {}

std::optional<std::pair<const char*, std::string>> Device::wrong(const DeviceParams& params,
                                                                 const MediaParams& media) {
    using Wrong = std::pair<const char*, std::string>;
    if (media.capacity->raw % (line_bytes * media.partitions()) != 0)
        return Wrong {"capacity", Text<Bytes>::show(media.capacity()) + " cannot be divided into " +
                                      std::to_string(media.partitions()) +
                                      " partitions of 256-byte lines: use a multiple of " +
                                      std::to_string(line_bytes * media.partitions()) + "B"};
    if (params.drain_low() >= params.drain_high())
        return Wrong {"drain_low", "must be less than drain_high, at which draining begins"};
    if (params.drain_high() > params.write_buffer())
        return Wrong {"drain_high", "exceeds the write buffer of " +
                                        std::to_string(params.write_buffer()) + " lines"};
    return {};
}

void Device::init() {
    media_.init();
    state_.loads.resize(params_.loads());
    state_.free_loads = low_bits(params_.loads());
    state_.read_buffer.resize(params_.read_buffer());
    state_.write_buffer.resize(params_.write_buffer());
}

// ---- commands --------------------------------------------------------------------------------

void Device::check_address(const std::string& path, const DdrtCommand& c) const {
    if (c.address + c.bytes > static_cast<std::uint64_t>(media_params_.capacity->raw))
        throw ConfigError(path + ": address " + std::to_string(c.address) +
                          " is beyond the capacity of " +
                          Text<Bytes>::show(media_params_.capacity()) +
                          ": give the memory controller the same capacity");
}

bool Device::accept(const DdrtCommand& c, Tick now) {
    MEMSIM_ASSERT(c.bytes > 0 && c.address / line_bytes == (c.address + c.bytes - 1) / line_bytes,
                  "a DDR-T command must stay within one line");
    if (!(c.write ? write(c) : read(c, now))) return false;
    ++(c.write ? stats_.writes : stats_.reads);
    (c.write ? stats_.write_bytes : stats_.read_bytes) += c.payload();
    if (!c.write) state_.accepted_bytes += c.payload();
    return true;
}

bool Device::read(const DdrtCommand& c, Tick now) {
    if (state_.free_loads == 0) return false;
    const std::uint64_t line = c.address / line_bytes;
    const auto written = state_.write_buffer.find(line);
    const bool forward =
        written && (sectors_touched(c) & ~state_.write_buffer[*written].sectors) == 0;
    const auto buffered = forward ? std::nullopt : state_.read_buffer.find(line);
    auto entry = buffered;
    if (!forward && !entry) {
        entry = state_.read_buffer.take(line, state_.order);
        if (!entry) return false;
        ++state_.order;
    }
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(state_.free_loads));
    state_.free_loads &= state_.free_loads - 1;
    state_.load_of[c.id] = slot;
    Load& load = state_.loads[slot];
    load = {c.address, c.id, c.bytes, c.sectors, 0, false, false, now, {}};
    if (forward) {
        ++stats_.forwarded;
        become_ready(slot, state_.write_buffer.contents(), *written);
        return true;
    }
    ReadBuffer::Entry& e = state_.read_buffer[*entry];
    load.entry = *entry;
    load.holds_entry = true;
    if (!buffered)
        media_.read(*entry);
    else
        ++(e.fill == ReadBuffer::Fill::valid ? stats_.read_buffer_hits : stats_.read_merges);
    e.users |= std::uint64_t {1} << slot;
    if (e.fill == ReadBuffer::Fill::valid)
        become_ready(slot, state_.read_buffer.contents(), *entry);
    return true;
}

bool Device::write(const DdrtCommand& c) {
    const std::uint64_t line = c.address / line_bytes;
    WriteBuffer& buffer = state_.write_buffer;
    // Earlier reads that wait for the media must not see this write.
    if (!state_.read_buffer.give_up(line)) return false;
    auto entry = buffer.open(line);
    if (!entry) {
        if (buffer.full()) return false;
        entry = buffer.take(line, state_.order++);
        if (contents_.enabled()) buffer.forget(*entry);
        media_.write(*entry);
        if (buffer.used() >= params_.drain_high()) media_.drain();
    } else
        ++stats_.coalesced;
    take_contents(*entry, c);
    buffer[*entry].sectors |= sectors_covered(c);
    return true;
}

/// Stores the contents of a write in its entry. If stores arrive out of order, the bytes of the
/// younger one remain, wherever in the module they are.
void Device::take_contents(std::uint8_t entry, const DdrtCommand& c) {
    if (!c.contents) return;
    const std::uint8_t covered = sectors_covered(c);
    const Contents::Record& record = contents_[c.contents];
    for (const Contents::Piece& p : record.pieces) {
        const std::uint64_t sector = c.address % line_bytes / protocol::sector_bytes + p.sector;
        const bool whole = covered >> sector & 1;
        SectorBytes data = p.data;
        if (!record.moves && !p.data.moved) {
            SectorBytes all = newest(c.address / line_bytes, sector);
            if (all.store(p.data)) contents_.count_overtaken();
            data.take(all, p.data.known);
        }
        state_.write_buffer.put(entry, sector, data, whole);
    }
    contents_.release(c.contents);
}

// ---- data ------------------------------------------------------------------------------------

void Device::become_ready(std::uint32_t slot, const device_parts::SectorStore& buffer,
                          std::size_t entry) {
    Load& load = state_.loads[slot];
    load.ready = true;
    if (contents_.enabled()) {
        Load here = load; // with the numbering of the buffer's lines
        here.address = entry * line_bytes + load.address % line_bytes;
        load.contents = buffer.read(contents_, here);
    }
    ready_(slot);
}

void Device::grant(const protocol::DdrtGrant& g) {
    const std::uint32_t* const slot = state_.load_of.find(g.id);
    MEMSIM_ASSERT(slot && state_.loads[*slot].ready, "a grant for a read that is not ready");
    const auto later = std::find_if(state_.granted.begin(), state_.granted.end(),
                                    [&](const DeviceState::Grant& o) { return o.at > g.slot_end; });
    state_.granted.insert(later, {g.slot_end, *slot});
    stats_.reverse_writes += g.reverse;
}

void Device::release(std::uint32_t slot) {
    const Load& load = state_.loads[slot];
    state_.load_of.erase(load.id);
    state_.free_loads |= std::uint64_t {1} << slot;
    if (load.holds_entry) state_.read_buffer.release(load.entry, slot);
}

void Device::finish(Tick now) {
    media_.finish(now, params_.drain_low(), [this](std::uint8_t entry) {
        for_each_bit(state_.read_buffer[entry].users, [&](std::uint32_t slot) {
            become_ready(slot, state_.read_buffer.contents(), entry);
        });
    });
}

SectorBytes Device::newest(std::uint64_t line, std::uint64_t sector) const {
    SectorBytes all;
    media_.read_sector(line, sector, all);
    state_.write_buffer.cover_by_all(line, sector, all);
    return all;
}

void Device::copy_in(std::uint64_t line, std::uint64_t sector, const SectorBytes& data) {
    media_.copy_in(line, sector, data);
    state_.write_buffer.copy_in(line, sector, data);
    if (const auto entry = state_.read_buffer.find(line))
        state_.read_buffer.contents().merge(*entry * line_sectors + sector, data, false);
}

// ---- reports ---------------------------------------------------------------------------------

bool Device::pending() const {
    return state_.free_loads != low_bits(params_.loads()) || !media_.idle();
}

void Device::check_loaded(Loader& l) const {
    const std::size_t loads = state_.loads.size();
    l.bits("free_loads", state_.free_loads, loads);
    state_.load_of.all([&](std::uint64_t, std::uint32_t slot) {
        l.index("load_of", slot, loads);
        return true;
    });
    for (const Load& load : state_.loads)
        l.index("loads.entry", load.entry, state_.read_buffer.size());
    for (const DeviceState::Grant& g : state_.granted) l.index("granted.load", g.load, loads);
    state_.read_buffer.check_loaded(l, loads, lines());
    state_.write_buffer.check_loaded(l, lines());
    media_.check_loaded(l);
}

void Device::waits_on(const std::string& path, WaitReport& report) const {
    unsigned ready = 0, media = 0;
    for (std::uint32_t i = 0; i < state_.loads.size(); ++i)
        if (!(state_.free_loads >> i & 1)) ++(state_.loads[i].ready ? ready : media);
    if (ready)
        report.add(path + ": " + std::to_string(ready) +
                   " reads are ready and wait for the memory controller's grant");
    if (media) report.add(path + ": " + std::to_string(media) + " reads wait for the media");
}

std::optional<std::string> Device::imbalance() const {
    if (state_.accepted_bytes != state_.sent_bytes)
        return "accepted reads of " + std::to_string(state_.accepted_bytes) + " bytes but sent " +
               std::to_string(state_.sent_bytes);
    if (!state_.granted.empty()) return "a granted read was never sent";
    return {};
}

} // namespace memsim::xpoint
