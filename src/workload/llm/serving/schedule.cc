#include "workload/llm/serving/schedule.hh"

#include "core/base/error.hh"
#include "core/base/rng.hh"

#include <algorithm>
#include <deque>
#include <numeric>

namespace memsim::workload {

namespace {

/// The engine's host while it plans.
class Planner {
  public:
    Planner(const Requests& requests, u64 seed)
        : requests_(requests), common_(requests.common_blocks()) {
        free_.resize(requests.pool());
        std::iota(free_.begin(), free_.end(), 0u);
        Rng order(seed, "kv.block_table"); // as after some time of serving
        for (u32 i = requests.pool(); i > 1; --i)
            std::swap(free_[i - 1], free_[static_cast<u32>(order.below(i))]);
        Rng lengths(seed, "prompts");
        for (u32 i = 0; i < requests.number; ++i)
            schedule_.inputs.push_back(requests.context + requests.prompt -
                                       static_cast<u32>(lengths.below(requests.spread + u64 {1})));
        Rng arrivals(seed, "arrivals");
        u64 at = 0;
        for (u32 i = 0; i < requests.number; ++i) {
            due_.push_back(at);
            if (requests.gap)
                while (arrivals.below(requests.gap + u64 {1}) != 0) ++at;
        }
    }

    Schedule run() {
        for (u64 now = 0; next_ < requests_.number || !idle(); ++now) {
            if (idle() && arrived() == next_) now = std::max(now, due_[next_]);
            while (arrived() < requests_.number && due_[arrived()] <= now)
                schedule_.arrivals.push_back(static_cast<u32>(schedule_.steps.size()));
            add_step();
        }
        return std::move(schedule_);
    }

  private:
    struct Running {
        u32 request, done; ///< tokens in the cache
        u32 target;        ///< tokens that are processed before the next one is chosen
        u32 table;
    };
    struct Evicted {
        Running request;
        std::vector<u32> slots; ///< of its blocks with tokens; none: a common block, which is kept
    };
    static constexpr u32 none = ~0u;

    bool evicts() const { return requests_.evict != Evict::none; }
    bool idle() const { return running_.empty() && evicted_.empty(); }
    static u32 blocks_for(u32 tokens) { return (tokens + tokens_in_block - 1) / tokens_in_block; }
    u32 arrived() const { return static_cast<u32>(schedule_.arrivals.size()); }
    /// Tokens of a request whose keys and values are stored.
    u32 positions(u32 request) const { return schedule_.inputs[request] + requests_.tokens - 1; }

    void add_step() {
        Step step;
        if (!schedule_.steps.empty()) {
            step.first_row = schedule_.rows();
            const Step& last = schedule_.steps.back();
            step.first_end = last.first_end + last.ends();
            step.first_swap =
                last.first_swap + static_cast<u32>(last.outs.size() + last.ins.size());
        }
        u32 room = requests_.step_tokens;
        const auto add = [&](Running& r, u32 rows, bool begins = false) {
            step.spans.push_back({.request = r.request,
                                  .table = r.table,
                                  .row = step.rows(),
                                  .rows = rows,
                                  .position = r.done,
                                  .begins = begins,
                                  .ends = r.done + rows >= r.target});
            r.done += rows;
            room -= rows;
        };
        // Requests are evicted from the last one on, before they have a span.
        for (u32 i = 0; i < running_.size(); ++i)
            if (running_[i].done >= running_[i].target && has_room(i, step)) add(running_[i], 1);
        for (Running& r : running_)
            if (r.done < r.target && room > 0) add(r, std::min(room, r.target - r.done));
        while (room > 0 && !step.evicted && admit(step)) {
            Running& r = running_.back();
            const bool begins = r.table == first_table_of(r.request);
            add(r, r.done < r.target ? std::min(room, r.target - r.done) : 1, begins);
        }
        schedule_.steps.push_back(step);
        finish_step();
    }
    /// Whether the table of a request has a block for its next token; evicts requests for it. False
    /// if this request was evicted.
    bool has_room(u32 i, Step& step) {
        while (schedule_.tables[running_[i].table].size() * tokens_in_block <= running_[i].done) {
            if (!free_.empty()) {
                schedule_.tables[running_[i].table].push_back(take_block());
                continue;
            }
            MEMSIM_ASSERT(evicts(), "a request was admitted without all of its blocks");
            evict_last(step);
            if (i == running_.size()) return false;
        }
        return true;
    }
    u32 take_block() {
        const u32 block = free_.back();
        free_.pop_back();
        return block;
    }
    static bool is_slot(u32 slot) { return slot != none; }
    bool is_common(u32 block) const {
        return std::find(shared_.begin(), shared_.end(), block) != shared_.end();
    }
    void free_blocks(const std::vector<u32>& table) {
        for (const u32 block : table)
            if (!is_common(block)) free_.push_back(block);
    }

