#pragma once

#include "core/kernel/component.hh"
#include "device_parts/interleave.hh"
#include "protocol/translation.hh"

namespace memsim::gpu {

/// The page and the offset of each address. The addresses of a stripe, which consists of
/// consecutive pages, are interleaved over its pages in units of `unit` bytes.
class StripedPages {
  public:
    StripedPages() = default;
    /// Requires: with more than one page in a stripe, `unit` divides the page.
    StripedPages(std::uint64_t page, const protocol::PageStripe& stripe)
        : page_(page), stripe_(page * stripe.pages), units_(stripe.unit, stripe.pages) {}

    /// The number of the page that contains an address.
    std::uint64_t number(std::uint64_t address) const {
        if (units_.ways() == 1) return page_.quotient(address);
        return stripe_.quotient(address) * units_.ways() + units_.way(stripe_.remainder(address));
    }
    /// The address in a frame to which the page of `address` is mapped.
    std::uint64_t physical(std::uint64_t frame, std::uint64_t address) const {
        return frame * page_.value() + (units_.ways() == 1
                                            ? page_.remainder(address)
                                            : units_.within(stripe_.remainder(address)));
    }

  private:
    device_parts::Divider page_, stripe_;
    device_parts::Interleave units_;
};

/// Refuses TLBs with different stripes: they would map one address to different pages. `ports` are
/// the ports of an MMU.
template <class Ports>
void check_stripes(const Ports& ports) {
    const protocol::HasStripe* first = nullptr;
    for (unsigned i = 0; i < ports.size(); ++i) {
        const auto* other = ports[i].template find_interface<const protocol::HasStripe>();
        if (!first) first = other;
        if (!other || other->page_stripe() == first->page_stripe()) continue;
        const auto text = [](const protocol::PageStripe& s) {
            return std::to_string(s.pages) + " pages in units of " + bytes_text(s.unit);
        };
        throw ConfigError(ports[i].neighbour_path() + ".stripe: " + text(other->page_stripe()) +
                          ", but " + ports[0].neighbour_path() + " has " +
                          text(first->page_stripe()) +
                          ": give all TLBs of an MMU the same stripe and stripe_unit");
    }
}

} // namespace memsim::gpu
