#include "workload/llm/best.hh"
#include "workload/llm/vector_steps.hh"

/// Kernels over single vectors: embedding, norm, choice of a token.
namespace memsim::workload {

/// Copies the embedding row of the last decoded token to the hidden state.
void Decoder::embed(Warp& w) const {
    enum class Site : u32 { token, word, set };
    const u32 words = shape().hidden / values_in_word;
    const auto thread = w.thread();
    w.if_(thread < words, [&] {
        const auto token = w.load(Site::token, arrays_.token, Lanes<u32>(decoded()));
        const auto at = mad(token, words, thread);
        const auto word = w.load(Site::word, arrays_.embedding, at);
        const auto to = thread * values_in_word;
        for (u32 j = 0; j < values_in_word; ++j) {
            const auto value = w.apply<float>(
                1, [&](u32 i) { return packed_bf16(word[i], j); }, word);
            w.store(Site::set, arrays_.hidden, to, value, j);
        }
    });
}

/// normed = hidden / sqrt(mean square of hidden + epsilon) x weight, computed by one block.
void Decoder::normalize(Block& b, const Array<u16>& weight) const {
    enum class Site : u32 { value, sum, all, weight, set };
    const u32 n = shape().hidden, threads = b.warps() * warp_lanes;
    const u32 rounds = (n + threads - 1) / threads;
    std::vector<Registers<float>> value(rounds, Registers<float>(b));
    const auto sums = b.shared<float>(warp_lanes);
    const auto each_round = [&](Warp& w, const Lanes<u32>& thread, auto body) {
        for (u32 k = 0; k < rounds; ++k)
            in_lanes(w, (k + 1) * threads <= n, thread, n - k * threads,
                     [&] { body(value[k][w], k * threads); });
    };
    b.each([&](Warp& w) {
        const auto thread = w.tx();
        Lanes<float> square;
        square.flow = &w;
        each_round(w, thread,
                   [&](auto& v, u32 at) { v = w.load(Site::value, arrays_.hidden, thread, at); });
        each_round(w, thread, [&](auto& v, u32) { square = mad(v, v, square); });
        add_lanes(w, square, 1, warp_lanes);
        w.if_(w.lane() < 1, [&] { w.store(Site::sum, sums, Lanes<u32>(w.index()), square); });
    });
    b.barrier();
    b.each([&](Warp& w) {
        const auto thread = w.tx();
        const auto scale = norm_factor(w, b, Site::all, sums, n);
        each_round(w, thread, [&](auto& v, u32 at) {
            const auto bits = w.load(Site::weight, weight, thread, at);
            const auto by = w.apply<float>(
                1, [&](u32 i) { return from_bf16(bits[i]); }, bits);
            w.store(Site::set, arrays_.normed, thread, v * scale * by, at);
        });
    });
}

/// Finds the token with the largest logit, in one block.
void Decoder::choose(Block& b) const {
    enum class Site : u32 { logit, value, place, all_values, all_places, set };
    constexpr u32 under_way = 8;
    const u32 n = shape().vocabulary;
    const auto values = b.shared<float>(warp_lanes);
    const auto places = b.shared<u32>(warp_lanes);
    b.each([&](Warp& w) {
        const auto thread = w.tx();
        Best best {Lanes<float>(least_logit), Lanes<u32>(0)};
        best.value.flow = best.place.flow = &w;
        for (u32 first = 0; first < n; first += choice_threads * under_way) {
            std::array<Lanes<float>, under_way> logit;
            const auto each_load = [&](auto body) {
                u32 at = first;
                for (u32 k = 0; k < under_way && at < n; ++k, at += choice_threads)
                    in_lanes(w, at + choice_threads <= n, thread, n - at,
                             [&] { body(logit[k], at); });
            };
            each_load(
                [&](auto& l, u32 at) { l = w.load(Site::logit, arrays_.logits, thread, at); });
            each_load([&](auto& l, u32 at) { best.improve(w, l, thread + at); });
            w.extra(rule::loop_round);
        }
        best.improve_over_lanes(w);
        w.if_(w.lane() < 1, [&] {
            w.store(Site::value, values, Lanes<u32>(w.index()), best.value);
            w.store(Site::place, places, Lanes<u32>(w.index()), best.place);
        });
    });
    b.barrier();
    b.each([&](Warp& w) {
        if (w.index() > 0) return;
        const auto lane = w.lane();
        const auto value = w.load(Site::all_values, values, lane);
        const auto place = w.load(Site::all_places, places, lane);
        Best best {value, place};
        best.improve_over_lanes(w);
        w.if_(lane < 1,
              [&] { w.store(Site::set, arrays_.token, Lanes<u32>(decoded() + 1), best.place); });
    });
}

} // namespace memsim::workload
