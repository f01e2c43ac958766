#include "device_parts/address_map.hh"
#include "workload/traces/formats/text_reader.hh"

#include <charconv>
#include <limits>

namespace memsim::workload {

namespace {

/// 'R 0,1,3,2,4096,17': the fields of a DRAM address. The record's address is the one that a memory
/// with this geometry and mapping decomposes into these fields.
class ReadWrite final : public CycleReader {
  public:
    ReadWrite(std::unique_ptr<InputFile> file, const TraceOptions& options)
        : CycleReader(std::move(file), options) {
        const auto& g = options_.geometry;
        if (g.size() != parts)
            file_->refuse("holds addresses as channel,rank,bank group,bank,row,column, but not "
                          "their numbers: state the geometry, such as "
                          "1,2,4,4,65536,128");
        std::array<std::uint32_t, parts> n;
        for (std::size_t i = 0; i < parts; ++i) {
            if (g[i] > std::numeric_limits<std::uint32_t>::max())
                file_->refuse("has a geometry of " + std::to_string(g[i]) +
                              ", where numbers below 2^32 are right");
            n[i] = static_cast<std::uint32_t>(g[i]);
        }
        try {
            map_.emplace(options_.map, memsim::device_parts::AddressMap::Geometry {
                                           n[0], n[1], n[2], n[3], n[4], n[5], options_.bytes, 1});
        } catch (const ConfigError& e) {
            file_->refuse(e.what());
        }
    }

  private:
    static constexpr std::size_t parts = 6;
    bool timed() const override { return false; }
    bool parse(Words& words, TraceRecord& r) override {
        const std::string_view op = words.word("the operation");
        if (op != "R" && op != "W") words.wrong("the operation", "R or W");
        if (op == "W") r.command = TraceCommandKind::write;
        const std::string_view text = words.word("the address");
        if (std::count(text.begin(), text.end(), ',') != parts - 1)
            words.wrong("the address", "channel,rank,bank group,bank,row,column");
        std::array<std::uint32_t, parts> at;
        const char* from = text.data();
        for (std::size_t i = 0; i < parts; ++i) {
            const char* const end = std::find(from, text.data() + text.size(), ',');
            const auto [last, error] = std::from_chars(from, end, at[i]);
            if (error != std::errc {} || last != end || at[i] >= options_.geometry[i])
                words.wrong("the address", "one inside the stated geometry");
            from = end + 1;
        }
        r.address = map_->address({at[0], at[1], at[2], at[3], at[4], at[5]});
        words.end("R|W channel,rank,bank group,bank,row,column");
        return true;
    }

    std::optional<memsim::device_parts::AddressMap> map_;
};

const Named<TraceFormat> read_write {
    "ramulator_read_write",
    {.title = "Ramulator 2",
     .shape = "R|W c,r,bg,b,row,col",
     .notes = "ReadWriteTrace; takes the memory's geometry and map",
     .detect =
         [](const FileHead& h) {
             return h.words.size() == 2 && is_one_of(h.words[0], {"R", "W"}) &&
                    h.words[1].find(',') != h.words[1].npos;
         },
     .open = reader_of<ReadWrite>}};

} // namespace

} // namespace memsim::workload
