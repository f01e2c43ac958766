#include "cxl/hdm/capability.hh"

namespace memsim::cxl {

namespace {

constexpr unsigned ways_a_register = 8, target_bits = 8;

std::uint64_t packed(const HdmEntry& e, unsigned first) {
    std::uint64_t value = 0;
    for (unsigned i = ways_a_register; i-- > 0;)
        value = value << target_bits | e.targets[first + i];
    return value;
}

void unpack(HdmEntry& e, unsigned first, std::uint64_t value) {
    for (unsigned i = 0; i < ways_a_register; ++i, value >>= target_bits)
        e.targets[first + i] = static_cast<std::uint8_t>(value);
}

} // namespace

std::uint64_t HdmCapability::read(const CxlConfigRequest& r) const {
    if (r.reg == CxlRegister::decoder_enable) return enabled ? decoders_on : 0;
    if (r.decoder >= entries.size()) return 0;
    const HdmEntry& e = entries[r.decoder];
    switch (r.reg) {
    case CxlRegister::decoder_base:
        return e.decoder.base;
    case CxlRegister::decoder_size:
        return e.decoder.bytes;
    case CxlRegister::decoder_skip:
        return e.decoder.skip;
    case CxlRegister::decoder_targets:
        return packed(e, 0);
    case CxlRegister::decoder_targets_high:
        return packed(e, ways_a_register);
    case CxlRegister::decoder_control:
        return e.decoder.control() | (e.committed ? committed : 0) | (e.failed ? not_committed : 0);
    default:
        return 0;
    }
}

void HdmCapability::write(const CxlConfigRequest& r, const Limits& limits) {
    if (r.reg == CxlRegister::decoder_enable) enabled = r.value & decoders_on;
    if (r.decoder >= entries.size() || entries[r.decoder].committed) return;
    HdmEntry& e = entries[r.decoder];
    switch (r.reg) {
    case CxlRegister::decoder_base:
        e.decoder.base = r.value;
        break;
    case CxlRegister::decoder_size:
        e.decoder.bytes = r.value;
        break;
    case CxlRegister::decoder_skip:
        e.decoder.skip = r.value;
        break;
    case CxlRegister::decoder_targets:
        unpack(e, 0, r.value);
        break;
    case CxlRegister::decoder_targets_high:
        unpack(e, ways_a_register, r.value);
        break;
    case CxlRegister::decoder_control: {
        HdmDecoder changed = e.decoder;
        changed.set_control(r.value);
        e.failed = changed.ways == 0 || changed.granularity == 0;
        if (e.failed) break;
        e.decoder = changed;
        if (!(r.value & commit)) break;
        e.committed = can_commit(e, limits);
        e.failed = !e.committed;
        break;
    }
    default:
        break;
    }
}

bool HdmCapability::can_commit(const HdmEntry& e, const Limits& limits) const {
    const HdmDecoder& d = e.decoder;
    if (!d.fault().empty() || d.position >= d.ways) return false;
    if (d.skip > limits.share || d.share() > limits.share - d.skip) return false;
    for (unsigned i = 0; i < d.ways; ++i)
        if (e.targets[i] >= limits.targets) return false;
    for (const HdmEntry& other : entries)
        if (other.committed && other.decoder.overlaps(d)) return false;
    return true;
}

void HdmCapability::check_loaded(Loader& l, std::uint32_t targets) const {
    for (const HdmEntry& e : entries)
        l.within("entries", [&] {
            l.check(std::has_single_bit(e.decoder.granularity) && e.decoder.ways != 0 &&
                        e.decoder.ways <= e.targets.size(),
                    "has a decoder with no ways or granularity");
            l.check(!e.committed || e.decoder.fault().empty(), "has committed an invalid decoder");
            for (unsigned i = 0; i < e.decoder.ways; ++i)
                l.check(!e.committed || e.targets[i] < targets, "names a port that does not exist");
        });
}

} // namespace memsim::cxl
