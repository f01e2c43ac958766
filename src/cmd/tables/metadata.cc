#include "cmd/tables/metadata.hh"

namespace memsim::cmd {

using device_parts::TagArray;

std::array<TableLayout, tables> tables_behind(std::uint32_t blocks) {
    std::array<TableLayout, tables> all {{{0, 32}, {0, 2}, {0, 4}}};
    std::uint64_t base = std::uint64_t {blocks} * block_bytes;
    for (TableLayout& table : all) {
        table.base = base;
        base = (table.end(blocks) + block_bytes - 1) / block_bytes * block_bytes;
    }
    return all;
}

void Metadata::resize(const MetadataParams& p, MetadataState& s, std::uint32_t jobs) {
    const std::array<std::int64_t, tables> bytes {p.map_cache->raw, p.type_cache->raw,
                                                  p.mask_cache->raw};
    for (std::uint32_t t = 0; t < tables; ++t) {
        const std::uint64_t lines = static_cast<std::uint64_t>(bytes[t]) / block_bytes;
        const std::uint64_t ways = p.metadata_ways ? p.metadata_ways() : lines;
        s.tags[t].resize(lines / ways, static_cast<std::uint32_t>(ways), "lru");
        s.mshrs[t].resize(p.metadata_mshrs, jobs);
    }
}

Metadata::Found Metadata::find(Table table, std::uint64_t sector, MetadataTarget target, Tick now) {
    const std::uint32_t t = index(table);
    TagArray& tags = state_.tags[t];
    auto& mshrs = state_.mshrs[t];
    const std::uint64_t tag = sector / block_sectors, set = tag % tags.sets();
    target.sector = static_cast<std::uint8_t>(sector % block_sectors);
    std::uint32_t line = tags.find(set, tag);
    if (line != TagArray::none && tags.valid(line) >> target.sector & 1) {
        tags.touch(line);
        if (target.change) tags.add_dirty(line, bit(target.sector));
        return Found::here;
    }
    const bool locked = line != TagArray::none && tags.locked(line);
    if (locked ? mshrs.targets_full(tags.lock(line)) : mshrs.full()) return Found::stalled;
    if (line == TagArray::none) {
        line = tags.victim(set, 0, tags.ways());
        if (line == TagArray::none) return Found::stalled;
        if (const device_parts::SectorMask dirty = tags.dirty(line)) {
            send_(tags.tag(line) * block_sectors, dirty, true, 0);
            ++stat_.metadata_writebacks;
        }
        tags.replace(line, tag, 0);
    }
    tags.touch(line);
    const std::uint32_t mshr = locked ? tags.lock(line) : mshrs.allocate(line, now);
    tags.lock(line, mshr);
    mshrs.add(mshr, target);
    if (!(mshrs[mshr].pending & bit(target.sector))) {
        mshrs[mshr].pending |= bit(target.sector);
        ++stat_.metadata_fetches;
        send_(sector, 1, false, tag_bit | std::uint32_t {target.sector} << 26 | t << 24 | mshr);
    }
    return Found::coming;
}

bool Metadata::fetch_piece(Table table, std::uint32_t block, MetadataTarget target, Tick now) {
    const std::uint64_t sector = layout_[index(table)].sector_of(block);
    const Found found = state_.stalled.empty() ? find(table, sector, target, now) : Found::stalled;
    if (found == Found::stalled) state_.stalled.push({table, sector, target});
    if (target.change) {
        ++stat_.metadata_changes;
        return true;
    }
    const std::array<Counter*, tables> reads {&stat_.map_reads, &stat_.type_reads,
                                              &stat_.mask_reads};
    const std::array<Counter*, tables> hits {&stat_.map_hits, &stat_.type_hits, &stat_.mask_hits};
    ++*reads[index(table)];
    *hits[index(table)] += found == Found::here;
    return found == Found::here;
}

bool Metadata::look_up(Table table, std::uint32_t block, std::uint32_t job, Tick now) {
    return fetch_piece(table, block, {job, 0, false}, now);
}

void Metadata::change_entry(Table table, std::uint32_t block, Tick now) {
    fetch_piece(table, block, {MetadataTarget::no_job, 0, true}, now);
}

void Metadata::check_loaded(Loader& l, std::uint32_t jobs) const {
    const auto check = [&](const MetadataTarget& target) {
        if (target.job != MetadataTarget::no_job) l.index("metadata", target.job, jobs);
    };
    for (std::uint32_t t = 0; t < tables; ++t) {
        const TagArray& tags = state_.tags[t];
        std::uint32_t locked = 0;
        for (std::uint64_t set = 0; set < tags.sets(); ++set)
            for (std::uint32_t way = 0; way < tags.ways(); ++way)
                locked += tags.locked(tags.line(set, way));
        l.within("metadata", [&] {
            l.check(locked == state_.mshrs[t].size(),
                    "fills lines that differ from the locked ones");
            state_.mshrs[t].for_each(
                [&](std::uint32_t mshr, const auto& e) {
                    l.check(tags.has(e.line) && tags.locked(e.line) && tags.lock(e.line) == mshr,
                            "fills a line that is not locked for it");
                },
                check);
        });
    }
    for (std::uint32_t i = 0; i < state_.stalled.size(); ++i) check(state_.stalled[i].target);
}

} // namespace memsim::cmd
