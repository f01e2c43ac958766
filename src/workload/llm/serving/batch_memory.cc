#include "workload/llm/serving/batch_memory.hh"

#include "core/base/rng.hh"
#include "workload/llm/random_weights.hh"
#include "workload/llm/serving/batch_plan.hh"
#include "workload/simt/exact_math.hh"

namespace memsim::workload {

namespace {

u64 cache_values(const BatchShape& shape) {
    return u64 {shape.requests.pool()} * 2 * tokens_in_block * shape.model.kv_size();
}
/// Pairs of an expert up to which a tile of 16 is used.
constexpr u32 skinny_share = 16;

u32 whole(u32 n, u32 of) { return (n + of - 1) / of; }
/// One more than there are, to begin at a multiple of their size.
u64 signal_words(const BatchShape& shape, u64 steps) {
    if (!shape.predicts()) return 0;
    const u64 in_chunk = shape.signals.steps_in_chunk();
    const u64 chunks = (steps + in_chunk - 1) / in_chunk * shape.model.layers * shape.experts;
    return (chunks + 1) * shape.signals.bytes() / sizeof(u32);
}
/// The experts in one layer of [row of all steps][layer][of the row's experts], from a step's rows.
std::vector<bool> experts_of(const BatchMemory& m, const Array<u32>& numbers, const Step& step,
                             u32 layer) {
    std::vector<bool> found(m.shape.experts);
    const u32 used = m.shape.used, stride = m.shape.model.layers * used;
    for (u32 row = 0; row < step.rows(); ++row)
        for (u32 j = 0; j < used; ++j)
            found[numbers[u64 {step.first_row + row} * stride + layer * used + j]] = true;
    return found;
}

class Maker {
  public:
    Maker(DeviceMemory& memory, const BatchShape& shape, u64 seed)
        : memory_(memory), shape_(shape), model_(shape.model), seed_(seed) {
        made_.shape = shape;
        made_.schedule = make_schedule(shape.requests, seed);
    }

    BatchMemory run() {
        for (u32 i = 0; i < model_.layers; ++i) add_layer(i);
        if (model_.vocabulary) add_vocabulary();
        made_.rotation =
            memory_.input("inputs.rotation", rotations(model_, 0, shape_.requests.positions()));
        add_requests();
        add_activations();
        if (shape_.experts) add_routing();
        if (made_.schedule.slots) add_swaps();
        return std::move(made_);
    }

  private:
    Matrix matrix(const std::string& name, u64 rows, u32 columns, u32 bits) {
        return random_matrix(memory_, seed_, name, rows, columns, bits);
    }
    Array<u16> norm(const std::string& name) {
        return memory_.input(name, norm_weights(seed_, name, model_.hidden));
    }
    FeedForward feed_forward(const std::string& name) {
        const u32 bits = model_.weight_bits;
        FeedForward made;
        made.gate = matrix(name + "gate", model_.ffn, model_.hidden, bits);
        made.up = matrix(name + "up", model_.ffn, model_.hidden, bits);
        made.down = matrix(name + "down", model_.hidden, model_.ffn, bits);
        return made;
    }
    void add_layer(u32 number) {
        const std::string of = std::to_string(number), weights = "weights." + of + ".";
        const u32 bits = model_.weight_bits;
        BatchLayer l;
        l.attention_norm = norm(weights + "attention_norm");
        l.ffn_norm = norm(weights + "ffn_norm");
        l.qkv = matrix(weights + "qkv", model_.qkv_size(), model_.hidden, bits);
        l.output = matrix(weights + "output", model_.hidden, model_.query_size(), bits);
        if (shape_.experts)
            l.router = matrix(weights + "router", shape_.experts, model_.hidden, 16);
        for (u32 e = 0; e < shape_.experts; ++e)
            l.experts.push_back(feed_forward(weights + "experts." + std::to_string(e) + "."));
        if (!shape_.experts) l.experts.push_back(feed_forward(weights));
        const std::string cache = "kv." + of;
        made_.cached.push_back(random_values(seed_, cache, cache_values(shape_), unit_limit()));
        if (model_.kv_bits == 16)
            l.cache = memory_.filled(cache, made_.cached.back());
        else
            l.small_cache = memory_.filled(cache, as_small_floats(made_.cached.back()));
        made_.layers.push_back(std::move(l));
    }
    void add_vocabulary() {
        const u64 values = u64 {model_.vocabulary} * model_.hidden;
        made_.embedding = memory_.input(
            "weights.embedding", random_values(seed_, "weights.embedding", values, unit_limit()));
        made_.last_norm = norm("weights.last_norm");
        made_.head = matrix("weights.head", model_.vocabulary, model_.hidden, model_.weight_bits);
    }

