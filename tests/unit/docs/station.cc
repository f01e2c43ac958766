#include "station.hh"

#include "core/kernel/registry.hh"

namespace memsim::test {

static const Registration<Station> registered {"Serves several memory requests at once."};

void Station::wake() {
    auto& in = port.cpu_side;
    while (!state.done.empty() && (state.done.front().posted || in.can_send())) {
        release(state.done.front());
        state.done.pop_front();
    }
    while (!in.empty() && state.busy < params.places()) serve(in.pop());
}

void Station::serve(const protocol::MemRequest& r) {
    Job job {protocol::answer(r), now(), r.posted};
    if (r.command == protocol::Command::read) {
        ++stat.reads;
        if (sim().contents().enabled())
            job.answer.contents = state.contents.read(sim().contents(), r);
    } else
        state.contents.write(sim().contents(), r);
    ++stat.requests;
    stat.bytes += r.payload();
    stat.busy.set(now(), ++state.busy);
    after<&Station::served>(params.service(), job); // an event: this handler, with a copy of `job`
}

/// A handler changes nothing but its own component's State; wake() runs after it in the same tick.
void Station::served(const Job& job) { state.done.push_back(job); }

void Station::release(const Job& job) {
    stat.busy.set(now(), --state.busy);
    stat.latency.sample(Time {now() - job.began});
    sim().stamps().mark(job.answer.stamps, protocol::Stage::dram, now());
    if (!job.posted) port.cpu_side.send(job.answer);
}

/// A look at a sector without time, for machines that carry contents.
void Station::functional(const PortBase&, FunctionalAccess& access) {
    state.contents.functional(access);
}

} // namespace memsim::test
