#include "mem/dram/schedule/order.hh"

namespace memsim::mem {

namespace {

/// First-come first-served: issues commands only for the oldest request of the current direction
/// that no refresh has stopped.
class Fcfs final : public PolicyModel<Fcfs, DramOrder> {
  public:
    struct Params {};
    struct State {};
    explicit Fcfs(const Params&) {}
    DramCandidate choose(const DramParts& parts, std::uint32_t bank) override;
    Choice next(const DramParts& parts, Tick now) override;
    State state;
};
const PolicyRegistration<Fcfs> fcfs {"fcfs", "The oldest request goes next, even if it must wait"};

DramCandidate Fcfs::choose(const DramParts& parts, std::uint32_t b) {
    if (parts.refresh.stopped(b)) return parts.before_refresh(b);
    const std::uint16_t oldest = parts.queue.oldest(b, parts.draining());
    if (oldest == DramQueue::none) return {};
    const DramAccess& access = parts.queue[oldest].access;
    const std::uint32_t row = parts.device.row(b);
    const bool column = row == access.row;
    const DramCommand command = row == DramBank::closed ? DramCommand::activate
                                : !column               ? DramCommand::precharge
                                : access.write          ? DramCommand::write
                                                        : DramCommand::read;
    const DramAction action = column                    ? DramAction::column
                              : row == DramBank::closed ? DramAction::activate
                                                        : DramAction::precharge;
    return {parts.device.bank_ready(command, b),
            order_by_age(true, true, parts.queue[oldest].age, b),
            action,
            column,
            oldest,
            DramParts::limit_of(action, DramWires::data, false)};
}

DramOrder::Choice Fcfs::next(const DramParts& parts, Tick now) {
    DramPlan oldest {.order = ~std::uint64_t {0}};
    parts.for_each_used_bank(
        parts.floor_of(now), [&](std::uint32_t b, const DramParts::Limits& limit) {
            const DramCandidate& c = parts.candidate(b);
            if (c.at == never || c.order > oldest.order) return;
            oldest = {std::max(c.at, limit[c.limit]), c.order, b, c.action, c.entry};
        });
    return {oldest};
}

} // namespace
} // namespace memsim::mem
