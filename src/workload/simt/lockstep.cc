#include "workload/simt/lockstep.hh"

#include "core/base/error.hh"

#include <algorithm>
#include <bit>

namespace memsim::workload {

using gpu_program::WarpOp;
using gpu_program::WarpOpKind;

namespace {

/// Processors that execute work-items in turn have no units of their own.
bool computes(WarpOpKind kind) {
    return kind == WarpOpKind::compute || kind == WarpOpKind::arithmetic;
}

} // namespace

void GroupOperations::decode(const std::vector<std::vector<u8>>& warps) {
    phases_.assign(warps.size(), std::vector<Phase>(1));
    threads_.assign(warps.size(), 0);
    for (std::size_t w = 0; w < warps.size(); ++w) {
        u64 position = 0;
        u32 results = 0;
        gpu_program::WarpStreamReader reader(warps[w], position);
        for (Operation o; reader.next(o.op);) {
            threads_[w] |= o.op.mask;
            if (o.op.kind == WarpOpKind::exit) break;
            if (o.op.kind == WarpOpKind::barrier) {
                phases_[w].emplace_back();
                continue;
            }
            if (o.op.kind > WarpOpKind::shared)
                throw ConfigError("a kernel multiplies on tensor cores or copies tiles, which "
                                  "work-groups of hardware threads cannot do");
            o.result = o.op.has_result ? ++results : 0;
            phases_[w].back().push_back(o);
        }
    }
}

u32 GroupOperations::phases() const {
    std::size_t most = 0;
    for (const auto& of_warp : phases_) most = std::max(most, of_warp.size());
    return static_cast<u32>(most);
}

const GroupOperations::Operation* Lockstep::head(Lane& lane) {
    if (!lane.item.phase) return nullptr;
    const GroupOperations::Phase& phase = *lane.item.phase;
    while (lane.next < phase.size() && !(phase[lane.next].op.mask >> lane.item.thread & 1)) {
        if (phase[lane.next].result) lane.made.push_back(0);
        ++lane.next;
    }
    return lane.next < phase.size() ? &phase[lane.next] : nullptr;
}

/// The results for which the operation waits, as result numbers in the stream. Earlier phases and
/// other work-items have been waited for already.
u64 Lockstep::waits(const Lane& lane, const GroupOperations::Operation& o) const {
    u64 found = 0;
    const auto made =
        static_cast<u32>(lane.made.size()); // results of this phase before the operation
    for (u64 rest = o.op.waits; rest; rest &= rest - 1) {
        const auto ago = static_cast<u32>(std::countr_zero(rest));
        if (ago >= made) continue;
        const u32 number = lane.made[made - 1 - ago];
        if (number && results_ - number < 64) found |= u64 {1} << (results_ - number);
    }
    return found;
}

void Lockstep::run(const std::vector<Item>& items, u32 overhead) {
    u32 all = 0;
    for (u32 i = 0; i < items.size(); ++i) {
        Lane& lane = lanes_[i];
        lane.item = items[i];
        lane.next = lane.left = 0;
        lane.made.clear();
        if (items[i].phase) all |= 1u << i;
    }
    if (overhead && all) writer_.compute(all, overhead);
    for (;;) {
        u32 computing = 0, accessing = 0;
        for (u32 i = 0; i < items.size(); ++i)
            if (const auto* o = head(lanes_[i]))
                (computes(o->op.kind) ? computing : accessing) |= 1u << i;
        if (computing)
            compute(computing);
        else if (accessing)
            access(accessing);
        else
            return;
    }
}

/// Issues the largest number of instructions that all these lanes have in common.
void Lockstep::compute(u32 lanes) {
    u32 n = ~0u;
    u64 needs = 0;
    for (u32 rest = lanes; rest; rest &= rest - 1) {
        Lane& lane = lanes_[static_cast<u32>(std::countr_zero(rest))];
        const auto* o = head(lane);
        if (lane.left == 0) {
            lane.left = std::max(1u, o->op.instructions);
            needs |= waits(lane, *o);
        }
        n = std::min(n, lane.left);
    }
    writer_.compute(lanes, n, needs);
    for (u32 rest = lanes; rest; rest &= rest - 1) {
        Lane& lane = lanes_[static_cast<u32>(std::countr_zero(rest))];
        if ((lane.left -= n) == 0) ++lane.next;
    }
}

/// Issues the access with the lowest program address, for the lanes that have reached it.
void Lockstep::access(u32 lanes) {
    const WarpOp* first = nullptr;
    const auto same = [&](const WarpOp& op) {
        return op.pc == first->pc && op.kind == first->kind && op.width == first->width &&
               op.local == first->local && op.copy == first->copy &&
               op.has_values == first->has_values && op.has_result == first->has_result;
    };
    for (u32 rest = lanes; rest; rest &= rest - 1) {
        const auto* o = head(lanes_[static_cast<u32>(std::countr_zero(rest))]);
        if (!first || o->op.pc < first->pc) first = &o->op;
    }
    u32 together = 0;
    u64 needs = 0;
    gpu_program::WarpStreamWriter::Addresses address {}, value {};
    const WarpOp& leader = *first;
    for (u32 rest = lanes; rest; rest &= rest - 1) {
        const auto i = static_cast<u32>(std::countr_zero(rest));
        Lane& lane = lanes_[i];
        const auto* o = head(lane);
        if (!same(o->op)) continue;
        together |= 1u << i;
        needs |= waits(lane, *o);
        address[i] = o->op.address[lane.item.thread];
        value[i] = o->op.value[lane.item.thread];
    }
    if (leader.kind == WarpOpKind::shared)
        writer_.shared(leader.pc, together, 1, leader.has_result, needs);
    else if (leader.copy)
        writer_.copy(leader.pc, together, leader.width, address, needs);
    else
        writer_.access(leader.kind, leader.pc, together, leader.width, address,
                       leader.has_values ? &value : nullptr, needs, leader.local);
    if (leader.has_result) ++results_;
    for (u32 rest = together; rest; rest &= rest - 1) {
        Lane& lane = lanes_[static_cast<u32>(std::countr_zero(rest))];
        if (leader.has_result) lane.made.push_back(results_);
        ++lane.next;
    }
}

} // namespace memsim::workload
