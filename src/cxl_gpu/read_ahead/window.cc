#include "cxl_gpu/read_ahead.hh"

#include <algorithm>

namespace memsim::cxl_gpu {

/// The paper's address window. It initially extends by the granularity g on either side of the
/// load's address A. Each request of the memory queue in [A - g, A) moves its start up by 64 bytes,
/// because those were requested before. Each request of the other queue in (A, A + g) moves its end
/// down by 64 bytes, because those will be requested. With `literal`, every request does so
/// regardless of its address, as the paper's sentence states; if the window then excludes A, it
/// ends at A's own 64 bytes. Start and end are rounded to the nearest unit, and A's unit is always
/// included. A window longer than the longest speculative read is shortened on the side that
/// extends farther from A, at the front if both are equal.
class WindowReadAhead final : public PolicyModel<WindowReadAhead, ReadAhead> {
  public:
    struct Params {
        Param<bool> literal {false,
                             "Let every queued request move the window, regardless of its address"};
    };
    struct State {};
    explicit WindowReadAhead(const Params& p) : params(p) {}
    bool heeds_load() const override { return true; }
    bool looks_around() const override { return true; }
    SpecRead window(std::uint64_t address, std::uint32_t granularity,
                    const Neighbours& near) const override {
        const auto a = static_cast<Address>(address), g = Address {granularity};
        const Address start = a - g + line * count(near.prior, a - g, a - 1);
        const Address end = a + g - line * count(near.upcoming, a + 1, a + g - 1);
        const auto own = static_cast<Address>(SpecRead::unit_of(address));
        Address from = std::clamp(nearest(std::min(start, a)), Address {0}, own);
        Address to = std::max(nearest(std::max(end, a + line)), own + unit);
        while (to - from > SpecRead::most_units * unit)
            if (own - from >= to - own - unit)
                from += unit;
            else
                to -= unit;
        return {static_cast<std::uint64_t>(from), static_cast<std::uint32_t>(to - from)};
    }

    const Params params;
    State state;

  private:
    using Address = std::int64_t;
    static constexpr Address unit = SpecRead::unit, line = 64;

    static Address nearest(Address x) { return (x + unit / 2) & -unit; }
    Address count(std::span<const std::uint64_t> all, Address first, Address last) const {
        if (params.literal()) return static_cast<Address>(all.size());
        return std::count_if(all.begin(), all.end(), [&](std::uint64_t x) {
            return first <= static_cast<Address>(x) && static_cast<Address>(x) <= last;
        });
    }
};

static const PolicyRegistration<WindowReadAhead> window {
    "window",
    "Reads ahead around a load, depending on the endpoint's load and the queued requests.",
    "CXL-GPU, CXL-SR (Fig. 9d)"};

} // namespace memsim::cxl_gpu