    void add_requests() {
        const Requests& requests = shape_.requests;
        std::vector<u32> table;
        for (const std::vector<u32>& blocks : made_.schedule.tables) {
            table.insert(table.end(), blocks.begin(), blocks.end());
            table.resize(table.size() + requests.blocks_each() - blocks.size());
        }
        made_.block_table = memory_.input("kv.block_table", table);
        std::vector<u32> request, position, row_table, end;
        for (const Step& step : made_.schedule.steps)
            for (const Span& span : step.spans) {
                for (u32 i = 0; i < span.rows; ++i) {
                    request.push_back(span.request);
                    row_table.push_back(span.table);
                    position.push_back(span.position + i);
                }
                if (span.ends) end.push_back(span.row + span.rows - 1);
            }
        made_.rows.request = memory_.input("inputs.request", request);
        made_.rows.position = memory_.input("inputs.position", position);
        made_.rows.table = requests.evict == Evict::none ? made_.rows.request
                                                         : memory_.input("inputs.table", row_table);
        made_.rows.end = memory_.input("inputs.end", end);
        made_.rows.uniform =
            memory_.input("inputs.uniform", random_floats(seed_, "uniform", end.size()));
        if (!model_.vocabulary) return;
        const u32 stride = made_.token_stride();
        std::vector<u32> tokens(requests.number * stride);
        const std::vector<u32> common = skewed_tokens("shared", requests.shared);
        for (u32 r = 0; r < requests.number; ++r) {
            const u32 inputs = made_.schedule.inputs[r];
            const auto own = skewed_tokens("prompt." + std::to_string(r), inputs);
            for (u32 i = 0; i < inputs; ++i)
                tokens[r * stride + i] = i < requests.shared ? common[i] : own[i];
        }
        made_.token = memory_.filled("activations.token", tokens);
    }
    /// Tokens as skewed as the words of a text: about as many below n as from n to n^2.
    std::vector<u32> skewed_tokens(const std::string& name, u32 n) {
        std::vector<u32> tokens;
        Rng random(seed_, name);
        u32 bits = 0; // of the largest token
        while (model_.vocabulary >> bits > 1) ++bits;
        while (tokens.size() < n) {
            const u64 below = u64 {2} << random.below(bits + 1);
            const u64 token = below / 2 + random.below(below / 2) - 1;
            if (token < model_.vocabulary) tokens.push_back(static_cast<u32>(token));
        }
        return tokens;
    }

    void add_activations() {
        const u32 rows = made_.schedule.most_rows(), ends = made_.schedule.most_ends();
        const auto words = [&](const std::string& name, u64 n, u32 columns) {
            return memory_.zeroed<u64>("activations." + name, n * columns / values_in_word);
        };
        if (model_.vocabulary) {
            made_.hidden = words("hidden", rows, model_.hidden);
            made_.logits =
                memory_.zeroed<float>("activations.logits", u64 {ends} * model_.vocabulary);
        } else {
            made_.start = random_values(seed_, "activations.hidden", u64 {rows} * model_.hidden,
                                        unit_limit());
            made_.hidden = memory_.filled("activations.hidden", made_.start);
        }
        made_.normed = words("normed", std::max(rows, ends), model_.hidden);
        made_.qkv = words("qkv", rows, model_.qkv_size());
        made_.attention = words("attention", rows, model_.query_size());
        made_.gated = words("gated", u64 {rows} * shape_.pairs(), model_.ffn);
        if (shape_.experts)
            made_.result = words("result", u64 {rows} * shape_.pairs(), model_.hidden);
        u64 partial = 0;
        for (const Step& step : made_.schedule.steps) {
            u32 longest = 0;
            const std::vector<const Span*> singles = single_rows(step);
            for (const Span* span : singles) longest = std::max(longest, span->position + 1);
            partial = std::max(partial, u64 {whole(longest, tokens_in_part)} * singles.size());
        }
        made_.partial = memory_.zeroed<float>("activations.partial",
                                              partial * model_.heads * (model_.head_dim + 2));
    }
    void add_routing() {
        const u32 rows = made_.schedule.most_rows(), pairs = rows * shape_.used;
        u32 tiles = 0, places = 0;
        for (const Step& step : made_.schedule.steps) {
            const u32 n = expert_tiles(shape_, step.rows());
            tiles = std::max(tiles, n);
            places = std::max(places, n * expert_tile(shape_, step.rows()));
        }
        const auto numbers = [&](const std::string& name, u64 n) {
            return memory_.zeroed<u32>("activations.routing." + name, n);
        };
        Routing& r = made_.routing;
        r.logits = memory_.zeroed<float>("activations.routing.logits", u64 {rows} * shape_.experts);
        r.chosen = numbers("chosen", u64 {made_.schedule.rows()} * model_.layers * shape_.used);
        r.weight = memory_.zeroed<float>("activations.routing.weight", pairs);
        r.rank = numbers("rank", pairs);
        r.count = numbers("count", shape_.experts);
        r.first = numbers("first", shape_.experts);
        r.sorted = numbers("sorted", places);
        r.tile = numbers("tile", tiles);
        r.tile_rows = numbers("tile_rows", tiles);
        if (!shape_.predicts()) return;
        r.predicted = numbers("predicted", r.chosen.size);
        const u64 words = signal_words(shape_, made_.schedule.steps.size());
        if (words >> 32)
            throw BadOption("signal_channels",
                            "the signals of all steps, layers and experts need " +
                                std::to_string(words * sizeof(u32)) +
                                " bytes, and 2^34 can be indexed: simulate fewer layers or tokens");
        r.signals = memory_.input("inputs.signals", std::vector<u32>(words));
    }

