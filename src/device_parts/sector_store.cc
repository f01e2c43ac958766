#include "device_parts/sector_store.hh"

#include <algorithm>

namespace memsim::device_parts {

void SectorStore::read(std::uint64_t sector, SectorBytes& to) const {
    const std::uint32_t* number = numbers_.find(sector / sectors);
    if (!number) {
        to.forget();
        return;
    }
    const Block& b = blocks_[*number - 1];
    const auto at = static_cast<std::uint32_t>(sector % sectors);
    to.known = b.known[at], to.moved = false;
    std::copy_n(&b.bytes[at * SectorBytes::size], SectorBytes::size, to.bytes.data());
    if (b.order == none)
        to.order.fill(0);
    else
        std::copy_n(&orders_[b.order][at * SectorBytes::size], SectorBytes::size, to.order.data());
}

bool SectorStore::sound() const {
    for (const Block& b : blocks_)
        if (b.order != none && b.order >= orders_.size()) return false;
    for (const std::uint32_t i : free_blocks_)
        if (i >= blocks_.size()) return false;
    for (const std::uint32_t i : free_orders_)
        if (i >= orders_.size()) return false;
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

void SectorStore::forget(std::uint64_t first_sector, std::uint64_t count) {
    const std::uint64_t end = first_sector + count;
    for (std::uint64_t s = first_sector; s < end; s = (s / sectors + 1) * sectors) {
        const std::uint32_t* number = numbers_.find(s / sectors);
        if (!number) continue;
        Block& b = blocks_[*number - 1];
        const std::uint64_t stop = std::min<std::uint64_t>(end, (s / sectors + 1) * sectors);
        for (std::uint64_t i = s; i < stop; ++i) b.known[i % sectors] = 0;
        if (std::any_of(b.known.begin(), b.known.end(), [](std::uint32_t k) { return k != 0; }))
            continue;
        if (b.order != none) free_orders_.push_back(b.order);
        free_blocks_.push_back(*number - 1);
        b = {};
        numbers_.erase(s / sectors);
    }
}

void SectorStore::put(std::uint64_t sector, const SectorBytes& data) {
    std::uint32_t& number = numbers_[sector / sectors];
    if (number == 0) { // new values of the map are 0, so blocks are numbered from 1
        if (free_blocks_.empty()) {
            free_blocks_.push_back(static_cast<std::uint32_t>(blocks_.size()));
            blocks_.emplace_back();
        }
        number = free_blocks_.back() + 1;
        free_blocks_.pop_back();
    }
    Block& b = blocks_[number - 1];
    const auto at = static_cast<std::uint32_t>(sector % sectors);
    b.known[at] = data.known;
    std::copy_n(data.bytes.data(), SectorBytes::size, &b.bytes[at * SectorBytes::size]);
    const bool initial =
        std::all_of(data.order.begin(), data.order.end(), [](std::uint32_t o) { return o == 0; });
    if (b.order == none) {
        if (initial) return;
        if (free_orders_.empty()) {
            free_orders_.push_back(static_cast<std::uint32_t>(orders_.size()));
            orders_.emplace_back();
        }
        b.order = free_orders_.back();
        free_orders_.pop_back();
        orders_[b.order].fill(0);
    }
    std::copy_n(data.order.data(), SectorBytes::size, &orders_[b.order][at * SectorBytes::size]);
}

} // namespace memsim::device_parts
