#include "workload/traces/trace_recorder.hh"

#include "core/kernel/registry.hh"

namespace memsim::workload {

static const Registration<TraceRecorder> trace_recorder {
    "Forwards memory requests and writes them to a trace."};

using protocol::Command;

void TraceRecorder::init() {
    if (params.file->empty())
        refuse("file", "no file is given: set it to the name of the trace to write");
    try {
        encoder_ = make_encoder(params.format(), params.file(), params.cycle());
    } catch (const ConfigError& e) {
        refuse("cycle", e.what());
    }
    state.batch.reserve(params.batch());
}

void TraceRecorder::start() {
    output_ = std::make_unique<TraceOutput>(params.file());
    encoder_->head({path(), true, false}, bytes_);
    output_->append(bytes_);
    state.bytes = bytes_.size();
    bytes_.clear();
}

/// Leaves the file unchanged, in case the machine is only inspected.
void TraceRecorder::state_loaded() {
    output_.reset();
    complete_.reset();
}

/// The file, truncated to the bytes of State.
TraceOutput& TraceRecorder::output() {
    if (!output_) output_ = std::make_unique<TraceOutput>(params.file(), state.bytes);
    if (complete_) output_->cut(state.bytes);
    complete_.reset();
    return *output_;
}

void TraceRecorder::complete_output() {
    const std::uint64_t records = state.records + state.batch.size();
    if (complete_ == records) return;
    if (!state.batch.empty()) encode_batch();
    encoder_->end(records, bytes_);
    output().append(bytes_);
    complete_ = records;
    bytes_.clear();
}

void TraceRecorder::wake() {
    auto& asks = port.cpu_side;
    auto& memory = port.mem_side;
    while (!memory.empty() && asks.can_send()) asks.send(memory.pop());
    while (!asks.empty() && memory.can_send()) {
        const protocol::MemRequest r = asks.pop();
        if (!protocol::for_a_cache(r.command)) record(r);
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
        if (state.batch.size() >= params.batch()) append_batch();
    };
    if (params.format() == TraceOutputFormat::memsim || r.sectors == 0) {
        push();
        return;
    }
    // Other formats cannot represent holes: writes one record per contiguous range.
    record.sectors = 0;
    for (std::uint32_t from = 0; from < r.bytes;) {
        const protocol::Part part = next_part(r, from, protocol::sector_bytes);
        record.address = r.address + part.offset;
        record.bytes = part.bytes;
        push();
        from = part.offset + part.bytes;
    }
}

void TraceRecorder::append_batch() {
    encode_batch();
    output().append(bytes_);
    state.bytes += bytes_.size();
    state.records += state.batch.size();
    state.batch.clear();
    bytes_.clear();
}

void TraceRecorder::encode_batch() {
    records_.clear();
    for (const Record& r : state.batch)
        records_.push_back(
            {r.time, r.address, r.bytes, r.command, r.application, r.pc, r.warp, r.sectors});
    encoder_->batch(records_, {}, bytes_);
}

} // namespace memsim::workload
