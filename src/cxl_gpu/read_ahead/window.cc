#include "cxl_gpu/read_ahead.hh"

#include <algorithm>

namespace memsim::cxl_gpu {

/// The paper's address window. It begins as the granularity g on either side of the load's address
/// A. Each request of the memory queue in [A - g, A) moves its start up by 64 bytes, since that was
/// asked for before; each request of the other queue in (A, A + g) moves its end down by 64 bytes,
/// since that will be asked for. `literal`: so does each request wherever it lies, as the paper's
/// sentence says; a window that would leave A out then ends at A's own 64 bytes. The start and the
/// end are rounded to the nearest unit, A's own unit stays within, and what is longer than a
/// speculative read can say is cut where it reaches farther from A, of equal sides in front.
class WindowReadAhead final : public PolicyModel<WindowReadAhead, ReadAhead> {
  public:
    struct Params {
        Param<bool> literal {
            false, "Whether each queued request moves the window, wherever its address lies"};
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
    "The endpoint's load and the requests that wait set what is read ahead around a load.",
    "CXL-GPU, CXL-SR (Fig. 9d)"};

} // namespace memsim::cxl_gpu