    void evict_last(Step& step) {
        Evicted e {running_.back(), {}};
        running_.pop_back();
        ++step.evicted;
        const std::vector<u32>& table = schedule_.tables[e.request.table];
        if (requests_.evict == Evict::swap)
            for (u32 i = 0; i < blocks_for(e.request.done); ++i) {
                e.slots.push_back(is_common(table[i]) ? none : take_slot());
                if (e.slots.back() != none) step.outs.push_back({table[i], e.slots.back()});
            }
        else {
            // All of its tokens become its input, with the one that was chosen last.
            if (e.request.done >= e.request.target) e.request.target = e.request.done + 1;
            e.request.done = 0;
        }
        free_blocks(table);
        evicted_.push_front(e);
    }
    u32 take_slot() {
        if (free_slots_.empty()) return schedule_.slots++;
        const u32 slot = free_slots_.back();
        free_slots_.pop_back();
        return slot;
    }

    /// Admits the next request if there is room for it.
    bool admit(Step& step) {
        if (running_.size() == requests_.batch) return false;
        if (!evicted_.empty()) return readmit(step);
        if (next_ == arrived()) return false;
        const auto taken = static_cast<u32>(shared_.size());
        const u32 input = schedule_.inputs[next_];
        const u32 blocks = blocks_for(evicts() ? input : positions(next_));
        if (free_.size() < blocks - taken) return false;
        std::vector<u32>& table = add_table(shared_, blocks);
        // A context that all have in common is in the cache from the start.
        while (shared_.size() < std::min(common_, requests_.context / tokens_in_block))
            shared_.push_back(table[shared_.size()]);
        const u32 done = std::max(requests_.context, taken * tokens_in_block);
        running_.push_back({next_++, done, input, last_table()});
        first_table_.push_back(last_table());
        return true;
    }
    std::vector<u32>& add_table(const std::vector<u32>& first, u32 blocks) {
        std::vector<u32>& table = schedule_.tables.emplace_back(first);
        while (table.size() < blocks) table.push_back(take_block());
        return table;
    }
    u32 last_table() const { return static_cast<u32>(schedule_.tables.size() - 1); }
    u32 first_table_of(u32 request) const { return first_table_[request]; }

    bool readmit(Step& step) {
        Evicted& e = evicted_.front();
        Running& r = e.request;
        std::vector<u32> blocks = shared_;
        u32 slots = 0;
        if (requests_.evict == Evict::swap) {
            blocks = schedule_.tables[r.table];
            blocks.resize(e.slots.size());
            slots = static_cast<u32>(std::ranges::count_if(e.slots, is_slot));
        }
        const u32 all = blocks_for(std::max(r.target, r.done + 1));
        if (free_.size() < all - blocks.size() + slots) return false;
        for (u32 i = 0; i < e.slots.size(); ++i)
            if (is_slot(e.slots[i])) {
                blocks[i] = take_block();
                step.ins.push_back({blocks[i], e.slots[i]});
            }
        if (requests_.evict == Evict::recompute)
            r.done = static_cast<u32>(blocks.size()) * tokens_in_block;
        add_table(blocks, all);
        r.table = last_table();
        running_.push_back(r);
        evicted_.pop_front();
        return true;
    }

    void finish_step() {
        for (const Running& r : running_) // blocks that are complete now
            while (shared_.size() < std::min(common_, r.done / tokens_in_block))
                shared_.push_back(schedule_.tables[r.table][shared_.size()]);
        std::erase_if(running_, [this](const Running& r) {
            if (r.done < positions(r.request)) return false;
            free_blocks(schedule_.tables[r.table]);
            return true;
        });
        for (const Swap& in : schedule_.steps.back().ins) free_slots_.push_back(in.slot);
    }

    const Requests& requests_;
    u32 common_;
    std::vector<u32> free_;
    std::vector<u32> shared_; ///< blocks of the common tokens that are complete
    std::vector<u64> due_;    ///< by request, in steps and pauses
    std::vector<Running> running_;
    std::deque<Evicted> evicted_; ///< in the order in which they are admitted again
    std::vector<u32> free_slots_;
    std::vector<u32> first_table_; ///< by request: of its first admission
    u32 next_ = 0;                 ///< the first request that waits
    Schedule schedule_;
};

} // namespace

u32 Step::ends() const {
    return static_cast<u32>(
        std::count_if(spans.begin(), spans.end(), [](const Span& s) { return s.ends; }));
}

u32 Schedule::most_rows() const {
    u32 most = 0;
    for (const Step& step : steps) most = std::max(most, step.rows());
    return most;
}

u32 Schedule::most_ends() const {
    u32 most = 0;
    for (const Step& step : steps) most = std::max(most, step.ends());
    return most;
}

Schedule make_schedule(const Requests& requests, u64 seed) {
    MEMSIM_ASSERT(requests.pool() >= requests.least_pool() &&
                      requests.step_tokens >= requests.batch && requests.spread < requests.prompt,
                  "a request that never fits");
    return Planner(requests, seed).run();
}

} // namespace memsim::workload
