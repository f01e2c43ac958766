#include "workload/llm/serving/serving_engine.hh"

#include "core/kernel/registry.hh"

namespace memsim::workload {

static const Registration<ServingEngine> serving_engine {
    "Serving of requests to a dense language model or one with experts, in batches, with random "
    "weights."};

namespace {

Requests requests_of(const RequestParams& params) {
    return {.number = params.requests(),
            .context = params.context(),
            .prompt = params.prompt(),
            .spread = params.prompt_spread(),
            .shared = params.shared_prefix(),
            .tokens = params.tokens(),
            .gap = params.arrival_gap(),
            .batch = params.batch(),
            .step_tokens = params.step_tokens(),
            .blocks = params.cache_blocks(),
            .evict = params.evict()};
}

void check(const Requests& requests) {
    const auto number = [](u64 n) { return std::to_string(n); };
    if (requests.spread >= requests.prompt)
        throw BadOption("prompt_spread", number(requests.spread) +
                                             " tokens fewer leave nothing of a prompt of " +
                                             number(requests.prompt) + ": make it less");
    if (const u32 least = requests.context + requests.prompt - requests.spread;
        requests.shared > least)
        throw BadOption("shared_prefix", number(requests.shared) +
                                             " tokens are more than the shortest request has: " +
                                             number(least) + ": make it at most that");
    if (requests.step_tokens < requests.batch)
        throw BadOption("step_tokens", number(requests.step_tokens) +
                                           " is below `batch`, and a step has a token of each of " +
                                           number(requests.batch) +
                                           " requests: make it at least that");
    if (requests.pool() < requests.least_pool())
        throw BadOption("cache_blocks", number(requests.blocks) + " are fewer than the " +
                                            number(requests.least_pool()) +
                                            " blocks of a request: make it at least that, or 0");
    if (requests.evict == Evict::recompute && requests.context)
        throw BadOption("evict", "a context is in the cache from the start and cannot be "
                                 "recomputed: leave `context` out, or swap");
    if (u64 {requests.number} * (requests.positions() + u64 {1}) >> 32)
        throw BadOption("requests", "the tokens of all requests are more than 2^32: make it less");
}

} // namespace

BatchShape ServingEngine::shape() const {
    BatchShape shape;
    shape.model = checked_shape(params.decoder);
    if (constexpr u32 most = 64; shape.model.group() > most)
        throw BadOption("kv_heads", std::to_string(shape.model.group()) +
                                        " heads share keys and values, of at most " +
                                        std::to_string(most) + ": make it greater");
    shape.experts = params.choice.experts();
    if (shape.experts) shape.used = params.choice.experts_per_token();
    if (shape.used > shape.experts)
        throw BadOption("experts_per_token", std::to_string(shape.used) + " is above the " +
                                                 std::to_string(shape.experts) +
                                                 " experts: make it at most that");
    constexpr float unit = 1e9f; // of a Fraction
    shape.temperature = static_cast<float>(params.choice.temperature->raw) / unit;
    shape.shared_operands = params.products.shared_operands();
    shape.buffers = params.products.buffers();
    shape.requests = requests_of(params.load);
    check(shape.requests);
    shape.signals = {params.prediction.signal_channels(),
                     static_cast<u32>(params.prediction.signal_chunk->raw)};
    if (shape.predicts() && !shape.experts)
        throw BadOption("signal_channels", "a dense model has no experts to predict: leave it out");
    check_room(batch_bytes(shape), largest_array(shape));
    return shape;
}

gpu_program::KernelSource& ServingEngine::kernels() {
    if (state.function.source) return *state.function.source;
    Options options;
    options.seed = params.seed();
    try {
        state.function.source = std::make_unique<BatchDecoder>(options, shape());
    } catch (const BadOption& bad) {
        refuse(bad.option, bad.what());
    }
    return *state.function.source;
}

void ServingEngine::init() {
    kernels();
    stat.predicted_used.gather([this] { return state.predicted.used; });
    stat.predicted_unused.gather([this] { return state.predicted.unused; });
    stat.predicted_missed.gather([this] { return state.predicted.missed; });
    state.arrived.resize(params.load.requests());
    state.last.resize(params.load.requests());
}

void ServingEngine::before_launch() {
    const std::vector<PlannedLaunch>& plan = decoder().plan();
    const u32 next = decoder().launches();
    const bool ended = next == plan.size();
    if (next && !ended && plan[next].step == plan[next - 1].step) return;
    if (next) end_step(decoder().arrays().schedule.steps[plan[next - 1].step]);
    if (!ended) begin_step(plan[next].step);
}

void ServingEngine::begin_step(u32 number) {
    state.began = now();
    const std::vector<u32>& arrivals = decoder().arrays().schedule.arrivals;
    for (u32 i = 0; i < arrivals.size(); ++i)
        if (arrivals[i] == number) state.arrived[i] = now();
}

void ServingEngine::end_step(const Step& step) {
    const std::vector<u32>& inputs = decoder().arrays().schedule.inputs;
    ++stat.steps;
    stat.step_tokens.sample(step.rows());
    stat.evictions += step.evicted;
    if (decoder().arrays().shape.predicts()) {
        const PredictedExperts of = predicted_experts(decoder().arrays(), step);
        state.predicted.used += of.used;
        state.predicted.unused += of.unused;
        state.predicted.missed += of.missed;
    }
    const DecoderShape& model = decoder().arrays().shape.model;
    stat.swapped_bytes += (step.outs.size() + step.ins.size()) * model.layers *
                          (u64 {2} * tokens_in_block * model.kv_size() * model.kv_bits / 8);
    stat.step_time.sample(Time {now() - state.began});
    for (const Span& span : step.spans) {
        const u32 request = span.request, position = span.position + span.rows;
        if (span.begins) stat.reused_tokens += span.position - params.load.context();
        if (!span.ends) continue;
        ++stat.tokens;
        if (position == inputs[request])
            stat.time_to_first_token.sample(Time {now() - state.arrived[request]});
        else
            stat.time_between_tokens.sample(Time {now() - state.last[request]});
        state.last[request] = now();
        if (position < inputs[request] + params.load.tokens() - 1) continue;
        ++stat.requests;
        stat.request_time.sample(Time {now() - state.arrived[request]});
    }
}

} // namespace memsim::workload
