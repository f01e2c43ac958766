#include "workload/llm/decoder.hh"

namespace memsim::workload {

Decoder::Decoder(const Options& options, const DecoderShape& shape)
    : Application(options), arrays_(make_decoder_memory(memory_, shape, options.seed)) {
    add_kernels();
    plan();
}

void Decoder::add_kernels() {
    // Registers: live values, rounded up to even, and 8 for addresses.
    const auto blocks = [this](const char* name, u32 registers, auto body, u32 shared_bytes) {
        return kernel(name, registers, body, Counted::by_rule, shared_bytes);
    };
    const u32 per_word = shape().weights_in_word();
    const u32 hidden = product_shared_bytes(shape().hidden, per_word);
    kernel_.embed = kernel("embed", 16, [this](Warp& w) { embed(w); });
    kernel_.attention_norm = blocks(
        "attention_norm", 24, [this](Block& b) { normalize(b, layer().attention_norm); }, 128);
    kernel_.qkv = blocks(
        "qkv", 56, [this](Block& b) { qkv(b); }, hidden);
    kernel_.rotate = kernel("rotate", 24, [this](Warp& w) { rotate(w); });
    kernel_.attend = blocks(
        "attend", 120, [this](Block& b) { attend(b); }, attention_shared_bytes(shape()));
    kernel_.merge = kernel("merge", 24, [this](Warp& w) { merge(w); });
    kernel_.output = blocks(
        "output", 56, [this](Block& b) { output(b); },
        product_shared_bytes(shape().query_size(), per_word));
    kernel_.ffn_norm = blocks(
        "ffn_norm", 24, [this](Block& b) { normalize(b, layer().ffn_norm); }, 128);
    kernel_.gate_up = blocks(
        "gate_up", 56, [this](Block& b) { gate_up(b); }, hidden);
    kernel_.down = blocks(
        "down", 56, [this](Block& b) { down(b); }, product_shared_bytes(shape().ffn, per_word));
    kernel_.last_norm = blocks(
        "last_norm", 24, [this](Block& b) { normalize(b, arrays_.last_norm); }, 128);
    kernel_.head = blocks(
        "head", 56, [this](Block& b) { head(b); }, hidden);
    kernel_.choose = blocks(
        "choose", 24, [this](Block& b) { choose(b); }, 256);
}

void Decoder::plan() {
    const DecoderShape& s = shape();
    const auto whole = [](u32 n, u32 of) { return (n + of - 1) / of; };
    const auto add = [this](u32 kernel, u32 layer, u32 blocks, u32 threads) {
        steps_.push_back({kernel, layer, blocks, threads});
    };
    const auto product = [&](u32 kernel, u32 layer, u32 rows) {
        add(kernel, layer, whole(rows, rows_in_block), product_threads);
    };
    const u32 norm = std::min(norm_threads, whole(s.hidden, warp_lanes) * warp_lanes);
    if (s.vocabulary) add(kernel_.embed, 0, whole(s.hidden / values_in_word, 256), 256);
    for (u32 l = 0; l < s.layers; ++l) {
        add(kernel_.attention_norm, l, 1, norm);
        product(kernel_.qkv, l, s.qkv_size());
        add(kernel_.rotate, l, whole(s.qkv_size() / values_in_word, 128), 128);
        add(kernel_.attend, l, s.kv_heads, attention_threads);
        add(kernel_.merge, l, s.heads, std::max(s.head_dim, warp_lanes));
        product(kernel_.output, l, s.hidden);
        add(kernel_.ffn_norm, l, 1, norm);
        product(kernel_.gate_up, l, 2 * s.ffn);
        product(kernel_.down, l, s.hidden);
    }
    if (!s.vocabulary) return;
    add(kernel_.last_norm, 0, 1, norm);
    product(kernel_.head, 0, s.vocabulary);
    add(kernel_.choose, 0, 1, choice_threads);
}

bool Decoder::next() {
    const auto steps = static_cast<u32>(steps_.size());
    if (launches() == steps * shape().tokens) return false;
    const Step& step = steps_[launches() % steps];
    const u32 now = shape().context + launches() / steps;
    const u32 parts = step.kernel == kernel_.attend ? parts_to(now) : 1;
    launch(step.kernel, {step.blocks, parts, 1}, {step.threads, 1, 1});
    return true;
}

} // namespace memsim::workload
