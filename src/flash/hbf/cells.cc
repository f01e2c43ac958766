#include "flash/hbf/cells.hh"

namespace memsim::flash {

HbfCells::HbfCells(const Config& config, HbfCellStats& stats, HbfCellState& state)
    : config_(config), stats_(stats), state_(state),
      array_({config.geometry.all_banks(), config.geometry.blocks, config.geometry.pages,
              config.contents},
             state.array) {}

Tick HbfCells::sense(const HbfPlace& at, Tick now) {
    if (at.page >= block_of(at).written) refuse(at, "is read before it is programmed");
    const HbfReliability& ecc = config_.reliability;
    unsigned retries = 0;
    while (retries < ecc.retries() && state_.random.chance(ecc.retry_chance->raw)) ++retries;
    const Tick time = config_.times.t_read->raw + retries * ecc.t_retry->raw;
    ++stats_.senses;
    stats_.retries += retries;
    stats_.sense_time.add(now, now, now + time);
    spend(1 + retries, config_.energies.sense_energy());
    const std::uint64_t block = config_.geometry.block_number(at);
    if (state_.disturb.sense(block, 1 + retries, ecc.disturb_limit())) {
        ++stats_.refresh_requests;
        if (config_.reports) state_.disturb.due.push(block);
    }
    return time;
}

Tick HbfCells::program(const HbfPlace& at, const Contents::Record* data) {
    const std::uint32_t next = block_of(at).written;
    if (at.page != next)
        refuse(at, next < config_.geometry.pages
                       ? "is programmed where page " + std::to_string(next) +
                             " of the block is next: program pages in order"
                       : "is programmed in a full block: erase the block first");
    array_.program(at.bank, at.block, at.page);
    if (data)
        for (const Contents::Piece& p : data->pieces)
            array_.contents().put(config_.geometry.page_number(at), p.sector, p.data);
    ++stats_.programs;
    spend(1, config_.energies.program_energy());
    return config_.times.t_program->raw;
}

Tick HbfCells::erase(const HbfPlace& at, Tick now) {
    array_.erase(at.bank, at.block);
    state_.disturb.erase(config_.geometry.block_number(at));
    ++stats_.erases;
    if (block_of(at).erases > config_.reliability.endurance()) ++stats_.worn;
    stats_.most_erases.set(now, state_.array.most_erases);
    return config_.times.t_erase->raw;
}

const NandBlock& HbfCells::block_of(const HbfPlace& at) {
    if (!array_.block(at.bank, at.block))
        written_before(at, config_.written ? config_.geometry.pages : 0);
    return *array_.block(at.bank, at.block);
}

void HbfCells::refuse(const HbfPlace& at, const std::string& what) const {
    throw ConfigError(config_.owner + ": page " + std::to_string(at.page) + " of block " +
                      std::to_string(at.block) + " of bank " + std::to_string(at.bank) + " " +
                      what);
}

void HbfCells::spend(std::uint64_t pages, Energy of_bit) {
    stats_.cell_energy +=
        8 * pages * config_.geometry.page_bytes * static_cast<std::uint64_t>(of_bit.raw);
}

void HbfCells::check_loaded(Loader& l) const {
    for (std::uint32_t i = 0; i < state_.disturb.due.size(); ++i)
        l.index("cells.disturb.due", state_.disturb.due[i],
                std::uint64_t {config_.geometry.all_banks()} * config_.geometry.blocks);
}

} // namespace memsim::flash
