#include "workload/sequence.hh"

namespace memsim::workload {

Sequence::Sequence(const Options& options, const std::vector<Part>& parts) : Application(options) {
    Options its = options;
    for (const Part& part : parts) {
        its.size = part.size;
        parts_.push_back(make_workload(part.name, its));
        const Application& made = *parts_.back();
        for (Allocation a : made.allocations()) {
            a.name = part.name + "." + a.name;
            allocations_.push_back(a);
        }
        its.first_address = made.footprint_bytes();
        its.first_kernel += made.kernel_count();
    }
}

bool Sequence::next_launch(Launch& launch) {
    for (; current_ < parts_.size(); ++current_)
        if (parts_[current_]->next_launch(launch)) return true;
    return false;
}

void Sequence::run_block(u32 block, BlockStreams& out) { parts_[current_]->run_block(block, out); }

std::vector<gpu_program::MemoryView> Sequence::memory() const {
    std::vector<gpu_program::MemoryView> all;
    for (const auto& part : parts_)
        for (const gpu_program::MemoryView& view : part->memory()) all.push_back(view);
    return all;
}

void Sequence::note_host_writes() {
    for (const auto& part : parts_) part->note_host_writes();
}

std::vector<gpu_program::HostWrite> Sequence::take_host_writes() {
    std::vector<gpu_program::HostWrite> all;
    for (const auto& part : parts_)
        for (const gpu_program::HostWrite& w : part->take_host_writes()) all.push_back(w);
    return all;
}

u64 Sequence::result_digest() const {
    u64 hash = 0;
    for (const auto& part : parts_) hash = hash * 0x9e3779b97f4a7c15 + part->result_digest();
    return hash;
}

void Sequence::save(Saver& to) const {
    to(current_);
    for (const auto& part : parts_) part->save(to);
}

void Sequence::load(Loader& from) {
    from(current_);
    from.check(current_ <= parts_.size(), "the running part does not belong to the application");
    for (const auto& part : parts_) part->load(from);
}

std::string Sequence::difference() const {
    for (const auto& part : parts_)
        if (auto wrong = part->difference(); !wrong.empty()) return wrong;
    return "";
}

} // namespace memsim::workload
