#include "workload/llm/serving/schedule.hh"

#include "core/base/error.hh"
#include "core/base/rng.hh"

#include <algorithm>
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
        schedule_.tables.resize(requests.number);
    }

    Schedule run() {
        for (u64 now = 0; next_ < requests_.number || !running_.empty(); ++now) {
            if (running_.empty() && arrived() == next_) now = std::max(now, due_[next_]);
            while (arrived() < requests_.number && due_[arrived()] <= now)
                schedule_.arrivals.push_back(static_cast<u32>(schedule_.steps.size()));
            add_step();
        }
        return std::move(schedule_);
    }

  private:
    struct Running {
        u32 request, done; ///< tokens in the cache
    };
    u32 arrived() const { return static_cast<u32>(schedule_.arrivals.size()); }
    u32 input(const Running& r) const { return schedule_.inputs[r.request]; }
    /// Tokens of a request whose keys and values are stored.
    u32 positions(u32 request) const { return schedule_.inputs[request] + requests_.tokens - 1; }

    void add_step() {
        Step step;
        if (!schedule_.steps.empty()) {
            step.first_row = schedule_.rows();
            step.first_end = schedule_.steps.back().first_end + schedule_.steps.back().ends();
        }
        u32 room = requests_.step_tokens;
        const auto add = [&](Running& r, u32 rows, bool begins = false) {
            step.spans.push_back({.request = r.request,
                                  .row = step.rows(),
                                  .rows = rows,
                                  .position = r.done,
                                  .begins = begins,
                                  .ends = r.done + rows >= input(r)});
            r.done += rows;
            room -= rows;
        };
        for (Running& r : running_)
            if (r.done >= input(r)) add(r, 1);
        for (Running& r : running_)
            if (r.done < input(r) && room > 0) add(r, std::min(room, input(r) - r.done));
        while (room > 0 && next_ < arrived() && admit()) {
            Running& r = running_.back();
            add(r, std::min(room, input(r) - r.done), true);
        }
        schedule_.steps.push_back(step);
        finish_step();
    }

    /// Admits the next request if there is room for it.
    bool admit() {
        const auto taken = static_cast<u32>(shared_.size());
        const u32 blocks = (positions(next_) + tokens_in_block - 1) / tokens_in_block;
        if (running_.size() == requests_.batch || free_.size() < blocks - taken) return false;
        std::vector<u32>& table = schedule_.tables[next_];
        table = shared_;
        while (table.size() < blocks) {
            table.push_back(free_.back());
            free_.pop_back();
        }
        // A context that all have in common is in the cache from the start.
        while (shared_.size() < std::min(common_, requests_.context / tokens_in_block))
            shared_.push_back(table[shared_.size()]);
        running_.push_back({next_++, std::max(requests_.context, taken * tokens_in_block)});
        return true;
    }

    void finish_step() {
        for (const Running& r : running_) // blocks that are complete now
            while (shared_.size() < std::min(common_, r.done / tokens_in_block))
                shared_.push_back(schedule_.tables[r.request][shared_.size()]);
        std::erase_if(running_, [this](const Running& r) {
            if (r.done < positions(r.request)) return false;
            for (const u32 block : schedule_.tables[r.request])
                if (std::find(shared_.begin(), shared_.end(), block) == shared_.end())
                    free_.push_back(block);
            return true;
        });
    }

    const Requests& requests_;
    u32 common_;
    std::vector<u32> free_;
    std::vector<u32> shared_; ///< blocks of the common tokens that are complete
    std::vector<u64> due_;    ///< by request, in steps and pauses
    std::vector<Running> running_;
    u32 next_ = 0; ///< the first request that waits
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
    MEMSIM_ASSERT(requests.pool() >= requests.blocks_each() &&
                      requests.step_tokens >= requests.batch && requests.spread < requests.prompt,
                  "a request that never fits");
    return Planner(requests, seed).run();
}

} // namespace memsim::workload
