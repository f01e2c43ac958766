#include "gpu/mmu/page_walker.hh"

#include "device_parts/named.hh"

#include <bit>

namespace memsim::gpu {

namespace {
std::uint64_t raw(Bytes b) { return static_cast<std::uint64_t>(b.raw); }
} // namespace

void PageWalker::init(const Component& owner, const WalkerParams& p, const PlacementParams& pages) {
    const auto refuse = [&](const char* parameter, const std::string& why) {
        throw ConfigError(owner.path() + "." + parameter + ": " + why);
    };
    if (p.walk_cache() % p.walk_cache_ways())
        refuse("walk_cache_ways", p.walk_cache.text() +
                                      " entries are not a whole number of sets of " +
                                      p.walk_cache_ways.text());
    if (!std::has_single_bit(p.leaf_entries())) refuse("leaf_entries", "must be a power of two");
    if (!std::has_single_bit(raw(p.walk_read())) || raw(p.walk_read()) < raw(p.table_entry()))
        refuse("walk_read",
               "must be a power of two that holds an entry of " + p.table_entry.text());
    table_ = PageTable({raw(p.table_base()), pages.pages(), p.leaf_entries(), raw(p.table_entry()),
                        pages.applications()});
    if (table_.bytes() > raw(p.table_memory()))
        refuse("table_memory", p.table_memory.text() + " are too small for the page tables of " +
                                   pages.applications.text() + " address spaces of " +
                                   pages.address_space.text() + ", which need " +
                                   std::to_string(table_.bytes()) +
                                   "B: use more memory, or larger pages");
    read_bytes_ = static_cast<std::uint32_t>(p.walk_read->raw);
    roots_.resize(p.walk_cache(), p.walk_cache_ways(), p.walk_cache_replacement().text(),
                  owner.path() + ".walk_cache_replacement", owner.sim().seed());
    threads_.resize(p.walkers());
    for (std::uint32_t t = p.walkers(); t-- > 0;) free_.push_back(t);
}

std::uint32_t PageWalker::start(std::uint32_t walk, std::uint64_t key, Tick now,
                                WalkerStats& stat) {
    const std::uint32_t t = free_.back();
    free_.pop_back();
    const std::uint64_t leaf = table_.leaf_table(page_of(key));
    const bool cached = roots_.find(page_key(application_of(key), leaf));
    threads_[t] = {key, walk, cached};
    reading_.push(t);
    stat.walk_cache_hits += cached;
    ++stat.walks;
    stat.walking.set(now, busy());
    return t;
}

protocol::MemRequest PageWalker::take_read(WalkerStats& stat) {
    const std::uint32_t t = reading_.pop();
    const Thread& thread = threads_[t];
    const std::uint16_t application = application_of(thread.key);
    const std::uint64_t page = page_of(thread.key);
    protocol::MemRequest r;
    r.address =
        thread.leaf ? table_.leaf_entry(application, page) : table_.root_entry(application, page);
    r.address &= ~(std::uint64_t {read_bytes_} - 1);
    r.bytes = read_bytes_;
    r.tag = t;
    r.application = application;
    ++stat.walk_reads;
    return r;
}

std::optional<std::uint32_t> PageWalker::entry_read(std::uint32_t t) {
    Thread& thread = device_parts::named(threads_, t);
    if (thread.leaf) return thread.walk;
    const std::uint64_t leaf = table_.leaf_table(page_of(thread.key));
    roots_.insert(page_key(application_of(thread.key), leaf), 0, false);
    thread.leaf = true;
    reading_.push(t);
    return {};
}

void PageWalker::release(std::uint32_t thread, Tick now, WalkerStats& stat) {
    free_.push_back(thread);
    stat.walking.set(now, busy());
}

} // namespace memsim::gpu
