#pragma once

#include "flash/ftl/drive_shape.hh"
#include "flash/ftl/ftl.hh"
#include "flash/ftl/map_cache.hh"
#include "flash/ftl/page_jobs.hh"

#include <functional>

namespace memsim::flash {

/// The map of a drive in its flash. Translation pages are logical pages numbered after those of the
/// host; the controller holds some of their entries in memory (MapCache). A job looks up its entry,
/// and waits for the translation page if the entry is missing. Evicted entries that were changed
/// write their page back. A part: its owner reads and writes the pages.
class TranslationPages {
  public:
    struct Events {
        std::function<void(std::uint32_t job)> mapped;
        /// Read or write a logical page; the owner then calls arrived(), or begin_write() and
        /// written().
        std::function<void(std::uint32_t lpn)> read, write;
    };
    /// All arguments outlive it. Without `in_flash` the whole map is in the controller's memory.
    /// `zeros`: a page that was never written is empty and is not read.
    TranslationPages(bool in_flash, bool zeros, std::uint32_t entries, std::uint32_t per_page,
                     std::uint64_t host_pages, MapCacheState& state, PageJobs& jobs, const Ftl& ftl,
                     Counter& hits, Counter& misses, Events events)
        : in_flash_(in_flash), zeros_(zeros), first_(static_cast<std::uint32_t>(host_pages)),
          state_(state), cache_(entries, per_page, state), jobs_(jobs), ftl_(ftl), hits_(hits),
          misses_(misses), events_(std::move(events)) {}

    /// Calls mapped(job), now or when the entry arrives.
    void look_up(std::uint32_t job);
    /// The mapping of a page has changed. Mappings of translation pages are always in memory.
    void changed(std::uint32_t lpn) {
        if (!in_flash_ || lpn >= first_) return;
        cache_.change(lpn);
        trim();
    }
    /// A translation page was read.
    void arrived(std::uint32_t lpn);
    /// A translation page is being programmed: later changes require another write.
    void begin_write(std::uint32_t lpn) { state_.leaving[lpn - first_] = programming; }
    void written(std::uint32_t lpn);

    void check_loaded(Loader& l) const {
        if (in_flash_) cache_.check_loaded(l, jobs_.size());
    }

  private:
    /// State of a translation page being written back: waiting, and merging changes; being
    /// programmed; being programmed, and to be written again.
    static constexpr std::uint8_t leaves = 1, programming = 2, again = 3;

    void trim();
    void write(std::uint32_t page);

    bool in_flash_, zeros_;
    std::uint32_t first_; ///< first logical page of the map
    MapCacheState& state_;
    MapCache cache_;
    PageJobs& jobs_;
    const Ftl& ftl_;
    Counter &hits_, &misses_;
    Events events_;
    std::vector<std::uint32_t> resumed_; ///< scratch
};

} // namespace memsim::flash
