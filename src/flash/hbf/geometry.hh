#pragma once

#include "core/base/bits.hh"
#include "protocol/flash.hh"

#include <cstdint>

namespace memsim::flash {

/// A page of a stack of High Bandwidth Flash.
struct HbfPlace {
    std::uint32_t channel = 0;
    std::uint32_t bank = 0;  ///< of the stack: channel x dies x banks + die x banks + bank
    std::uint32_t block = 0; ///< of the bank
    std::uint32_t page = 0;  ///< of the block
    bool operator==(const HbfPlace&) const = default;
};

/// The order of a stack's pages: neighbouring pages lie in neighbouring channels, then dies, then
/// banks. A sequential read senses in every bank before it senses twice in one of them. A row of
/// blocks, one of each bank, is a contiguous range of addresses.
class HbfGeometry {
  public:
    std::uint32_t channels = 1, dies = 1, banks = 1, blocks = 1, pages = 1;
    std::uint32_t page_bytes = 4096;

    std::uint32_t banks_of_channel() const { return dies * banks; }
    std::uint32_t all_banks() const { return channels * banks_of_channel(); }
    std::uint64_t all_pages() const { return std::uint64_t {all_banks()} * blocks * pages; }
    std::uint64_t bytes() const { return all_pages() * page_bytes; }

    /// Precondition: address < bytes().
    HbfPlace place(std::uint64_t address) const {
        const std::uint64_t page = address / page_bytes;
        const auto channel = static_cast<std::uint32_t>(page % channels);
        const std::uint64_t in_channel = page / channels;
        const auto unit = static_cast<std::uint32_t>(in_channel % banks_of_channel());
        const std::uint64_t row = in_channel / banks_of_channel();
        return {channel, channel * banks_of_channel() + unit % dies * banks + unit / dies,
                static_cast<std::uint32_t>(row / pages), static_cast<std::uint32_t>(row % pages)};
    }
    /// Whether the stack has the place that a command names.
    bool has(const protocol::FlashPlace& p) const {
        return p.package == 0 && p.die < dies && p.plane < banks && p.block < blocks &&
               p.page < pages;
    }
    HbfPlace place(std::uint32_t channel, const protocol::FlashPlace& p) const {
        return {channel, channel * banks_of_channel() + p.die * banks + p.plane, p.block, p.page};
    }
    protocol::FlashPlace command_place(const HbfPlace& p) const {
        const std::uint32_t unit = p.bank % banks_of_channel();
        return {p.block, static_cast<std::uint16_t>(p.page), 0,
                static_cast<std::uint8_t>(unit / banks), static_cast<std::uint8_t>(unit % banks)};
    }
    std::uint64_t block_number(const HbfPlace& p) const {
        return std::uint64_t {p.bank} * blocks + p.block;
    }
    /// The first page of the block with this number.
    HbfPlace block(std::uint64_t number) const {
        const auto bank = static_cast<std::uint32_t>(number / blocks);
        return {bank / banks_of_channel(), bank, static_cast<std::uint32_t>(number % blocks), 0};
    }
    std::uint64_t page_number(const HbfPlace& p) const { return block_number(p) * pages + p.page; }
};

} // namespace memsim::flash
