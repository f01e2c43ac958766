#include "parts/sector_store.hh"

#include <algorithm>

namespace memsim::parts {

void SectorStore::read(std::uint64_t sector, SectorBytes& to) const {
    const std::uint32_t* number = numbers_.find(sector / sectors);
    if (!number) {
        to.known = 0;
        return;
    }
    const Block& b = blocks_[*number - 1];
    const auto at = static_cast<std::uint32_t>(sector % sectors);
    to.known = b.known[at];
    std::copy_n(&b.bytes[at * SectorBytes::size], SectorBytes::size, to.bytes.data());
    if (b.order == none)
        to.order.fill(0);
    else
        std::copy_n(&orders_[b.order][at * SectorBytes::size], SectorBytes::size, to.order.data());
}

bool SectorStore::sound() const {
    for (const Block& b : blocks_)
        if (b.order != none && b.order >= orders_.size()) return false;
    return numbers_.all([&](std::uint64_t, std::uint32_t number) {
        return number > 0 && number <= blocks_.size();
    });
}

bool SectorStore::merge(std::uint64_t sector, const SectorBytes& data, bool moves) {
    SectorBytes held;
    read(sector, held);
    const bool late = held.merge(data, moves);
    put(sector, held);
    return late;
}

void SectorStore::put(std::uint64_t sector, const SectorBytes& data) {
    std::uint32_t& number = numbers_[sector / sectors];
    if (number == 0) { // the map's new values are 0: blocks are numbered from 1 there
        blocks_.emplace_back();
        number = static_cast<std::uint32_t>(blocks_.size());
    }
    Block& b = blocks_[number - 1];
    const auto at = static_cast<std::uint32_t>(sector % sectors);
    b.known[at] = data.known;
    std::copy_n(data.bytes.data(), SectorBytes::size, &b.bytes[at * SectorBytes::size]);
    const bool initial =
        std::all_of(data.order.begin(), data.order.end(), [](std::uint32_t o) { return o == 0; });
    if (b.order == none) {
        if (initial) return;
        b.order = static_cast<std::uint32_t>(orders_.size());
        orders_.emplace_back();
        orders_.back().fill(0);
    }
    std::copy_n(data.order.data(), SectorBytes::size, &orders_[b.order][at * SectorBytes::size]);
}

} // namespace memsim::parts
