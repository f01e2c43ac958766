#include "flash/ftl/translation_pages.hh"

namespace memsim::flash {

void TranslationPages::look_up(std::uint32_t j) {
    const std::uint32_t lpn = jobs_[j].lpn;
    if (!in_flash_) return events_.mapped(j);
    const MapCache::Found found = cache_.use(lpn);
    if (found == MapCache::Found::here) {
        ++hits_;
        return events_.mapped(j);
    }
    ++misses_;
    const std::uint32_t page = cache_.page_of(lpn);
    if (found == MapCache::Found::nothing) {
        const bool nowhere = zeros_ && ftl_.lookup(first_ + page).page == no_page;
        if (nowhere || state_.leaving.find(page)) {
            cache_.insert(lpn); // the page is empty, or still in the controller
            trim();
            return events_.mapped(j);
        }
    }
    bool read = false;
    jobs_[j].stage = JobStage::map;
    jobs_[j].next = cache_.await(lpn, j, read);
    if (read) events_.read(first_ + page);
}

void TranslationPages::arrived(std::uint32_t lpn) {
    cache_.arrived(lpn - first_, [this](std::uint32_t first) {
        for (std::uint32_t i = first; i != Job::none; i = jobs_[i].next) resumed_.push_back(i);
    });
    trim();
    for (std::size_t i = 0; i < resumed_.size(); ++i) events_.mapped(resumed_[i]);
    resumed_.clear();
}

void TranslationPages::trim() {
    while (cache_.too_full()) {
        const std::uint32_t page = cache_.evict();
        if (page != no_link) write(page);
    }
}

void TranslationPages::write(std::uint32_t page) {
    if (std::uint8_t* const state = state_.leaving.find(page)) {
        if (*state == programming) *state = again;
        return;
    }
    state_.leaving[page] = leaves;
    events_.write(first_ + page);
}

void TranslationPages::written(std::uint32_t lpn) {
    const std::uint32_t page = lpn - first_;
    const bool once_more = *state_.leaving.find(page) == again;
    state_.leaving.erase(page);
    if (once_more) write(page);
}

} // namespace memsim::flash
