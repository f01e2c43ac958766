#include "workload/device_memory.hh"

namespace memsim::workload {

u64 DeviceMemory::add(const std::string& name, u64 bytes, bool read_only) {
    const u64 base = next_;
    allocations_.push_back({name, base, bytes});
    // Rounded up to the end of the last sector, as MemoryView requires.
    pieces_.push_back({std::make_unique<u64[]>((bytes + 31) / 32 * 4), read_only});
    next_ += (bytes + 255) / 256 * 256;
    return base;
}

std::vector<gpu_program::MemoryView> DeviceMemory::views() const {
    std::vector<gpu_program::MemoryView> all;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
        all.push_back({allocations_[i].base, allocations_[i].bytes,
                       reinterpret_cast<const u8*>(pieces_[i].words.get()), pieces_[i].read_only});
    return all;
}

u64 DeviceMemory::digest(bool of_inputs) const {
    // Multiply and fold: the result depends on the order, and a change of one bit affects all bits.
    // The bytes after the last element are 0.
    u64 hash = next_;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (pieces_[i].read_only != of_inputs) continue;
        hash = (hash ^ allocations_[i].bytes) * 0x9e3779b97f4a7c15;
        for (u64 w = 0; w < (allocations_[i].bytes + 7) / 8; ++w) {
            hash = (hash ^ pieces_[i].words[w]) * 0xbf58476d1ce4e5b9;
            hash ^= hash >> 32;
        }
    }
    return hash;
}

void DeviceMemory::save(Saver& to) const {
    for (std::size_t i = 0; i < pieces_.size(); ++i)
        if (!pieces_[i].read_only) to.raw(pieces_[i].words.get(), allocations_[i].bytes);
}

void DeviceMemory::load(Loader& from) {
    for (std::size_t i = 0; i < pieces_.size(); ++i)
        if (!pieces_[i].read_only) from.raw(pieces_[i].words.get(), allocations_[i].bytes);
}

} // namespace memsim::workload
