#include "workload/llm/best.hh"
#include "workload/llm/serving/batch_kernels.hh"
#include "workload/simt/exact_math.hh"

/// The choice of each request's next token: the largest logit, or with a temperature a token by the
/// probabilities of the softmax.
namespace memsim::workload {

namespace {

enum class ChoiceSite : u32 { logit, part, parts, row, request, position, uniform, set };
constexpr u32 choice_warps = choice_threads / warp_lanes;

/// A block's choice. Each warp processes its own range of neighbouring logits, 32 at a time.
class Choice {
  public:
    Choice(Block& b, const Array<float>& logits, u32 vocabulary)
        : b_(b), logits_(logits), vocabulary_(vocabulary), first_logit_(b.x() * vocabulary),
          share_((vocabulary + choice_threads - 1) / choice_threads * warp_lanes),
          values_(b.shared<float>(choice_warps)), places_(b.shared<u32>(choice_warps)),
          sums_(b.shared<float>(choice_warps)), found_(b.shared<u32>(1)) {}

    /// The largest logit and its token, in all lanes of all warps.
    Best largest() {
        b_.each([&](Warp& w) {
            Best best {Lanes<float>(least_logit), Lanes<u32>(0)};
            best.value.flow = best.place.flow = &w;
            const auto lane = w.lane();
            each_logit(w, lane, [&](const Lanes<float>& logit, u32 at) {
                best.improve(w, logit, lane + at);
            });
            best.improve_over_lanes(w);
            w.if_(lane < 1, [&] {
                w.store(ChoiceSite::part, values_, Lanes<u32>(w.index()), best.value);
                w.store(ChoiceSite::part, places_, Lanes<u32>(w.index()), best.place);
            });
        });
        b_.barrier();
        Best best;
        b_.each([&](Warp& w) {
            const auto lane = w.lane();
            const auto value = w.load(ChoiceSite::parts, values_, lane);
            const auto place = w.load(ChoiceSite::parts, places_, lane);
            best = {value, place};
            best.improve_over_lanes(w);
        });
        return best;
    }

    /// The first token up to which the probabilities exceed `uniform` of their sum.
    u32 by_probability(const Array<float>& uniform, u32 choice, float largest, float temperature) {
        b_.each([&](Warp& w) {
            const auto lane = w.lane();
            Lanes<float> sum;
            sum.flow = &w;
            each_logit(w, lane, [&](const Lanes<float>& logit, u32) {
                sum = sum + power(w, logit, largest, temperature);
            });
            add_lanes(w, sum, 1, warp_lanes);
            w.if_(lane < 1, [&] { w.store(ChoiceSite::part, sums_, Lanes<u32>(w.index()), sum); });
        });
        b_.barrier();
        u32 token = vocabulary_ - 1;
        b_.each([&](Warp& w) { search(w, uniform, choice, largest, temperature, token); });
        b_.barrier();
        return token;
    }

  private:
    template <class Body>
    void each_logit(Warp& w, const Lanes<u32>& lane, Body body) {
        const u32 first = w.index() * share_, last = std::min(first + share_, vocabulary_);
        for (u32 at = first; at < last; at += warp_lanes)
            in_lanes(w, at + warp_lanes <= last, lane, last - at, [&] {
                const auto logit = w.load(ChoiceSite::logit, logits_, lane, first_logit_ + at);
                body(logit, at);
            });
    }
    static Lanes<float> power(Warp& w, const Lanes<float>& logit, float largest,
                              float temperature) {
        return w.apply<float>(
            rule::exponential + 2,
            [&](u32 i) { return exact_exp((logit[i] - largest) / temperature); }, logit);
    }
    /// The warp whose logits contain the sum processes them again.
    void search(Warp& w, const Array<float>& uniform, u32 choice, float largest, float temperature,
                u32& token) {
        const auto lane = w.lane();
        const auto parts = w.load(ChoiceSite::parts, sums_, lane);
        const auto drawn = w.load(ChoiceSite::uniform, uniform, Lanes<u32>(choice));
        const Lanes<float> sums = inclusive(w, parts);
        const float target = drawn[0] * sums[choice_warps - 1];
        float before = w.index() ? sums[w.index() - 1] : 0.0f;
        const bool last = w.index() + 1 == choice_warps || sums[w.index()] == sums.lane.back();
        w.extra(4);
        if (before > target || (sums[w.index()] <= target && !last) ||
            w.index() * share_ >= vocabulary_)
            return;
        bool found = false;
        token = std::min((w.index() + 1) * share_, vocabulary_) - 1; // if rounding hides the place
        each_logit(w, lane, [&](const Lanes<float>& logit, u32 at) {
            if (found) return;
            const auto up_to = inclusive(w, power(w, logit, largest, temperature));
            w.for_active([&](u32 i) {
                if (!found && before + up_to[i] > target) {
                    found = true;
                    token = at + i;
                }
            });
            w.extra(2);
            before += up_to[std::min(warp_lanes, vocabulary_ - at) - 1];
        });
        w.if_(lane < 1,
              [&] { w.store(ChoiceSite::part, found_, Lanes<u32>(0), Lanes<u32>(token)); });
    }
    /// The sum of the values of the lanes up to each.
    static Lanes<float> inclusive(Warp& w, Lanes<float> sum) {
        sum.flow = &w;
        for (u32 distance = 1; distance < warp_lanes; distance *= 2) {
            const auto other = w.shuffle(sum, [distance](u32 i) { return i - distance; });
            sum = w.apply<float>(
                2, [&](u32 i) { return i >= distance ? sum[i] + other[i] : sum[i]; }, sum, other);
        }
        return sum;
    }

    Block& b_;
    const Array<float>& logits_;
    u32 vocabulary_, first_logit_;
    u32 share_; ///< logits of a warp
    Shared<float> values_;
    Shared<u32> places_;
    Shared<float> sums_;
    Shared<u32> found_;
};

} // namespace

void ChoiceKernels::choose(Block& b) const {
    const u32 choice = step().first_end + b.x();
    Choice of(b, arrays_.logits, model().vocabulary);
    const Best best = of.largest();
    Lanes<u32> token = best.place;
    const float temperature = arrays_.shape.temperature;
    if (temperature > 0)
        token =
            Lanes<u32>(of.by_probability(arrays_.rows.uniform, choice, best.value[0], temperature));
    b.each([&](Warp& w) {
        if (w.index()) return;
        const auto row = w.load(ChoiceSite::row, arrays_.rows.end, Lanes<u32>(choice));
        const auto at = row + step().first_row;
        const auto request = w.load(ChoiceSite::request, arrays_.rows.request, at);
        const auto position = w.load(ChoiceSite::position, arrays_.rows.position, at);
        const auto to = mad(request, arrays_.token_stride(), position + 1);
        w.if_(w.lane() < 1,
              [&] { w.store(ChoiceSite::set, arrays_.token, to, Lanes<u32>(token[0])); });
    });
}

} // namespace memsim::workload
