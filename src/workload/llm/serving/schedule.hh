#pragma once

#include "workload/llm/decoder_memory.hh"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

/// Requests to a language model, and the steps in which an engine with continuous batching
/// processes their tokens. Times are counted in steps, so that the same work runs on every machine.
namespace memsim::workload {

/// What happens to the request admitted last when another one needs a block and none is free.
/// none: requests are admitted with all of their blocks. recompute: its tokens are processed again
/// later. swap: its blocks are copied to another array, and back.
enum class Evict : std::uint8_t { none, recompute, swap };
constexpr std::array<std::string_view, 3> names_of(Evict) { return {"none", "recompute", "swap"}; }

/// The requests of a run and the limits of the engine.
struct Requests {
    u32 number = 1;  ///< of requests
    u32 context = 0; ///< tokens of each whose keys and values are in the cache at the start
    u32 prompt = 1;  ///< most tokens that are processed before a request's first one is chosen
    u32 spread = 0;  ///< prompts have up to so many tokens fewer
    u32 shared = 0;  ///< first tokens that all requests have in common
    u32 tokens = 1;  ///< that each request generates
    u32 gap = 0;     ///< mean steps from one arrival to the next; 0: all arrive at the start
    u32 batch = 8;   ///< most requests in progress
    u32 step_tokens = 2048; ///< most tokens of a step
    u32 blocks = 0;         ///< of the cache; 0: as many as a full batch needs
    Evict evict = Evict::none;

    /// Most tokens of a request whose keys and values are stored: all but the last one generated.
    u32 positions() const { return context + prompt + tokens - 1; }
    u32 blocks_each() const { return (positions() + tokens_in_block - 1) / tokens_in_block; }
    /// Whole blocks of common tokens. The last token of the input is always processed, because its
    /// logits are needed.
    u32 common_blocks() const {
        return std::min(shared, context + prompt - spread - 1) / tokens_in_block;
    }
    /// Fewest blocks of the cache. A request that is evicted may have blocks of its own for common
    /// tokens.
    u32 least_pool() const { return blocks_each() + (evict == Evict::none ? 0 : common_blocks()); }
    u32 pool() const {
        return blocks ? blocks : std::min(batch, number) * blocks_each() + common_blocks();
    }
};

/// Consecutive tokens of a request in a step, one row of the step each.
struct Span {
    u32 request = 0;
    u32 table = 0; ///< in Schedule::tables
    u32 row = 0;   ///< the first one, in the step
    u32 rows = 0;
    u32 position = 0;    ///< of the first one, in the request
    bool begins = false; ///< the request's first one
    bool ends = false;   ///< the last row's logits choose the request's next token
};

/// A block of the cache that is copied to or from a place in the arrays of swapped blocks.
struct Swap {
    u32 block = 0, slot = 0;
};

struct Step {
    u32 first_row = 0; ///< among the rows of all steps
    u32 first_end = 0; ///< ends of spans in the steps before
    std::vector<Span> spans;
    u32 first_swap = 0;          ///< swaps in the steps before
    u32 evicted = 0;             ///< requests, before the step
    std::vector<Swap> outs, ins; ///< copied before the step, in this order

    u32 rows() const { return spans.empty() ? 0 : spans.back().row + spans.back().rows; }
    u32 ends() const;
};

struct Schedule {
    std::vector<Step> steps;
    std::vector<u32> inputs;   ///< by request: tokens of its context and prompt
    std::vector<u32> arrivals; ///< by request: the step that begins at its arrival
    /// By admission of a request: its blocks of the cache, in order. Without eviction the number
    /// of the admission is that of the request.
    std::vector<std::vector<u32>> tables;
    u32 slots = 0; ///< for swapped blocks

    u32 rows() const { return steps.back().first_row + steps.back().rows(); }
    u32 most_rows() const;
    u32 most_ends() const;
};

/// A step has a token of each request that generates, then as much of the prompts as fits, in the
/// order of admission. A waiting request is admitted when the batch and the cache have room for all
/// of it. Whole blocks of common tokens are shared once a request has computed them, and are kept;
/// all other blocks are free again when their request ends.
///
/// With eviction a request is admitted when there are blocks for its input, and gets further ones
/// when it needs them. Evicted requests are admitted before all others. No request is admitted in a
/// step that evicts one.
/// Requires: pool() >= least_pool(); step_tokens >= batch; spread < prompt; no context with
/// recompute.
Schedule make_schedule(const Requests& requests, u64 seed);

} // namespace memsim::workload
