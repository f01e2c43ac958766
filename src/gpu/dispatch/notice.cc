#include "gpu/dispatch/notice.hh"

#include <algorithm>

namespace memsim::gpu {

namespace {

Tick least_latency(const std::vector<const LinkBase*>& links) {
    Tick least = never;
    for (const LinkBase* link : links) least = std::min(least, link->latency());
    return least;
}

} // namespace

Time LaunchNotice::least() const {
    return {std::min(least_latency(answers_), least_latency(reports_))};
}

Tick LaunchNotice::quiet_until(const std::vector<Application>& applications, Tick next) const {
    std::uint32_t reports = 0; // in flight
    for (const LinkBase* link : reports_) reports += link->in_queue();
    const Tick report = next + least_latency(reports_);
    Tick quiet = never;
    for (std::size_t i = 0; i < applications.size(); ++i)
        for (const Stream& s : applications[i].streams) {
            const Tick answer = answers_[i]->latency();
            if (s.blocks) // reports of other streams count as well: the tick may be too early
                quiet = std::min(quiet, s.has_blocks() || s.running > reports ? report : next);
            else if (!s.ended)
                quiet = std::min(quiet, (s.asked ? s.asked_at : next) + answer);
        }
    return quiet;
}

} // namespace memsim::gpu
