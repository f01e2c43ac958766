#pragma once

#include "core/state/free_list.hh"
#include "core/state/hash_map.hh"
#include "zng/package/answers.hh"

namespace memsim::zng::package {

/// Pages to be sensed, each with an ordered list of reads that wait for it. An entry exists until
/// the last answer has left the data register. If reads share a sensing, an entry can be found by
/// its page number until then.
class PageReads {
  public:
    static constexpr std::uint32_t none = ~0u;
    struct Read {
        Request request;
        std::uint32_t next = none;
    };
    struct Sense {
        PageAddress address;
        std::uint64_t page = 0;
        std::uint32_t first = none, last = none; ///< reads in its list
        std::uint32_t unsent = 0;                ///< answers queued at ports
        std::uint32_t useful = 0;                ///< requested bytes sent from it
        bool output = false;                     ///< the page is in the data register
    };
    struct State {
        std::vector<Read> reads;
        FreeList free_reads;
        std::vector<Sense> senses;
        FreeList free_senses;
        HashMap<std::uint32_t> of_page; ///< used only if reads share a sensing
        HashMap<std::uint64_t> before;  ///< one bit per page sensed before, by number / 64
    };
    /// `shared`: one sensing serves all reads that wait for the page.
    PageReads(bool shared, State& state) : shared_(shared), state_(state) {}

    Sense& operator[](std::uint32_t sense) { return state_.senses[sense]; }
    std::uint32_t find(std::uint64_t page) const {
        const std::uint32_t* const s = state_.of_page.find(page);
        return s ? *s : none;
    }
    std::uint32_t open(const PageAddress& a, std::uint64_t page) {
        const std::uint32_t s =
            put(state_.senses, state_.free_senses, Sense {a, page, none, none, 0, 0, false});
        if (shared_) state_.of_page[page] = s;
        return s;
    }
    void join(std::uint32_t sense, const Request& r) {
        const std::uint32_t i = put(state_.reads, state_.free_reads, Read {r, none});
        Sense& s = state_.senses[sense];
        (s.first == none ? s.first : state_.reads[s.last].next) = i;
        s.last = i;
    }
    /// Removes it from the index, so that no further read joins it.
    void hide(std::uint32_t sense) {
        if (shared_) state_.of_page.erase(state_.senses[sense].page);
    }
    void close(std::uint32_t sense) { state_.free_senses.push_back(sense); }
    /// Removes each waiting read and calls f(request) for it. f may call open() and join().
    template <class F>
    void take_all(std::uint32_t sense, F&& f) {
        for (std::uint32_t r = state_.senses[sense].first; r != none;) {
            const Read read = state_.reads[r];
            state_.free_reads.push_back(r);
            r = read.next;
            f(read.request);
        }
    }
    /// Calls f(request) for each waiting read.
    template <class F>
    void each(std::uint32_t sense, F&& f) const {
        for (std::uint32_t r = state_.senses[sense].first; r != none; r = state_.reads[r].next)
            f(state_.reads[r].request);
    }
    /// Returns whether the page is sensed for the first time, and records that it was sensed.
    bool first_time(std::uint32_t sense) {
        const std::uint64_t page = state_.senses[sense].page;
        std::uint64_t& before = state_.before[page / 64];
        const std::uint64_t bit = std::uint64_t {1} << page % 64;
        const bool first = !(before & bit);
        before |= bit;
        return first;
    }

    std::size_t size() const { return state_.senses.size(); }
    void check_loaded(Loader& l, const Numbering& n, std::size_t ports) const {
        const std::size_t reads = state_.reads.size();
        state_.free_reads.check_loaded(l, "free_reads", reads);
        state_.free_senses.check_loaded(l, "free_senses", state_.senses.size());
        for (const Read& r : state_.reads) {
            if (r.next != none) l.index("reads.next", r.next, reads);
            n.check(l, "reads.request", r.request.packet);
            l.index("reads.request", r.request.port, ports);
        }
        for (const Sense& s : state_.senses) {
            n.check(l, "senses.address", s.address);
            if (s.first != none) l.index("senses.first", s.first, reads);
            if (s.last != none) l.index("senses.last", s.last, reads);
        }
        state_.of_page.all([&](std::uint64_t, std::uint32_t s) {
            l.index("senses.of_page", s, state_.senses.size());
            return true;
        });
    }
    /// Checks that the reads of an entry that is to be sensed form a finite list.
    void check_list(Loader& l, std::uint32_t sense) const {
        const Sense& s = state_.senses[sense];
        std::uint32_t r = s.first, last = none;
        for (std::size_t left = state_.reads.size(); r != none && left; --left)
            last = r, r = state_.reads[r].next;
        l.within("senses.first",
                 [&] { l.check(r == none && last == s.last, "is not a finite list of reads"); });
    }

  private:
    template <class T>
    static std::uint32_t put(std::vector<T>& all, FreeList& free, const T& value) {
        if (free.empty()) {
            all.push_back(value);
            return static_cast<std::uint32_t>(all.size() - 1);
        }
        const std::uint32_t i = free.back();
        free.pop_back();
        all[i] = value;
        return i;
    }

    bool shared_;
    State& state_;
};

} // namespace memsim::zng::package
