#pragma once

#include "device_parts/named.hh"
#include "gpu/mmu/page_map.hh"
#include "protocol/translation.hh"

#include <vector>

namespace memsim::gpu {

/// Page orders in progress. An order that removes pages is sent to every TLB, and completes when
/// all have confirmed. A value for State.
class PageOrders {
  public:
    struct Order {
        protocol::PageOrderReply reply;
        std::uint64_t key = 0, pages = 0; ///< pages to shoot down, from `key`
        std::uint16_t mover = 0;
        std::uint32_t asked = 0, confirmed = 0; ///< number of TLBs
        Tick since = 0;
        bool live = false;
    };

    static constexpr std::string_view archived_as = "PageOrders";
    template <class Archive>
    void archive(Archive& a) {
        a(orders_), a(live_);
        if constexpr (Loading<Archive>) {
            std::uint32_t live = 0;
            for (const Order& o : orders_) live += o.live;
            a.check(live == live_, "disagrees with the number of orders");
        }
    }

    void resize(std::uint32_t orders, std::uint32_t tlbs) {
        orders_.resize(orders);
        tlbs_ = tlbs;
    }
    std::uint32_t live() const { return live_; }
    bool full() const { return live_ == orders_.size(); }
    void add(Order order) {
        order.live = true;
        if (order.pages == 0) order.asked = order.confirmed = tlbs_;
        std::size_t place = 0;
        while (orders_[place].live) ++place;
        orders_[place] = order;
        ++live_;
    }
    void confirmed(std::uint32_t order) { ++device_parts::named(orders_, order).confirmed; }
    /// Calls ask(tlb, order, number) for each TLB that was not asked, while it returns true, and
    /// done(order) for each order that all TLBs have confirmed.
    template <class Ask, class Done>
    void advance(Ask&& ask, Done&& done) {
        for (std::uint32_t place = 0; live_ && place < orders_.size(); ++place) {
            Order& o = orders_[place];
            if (!o.live) continue;
            while (o.asked < tlbs_ && ask(o.asked, o, place)) ++o.asked;
            if (o.confirmed < tlbs_) continue;
            done(o);
            o.live = false;
            --live_;
        }
    }
    void check_loaded(Loader& l, const PlacementParams& pages, std::size_t movers) const {
        for (const Order& o : orders_) {
            if (!o.live) continue;
            pages.check_key(l, "orders.key", o.key);
            l.index("orders.pages", o.pages, pages.pages() + 1);
            l.index("orders.mover", o.mover, movers);
        }
    }

  private:
    std::vector<Order> orders_;
    std::uint32_t live_ = 0;
    std::uint32_t tlbs_ = 0;
};

} // namespace memsim::gpu
