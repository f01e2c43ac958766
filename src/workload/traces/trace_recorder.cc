#include "workload/traces/trace_recorder.hh"

#include "core/registry.hh"

#include <cstdio>

namespace memsim::workload {

static const Registration<TraceRecorder> registered {
    "Passes memory requests on and writes them to a trace."};

using protocol::Command;

void TraceRecorder::init() {
    if (params.file->empty()) refuse("file", "no file is given: name the trace to be written");
    try {
        encoder_ = make_encoder(params.format(), params.file(), params.cycle());
    } catch (const ConfigError& e) {
        refuse("cycle", e.what());
    }
    state.batch.reserve(params.batch());
}

void TraceRecorder::start() {
    open();
    encoder_->head({path(), true, false}, bytes_);
    output_->append(bytes_);
    state.bytes = bytes_.size();
    bytes_.clear();
}

/// The file is opened when a run begins, or when one that was restored writes again: a machine that
/// is only built or looked at leaves it alone.
void TraceRecorder::open() {
    restored_at_ = never; // a file that is refused is left alone at the end, too
    output_ = std::make_unique<TraceOutput>(params.file(), state.bytes);
}

void TraceRecorder::load_state(Loader& from) {
    Model::load_state(from);
    output_.reset();
    restored_at_ = now();
}

TraceRecorder::~TraceRecorder() {
    if (!output_ && (restored_at_ == never || now() == restored_at_)) return;
    try {
        if (!output_) open();
        if (!state.batch.empty()) write_batch();
        encoder_->end(state.records, bytes_);
        output_->append(bytes_);
    } catch (const ConfigError& e) { // the run is over: nobody can catch it
        std::fprintf(stderr, "memsim: the end of a trace is missing: %s\n", e.what());
    }
}

void TraceRecorder::wake() {
    auto& asks = port.cpu_side;
    auto& memory = port.mem_side;
    while (!memory.empty() && asks.can_send()) asks.send(memory.pop());
    while (!asks.empty() && memory.can_send()) {
        const protocol::MemRequest r = asks.pop();
        if (r.command != Command::invalidate) record(r);
        memory.send(r);
    }
}

void TraceRecorder::record(const protocol::MemRequest& r) {
    Record record {now(), r.address,     r.bytes,   r.warp,
                   r.pc,  r.application, r.sectors, TraceCommandKind::read};
    if (r.command != Command::read)
        record.command =
            r.command == Command::write ? TraceCommandKind::write : TraceCommandKind::atomic;
    ++stat.records;
    stat.bytes += r.payload();
    const auto push = [&] {
        state.batch.push_back(record);
        if (state.batch.size() >= params.batch()) write_batch();
    };
    if (params.format() == TraceOutputFormat::memsim || r.sectors == 0) {
        push();
        return;
    }
    // Other formats know no holes: a record for each stretch.
    record.sectors = 0;
    for (std::uint32_t from = 0; from < r.bytes;) {
        const protocol::Part part = next_part(r, from, protocol::sector_bytes);
        record.address = r.address + part.offset;
        record.bytes = part.bytes;
        push();
        from = part.offset + part.bytes;
    }
}

void TraceRecorder::write_batch() {
    if (!output_) open();
    records_.clear();
    for (const Record& r : state.batch)
        records_.push_back(
            {r.time, r.address, r.bytes, r.command, r.application, r.pc, r.warp, r.sectors});
    encoder_->batch(records_, {}, bytes_);
    output_->append(bytes_);
    state.bytes += bytes_.size();
    state.records += records_.size();
    state.batch.clear();
    bytes_.clear();
}

} // namespace memsim::workload
