#include "zng/ftl/merge_blocks.hh"

#include <tuple>

namespace memsim::zng {

MergeBlocks::MergeBlocks(Config config, MergeBlocksState& state)
    : config_(std::move(config)), state_(state) {
    const auto up = [](std::uint32_t n, std::uint32_t of) { return (n + of - 1) / of; };
    const std::uint32_t reachable = config_.flash.reachable_groups();
    std::uint32_t data = 0; // upper bound of the blocks within the reach of a group
    for (const BlockRange& r : config_.ranges) {
        if (r.blocks == 0) continue;
        data += up(r.blocks, config_.flash.groups() / reachable);
        const std::uint32_t last = config_.flash.block_in_plane(r.first + r.blocks - 1);
        used_logs_ = std::max(used_logs_, last / config_.ratio + 1);
    }
    const std::uint32_t logs =
        up(up(data, reachable), config_.ratio); // per group, to merge all these blocks into
    kept_ = std::max(logs, 1u) * (config_.ratio + 1);
}

Served MergeBlocks::served_by(std::uint32_t log) const {
    if (const Served* const made = state_.made.find(log)) return *made;
    Served s;
    const std::uint32_t group = config_.flash.group_of(log);
    const std::uint32_t first =
        (config_.flash.block_in_plane(log) - config_.data_blocks) * config_.ratio;
    for (std::uint32_t b = first; b < first + config_.ratio && b < config_.data_blocks; ++b) {
        const std::uint32_t data = config_.flash.in_group(group, b);
        if (state_.logical.find(data)) continue;
        for (std::size_t i = 0; i < config_.ranges.size(); ++i)
            if (data - config_.ranges[i].first < config_.ranges[i].blocks) {
                s.application = static_cast<std::uint16_t>(i);
                s.blocks.push_back(data);
            }
    }
    return s;
}

void MergeBlocks::close(const Served& s, std::uint32_t log) {
    const std::uint64_t key = open_key(config_.flash.group_of(log), s.application);
    if (const OpenLog* const o = state_.open.find(key); o && o->log == log) state_.open.erase(key);
}

std::optional<std::uint32_t> MergeBlocks::extend(std::uint32_t log) {
    const std::uint32_t group = config_.flash.group_of(log), logs = state_.logs.logs_of_group();
    std::uint32_t& taken = state_.idle_taken[group];
    std::uint32_t block = 0;
    if (used_logs_ + taken < logs)
        block = config_.flash.in_group(group, config_.data_blocks + logs - ++taken);
    else if (state_.free.left(group) > kept_)
        block = state_.free.take(group);
    else
        return {};
    state_.more[log].push_back(block);
    return block;
}

std::vector<std::uint32_t> MergeBlocks::all_of(std::uint32_t log) const {
    std::vector<std::uint32_t> all {log};
    if (const auto* const more = state_.more.find(log))
        all.insert(all.end(), more->begin(), more->end());
    return all;
}

bool MergeBlocks::has_room(std::uint32_t from, std::uint16_t application,
                           std::size_t blocks) const {
    std::size_t room = 0;
    for (std::uint32_t i = 0; i < config_.flash.reachable_groups() && room < blocks; ++i) {
        const std::uint32_t group = config_.flash.reachable_group(from, i);
        std::uint32_t left = state_.free.left(group);
        if (const OpenLog* const o = state_.open.find(open_key(group, application))) {
            const std::uint32_t with_log = std::min(left, config_.ratio - o->members);
            room += with_log, left -= with_log;
        }
        const std::uint32_t rest =
            left % (config_.ratio + 1); // each log block needs its data blocks
        room += left / (config_.ratio + 1) * config_.ratio + (rest ? rest - 1 : 0);
    }
    return room >= blocks;
}

BlockMove MergeBlocks::choose(std::uint32_t from, std::uint16_t application, bool& opened) {
    // Merges, whether a log block is opened, block, group. The smallest tuple is the best choice.
    using Choice = std::tuple<std::uint32_t, bool, FreeBlocks::Block, std::uint32_t>;
    std::optional<Choice> best;
    for (std::uint32_t i = 0; i < config_.flash.reachable_groups(); ++i) {
        const std::uint32_t group = config_.flash.reachable_group(config_.flash.group_of(from), i);
        const bool opens = !state_.open.find(open_key(group, application));
        if (state_.free.left(group) < 1u + opens) continue;
        const Choice c {state_.group_moves[group], opens, state_.free.best(group), group};
        if (!best || c < *best) best = c;
    }
    MEMSIM_ASSERT(best, "there is no room for a data block that is moved");
    const auto [merges, opens, block, group] = *best;
    BlockMove m;
    m.from = from;
    const std::uint32_t* const known = state_.logical.find(from); // otherwise it was never moved
    m.logical = known ? *known : from;
    m.to = state_.free.take(group);
    const std::uint64_t key = open_key(group, application);
    opened = opens;
    if (opens) state_.open[key] = {state_.free.take(group), 0};
    OpenLog& open = state_.open[key];
    m.to_log = open.log;
    if (++open.members == config_.ratio) state_.open.erase(key);
    Served& served = state_.made[m.to_log];
    served.application = application;
    served.blocks.push_back(m.to);
    state_.logical[m.to] = m.logical;
    ++state_.targets[m.to_log];
    ++state_.group_moves[group];
    return m;
}

void MergeBlocks::moved(const BlockMove& m) {
    state_.logs.change(m.to, m.to_log);
    state_.logical[m.from] = MergeBlocksState::moved_away;
    state_.logs.forget(m.from);
    --state_.group_moves[config_.flash.group_of(m.from)];
    --state_.group_moves[config_.flash.group_of(m.to)];
}

void MergeBlocks::check_loaded(Loader& l) const {
    const std::uint64_t blocks = config_.flash.all_blocks();
    state_.made.all([&](std::uint64_t, const Served& s) {
        l.index("made", s.application, config_.ranges.size());
        l.indices("made.blocks", s.blocks, blocks);
        return true;
    });
    state_.idle_taken.all([&](std::uint64_t group, std::uint32_t taken) {
        l.index("idle_taken", group, config_.flash.groups());
        l.index("idle_taken", taken, state_.logs.logs_of_group() - used_logs_ + 1);
        return true;
    });
    state_.more.all([&](std::uint64_t, const std::vector<std::uint32_t>& more) {
        l.indices("more", more, blocks);
        return true;
    });
    state_.open.all([&](std::uint64_t, const OpenLog& o) {
        l.index("open", o.log, blocks);
        return true;
    });
}

} // namespace memsim::zng