    void add_swaps() {
        std::vector<u32> blocks, slots;
        for (const Step& step : made_.schedule.steps)
            for (const std::vector<Swap>* swaps : {&step.outs, &step.ins})
                for (const Swap& swap : *swaps) {
                    blocks.push_back(swap.block);
                    slots.push_back(swap.slot);
                }
        made_.swapped_block = memory_.input("inputs.swapped_block", blocks);
        made_.swap_slot = memory_.input("inputs.swap_slot", slots);
        const u64 words = u64 {made_.schedule.slots} * shape_.block_words();
        for (u32 i = 0; i < model_.layers; ++i) {
            const std::string name = "kv." + std::to_string(i) + ".swapped";
            if (model_.kv_bits == 16)
                made_.layers[i].swapped = memory_.zeroed<u64>(name, words);
            else
                made_.layers[i].small_swapped = memory_.zeroed<u32>(name, words);
        }
    }

    DeviceMemory& memory_;
    const BatchShape& shape_;
    const DecoderShape& model_;
    u64 seed_;
    BatchMemory made_;
};

} // namespace

BatchMemory make_batch_memory(DeviceMemory& memory, const BatchShape& shape, u64 seed) {
    return Maker(memory, shape, seed).run();
}

u64 batch_bytes(const BatchShape& shape) {
    const DecoderShape& m = shape.model;
    const u64 attention = u64 {m.hidden} * (m.qkv_size() + m.query_size());
    const u64 experts = u64 {std::max(shape.experts, 1u)} * 3 * m.hidden * m.ffn;
    // The cache and its contents before the first step.
    const u64 cache = cache_values(shape) * (m.kv_bits + 16);
    const u64 rows = std::min<u64>(shape.requests.step_tokens,
                                   u64 {shape.requests.number} * shape.requests.prompt);
    const u64 row =
        3 * m.hidden + m.qkv_size() + m.query_size() + u64 {shape.pairs()} * (m.ffn + m.hidden);
    return m.layers * ((attention + experts) * m.weight_bits + cache) / 8 +
           4 * u64 {m.vocabulary} * m.hidden + 2 * rows * row;
}

u64 largest_array(const BatchShape& shape) {
    const DecoderShape& m = shape.model;
    const u64 rows = std::max({m.qkv_size(), m.ffn, m.vocabulary});
    return std::max(rows * m.hidden, cache_values(shape)) / values_in_word;
}

u32 BatchMemory::signal(u32 step, u32 layer, u32 expert) const {
    const Signals& s = shape.signals;
    const u64 first = (s.bytes() - routing.signals.base % s.bytes()) % s.bytes();
    const u64 number =
        u64 {step / s.steps_in_chunk() * shape.model.layers + layer} * shape.experts + expert;
    const u64 sector = u64 {step % s.steps_in_chunk()} * Signals::sector_bytes;
    return static_cast<u32>((first + number * s.bytes() + sector) / sizeof(u32));
}

PredictedExperts predicted_experts(const BatchMemory& memory, const Step& step) {
    PredictedExperts sum;
    for (u32 layer = 1; layer < memory.shape.model.layers; ++layer) {
        const auto chosen = experts_of(memory, memory.routing.chosen, step, layer);
        const auto predicted = experts_of(memory, memory.routing.predicted, step, layer);
        for (u32 e = 0; e < memory.shape.experts; ++e) {
            sum.used += predicted[e] && chosen[e];
            sum.unused += predicted[e] && !chosen[e];
            sum.missed += !predicted[e] && chosen[e];
        }
    }
    return sum;
}

u32 expert_tile(const BatchShape& shape, u32 rows) {
    return rows * shape.used <= skinny_share * shape.experts ? 16 : 64;
}

u32 expert_tiles(const BatchShape& shape, u32 rows) {
    const u32 pairs = rows * shape.used, tile = expert_tile(shape, rows);
    return std::min(pairs, whole(pairs, tile) + shape.experts);
}

} // namespace memsim::workload
