#include "input_files/block_trace.hh"
#include "workload/traces/formats/text_reader.hh"

#include <optional>

namespace memsim::workload {

namespace {

/// '1000 0 2048 8 1': input_files/block_trace.hh
class MqSim final : public TraceReader {
  public:
    MqSim(std::unique_ptr<InputFile> file, const TraceOptions& options) {
        if (options.unit.raw <= 0)
            file->refuse("is a block trace of MQSim, which does not state the unit of its arrival "
                         "times: state the unit, such as 1ns");
        unit_ = options.unit.raw;
        trace_.emplace(std::move(file));
    }
    void go_to(const TracePlace& place) override { place_ = place; }

  private:
    bool read(TraceRecord& r) override {
        input_files::BlockTrace::Place place {place_.byte, place_.line, place_.time};
        const auto record = trace_->next(place);
        if (!record) return false;
        place_.byte = place.byte, place_.line = place.line, place_.time = place.arrival;
        r = {};
        r.time = record->arrival;
        r.application = record->device;
        r.address = record->sector * input_files::block_trace_sector;
        r.bytes = static_cast<std::uint32_t>(record->sectors * input_files::block_trace_sector);
        if (record->write) r.command = TraceCommandKind::write;
        return true;
    }
    void refuse(const std::string& what) const override { trace_->refuse(what); }

    std::optional<input_files::BlockTrace> trace_;
};

const Named<TraceFormat> mqsim {
    "mqsim",
    {.title = "MQSim",
     .shape = "arrival device sector sectors type",
     .notes = "requests of up to 2 GiB",
     .played_by = "`flash.BlockTraffic`, `workload.TracePlayer`",
     .detect = [](const FileHead& h) { return h.words.size() == 5 && are_numbers(h.words); },
     .open = reader_of<MqSim>}};

} // namespace

} // namespace memsim::workload
