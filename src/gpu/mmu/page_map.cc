#include "gpu/mmu/page_map.hh"

namespace memsim::gpu {

void PageMap::init(const Component& owner, const PlacementParams& p, std::uint64_t seed) {
    params_ = &p, owner_ = &owner;
    const auto refuse = [&](const char* parameter, const std::string& why) {
        throw ConfigError(owner.path() + "." + parameter + ": " + why);
    };
    if (p.page_bytes() % 1024) refuse("page", "must be a multiple of 1KiB");
    if (p.frames() == 0) refuse("memory", "is smaller than a page of " + p.page.text());
    if (static_cast<std::uint64_t>(p.memory_base->raw) % p.page_bytes())
        refuse("memory_base", "must be a multiple of the page");
    const bool fixed = !p.by_fault() && p.placement() != PagePlacement::first_touch;
    const std::uint64_t needed = p.pages() * p.applications();
    if (fixed && needed > p.frames())
        refuse("memory", p.memory.text() + " hold " + std::to_string(p.frames()) +
                             " pages; all pages of " + p.applications.text() +
                             " address spaces are " + std::to_string(needed) +
                             ": place pages by first_touch or faults, or use more memory");
    if (p.placement() == PagePlacement::interleaved && p.frames() % p.partitions())
        refuse("partitions", std::to_string(p.frames()) + " pages cannot be divided into " +
                                 p.partitions.text() + " equal parts");
    shuffled_ = device_parts::Shuffle(p.frames(), seed);
    holds_.assign(p.applications(), 0);
}

std::optional<std::uint64_t> PageMap::find(std::uint64_t key) const {
    if (const Mapping* m = mappings_.find(key))
        return m->mapped ? std::optional(m->frame) : std::nullopt;
    return placed(key);
}

/// The initial location of a resident page.
std::optional<std::uint64_t> PageMap::placed(std::uint64_t key) const {
    const std::uint64_t n = application_of(key) * params_->pages() + page_of(key);
    switch (params_->placement()) {
    case PagePlacement::identity:
        return params_->first_frame() + n;
    case PagePlacement::interleaved:
        return params_->first_frame() +
               n % params_->partitions() * (params_->frames() / params_->partitions()) +
               n / params_->partitions();
    case PagePlacement::random:
        return params_->first_frame() + shuffled_.place_of(n);
    case PagePlacement::first_touch:
    case PagePlacement::faults:
        break;
    }
    return {};
}

std::uint64_t PageMap::touch(std::uint64_t key) {
    if (touched_ == params_->frames())
        throw ConfigError(owner_->path() + ".memory: all " + std::to_string(touched_) +
                          " pages are in use and application " +
                          std::to_string(application_of(key)) +
                          " touches another: use more memory, or place pages by faults");
    const std::uint64_t frame = params_->first_frame() + touched_++;
    map(key, frame);
    return frame;
}

void PageMap::functional_untouched(FunctionalAccess& access) {
    unplaced_.resize(params_->applications());
    unplaced_[access.application].functional(access);
}

} // namespace memsim::gpu
