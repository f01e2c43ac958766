#include "workload/llm/serving/batch_kernels.hh"
#include "workload/simt/exact_math.hh"

/// The routing of a mixture of experts: each row's experts, and the pairs of rows and experts
/// sorted by expert, each expert's beginning at a tile of the products.
namespace memsim::workload {

namespace {

enum class TopSite : u32 { logit, chosen, weight, count, rank };

/// The row, or the expert, of a warp.
u32 warp_number(Warp& w) { return w.bx() * routing_warps + w.index(); }

} // namespace

/// The place of a pair's expert among those of all steps and layers.
Lanes<u32> ExpertKernels::chosen_at(Warp& w, const Lanes<u32>& pair) const {
    const u32 used = arrays_.shape.used, layers = model().layers;
    const u32 first = (step().first_row * layers + launch_.layer) * used;
    const auto row = w.divide(pair, Lanes<u32>(used));
    return mad(row, (layers - 1) * used, pair) + first;
}

/// The experts of a row with the largest logits, the lowest of equal ones, the best first.
std::vector<Best> ExpertKernels::best_experts(Warp& w, const Lanes<u32>& lane, u32 row) const {
    const u32 experts = arrays_.shape.experts, used = arrays_.shape.used;
    std::vector<Lanes<float>> logits((experts + warp_lanes - 1) / warp_lanes,
                                     Lanes<float>(least_logit));
    for (u32 i = 0; i < logits.size(); ++i) {
        logits[i].flow = &w;
        in_lanes(w, (i + 1) * warp_lanes <= experts, lane, experts - i * warp_lanes, [&] {
            logits[i] = w.load(TopSite::logit, arrays_.routing.logits, lane,
                               row * experts + i * warp_lanes);
        });
    }
    std::vector<Best> best;
    for (u32 j = 0; j < used; ++j) {
        Best next {Lanes<float>(least_logit), Lanes<u32>(experts)};
        next.value.flow = next.place.flow = &w;
        for (u32 i = 0; i < logits.size(); ++i) next.improve(w, logits[i], lane + i * warp_lanes);
        next.improve_over_lanes(w);
        for (u32 i = 0; i < logits.size(); ++i)
            logits[i] = select(lane + i * warp_lanes == next.place[0], Lanes<float>(least_logit),
                               logits[i]);
        best.push_back(next);
    }
    return best;
}

/// A warp chooses the experts of a row, weighted by the softmax of their logits.
void ExpertKernels::top_k(Warp& w) const {
    const u32 used = arrays_.shape.used, row = warp_number(w);
    if (row >= step().rows()) return;
    const Routing& to = arrays_.routing;
    const auto lane = w.lane();
    const std::vector<Best> best = best_experts(w, lane, row);
    std::vector<Lanes<float>> power;
    Lanes<float> sum;
    for (const Best& b : best) {
        const auto below = b.value - best.front().value;
        power.push_back(w.apply<float>(
            rule::exponential, [&](u32 i) { return exact_exp(below[i]); }, below));
        sum = sum + power.back();
    }
    w.if_(lane < 1, [&] {
        for (u32 j = 0; j < used; ++j) {
            const Lanes<u32> pair(row * used + j);
            const auto at = Lanes<u32>(chosen_at(row, launch_.layer) + j);
            w.store(TopSite::chosen, to.chosen, at, best[j].place);
            w.store(TopSite::weight, to.weight, pair, w.divide(power[j], sum));
            const auto rank = w.atomic_add(TopSite::count, to.count, best[j].place, Lanes<u32>(1));
            w.store(TopSite::rank, to.rank, pair, rank);
        }
    });
}

/// A warp predicts the experts of a row in the next layer, and counts the rows of each expert.
void ExpertKernels::predict_top_k(Warp& w) const {
    const u32 row = warp_number(w);
    if (row >= step().rows()) return;
    const Routing& to = arrays_.routing;
    const auto lane = w.lane();
    const std::vector<Best> best = best_experts(w, lane, row);
    w.if_(lane < 1, [&] {
        for (u32 j = 0; j < arrays_.shape.used; ++j) {
            const auto at = Lanes<u32>(chosen_at(row, launch_.layer + 1) + j);
            w.store(TopSite::chosen, to.predicted, at, best[j].place);
            w.reduce_add(TopSite::count, to.count, best[j].place, Lanes<u32>(1));
        }
    });
}

/// A warp signals an expert of the next layer to all channels if a row is predicted to use it, and
/// makes its count 0.
void ExpertKernels::signal(Warp& w) const {
    enum class Site : u32 { count, zero, signal };
    const u32 expert = warp_number(w);
    if (expert >= arrays_.shape.experts) return;
    const Routing& of = arrays_.routing;
    const Signals& signals = arrays_.shape.signals;
    const auto lane = w.lane();
    const auto count = w.load(Site::count, of.count, Lanes<u32>(expert));
    w.if_(lane < 1, [&] { w.store(Site::zero, of.count, Lanes<u32>(expert), Lanes<u32>(0)); });
    w.if_(Lanes<u32>(0) < count, [&] {
        const u32 words = signals.chunk / sizeof(u32);
        const u32 first = arrays_.signal(launch_.step, launch_.layer + 1, expert);
        for (u32 i = 0; i < signals.channels; i += warp_lanes)
            in_lanes(w, i + warp_lanes <= signals.channels, lane, signals.channels - i,
                     [&] { w.load(Site::signal, of.signals, lane * words, first + i * words); });
    });
}

/// One warp gives each expert its tiles, and makes the counts 0 for the next layer.
void ExpertKernels::align(Warp& w) const {
    enum class Site : u32 { count, zero, first, tile, rows, unused };
    const u32 experts = arrays_.shape.experts, rows = step().rows();
    const u32 size = expert_tile(arrays_.shape, rows), tiles = expert_tiles(arrays_.shape, rows);
    const auto shift = static_cast<u32>(std::countr_zero(size));
    const Routing& to = arrays_.routing;
    const auto lane = w.lane();
    Lanes<u32> before(0); // tiles of the experts before
    before.flow = &w;
    for (u32 e = 0; e < experts; e += warp_lanes) {
        Lanes<u32> count(0);
        count.flow = &w;
        in_lanes(w, e + warp_lanes <= experts, lane, experts - e, [&] {
            count = w.load(Site::count, to.count, lane, e);
            w.store(Site::zero, to.count, lane, Lanes<u32>(0), e);
        });
        const auto own = (count + (size - 1)) >> shift;
        Lanes<u32> sum = own; // of the tiles up to the lane's expert
        for (u32 distance = 1; distance < warp_lanes; distance *= 2) {
            const auto other = w.shuffle(sum, [distance](u32 i) { return i - distance; });
            sum = select(lane >= distance, sum + other, sum);
        }
        const auto first = before + sum - own;
        in_lanes(w, e + warp_lanes <= experts, lane, experts - e, [&] {
            w.store(Site::first, to.first, lane, first << shift, e);
            w.for_(Lanes<u32>(0), own, [&](const Lanes<u32>& i) {
                const auto at = first + i;
                w.store(Site::tile, to.tile, at, lane + e);
                w.store(Site::rows, to.tile_rows, at, min(count - (i << shift), size));
            });
        });
        before = before + w.shuffle(sum, [](u32) { return warp_lanes - 1; });
    }
    w.for_(
        before + lane, Lanes<u32>(tiles),
        [&](const Lanes<u32>& i) { w.store(Site::unused, to.tile_rows, i, Lanes<u32>(0)); },
        warp_lanes);
}

/// Puts each pair at its place among those of its expert.
void ExpertKernels::place(Warp& w) const {
    enum class Site : u32 { chosen, rank, first, set };
    const Routing& to = arrays_.routing;
    const auto pair = w.x();
    w.if_(pair < step().rows() * arrays_.shape.used, [&] {
        const auto at = chosen_at(w, pair);
        const auto expert = w.load(Site::chosen, to.chosen, at);
        const auto rank = w.load(Site::rank, to.rank, pair);
        const auto first = w.load(Site::first, to.first, expert);
        w.store(Site::set, to.sorted, first + rank, pair);
    });
}

} // namespace memsim::workload
