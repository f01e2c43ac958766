/// Prints "2 3 15". Compiled by g++ 12.2 with -O2 and without -fno-strict-aliasing, it does not end
/// or crashes.
///
/// The program is reduced from device_parts/page_policies/adaptive_lists.hh. Every access is to a
/// member by its own type: there is no cast, union or reference of another type, and the
/// sanitizers, valgrind, clang++ -O2 and g++ -O1 find the expected result. Loop store motion
/// (-ftree-loop-im) and redundancy elimination (-ftree-fre) keep `ghosts.recents.size` in a
/// register over a loop that changes it through the List& of list(); with either of them off the
/// result is right.
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr std::uint32_t none = ~0u;

struct Item {
    std::uint32_t newer = none, older = none;
    std::uint8_t list = 2;
};
struct Ends {
    std::uint32_t newest = none, oldest = none;
};
struct List {
    Ends ends;
    std::uint32_t size = 0;

    void append(std::vector<Item>& all, std::uint32_t i) {
        all[i].older = ends.newest;
        all[i].newer = none;
        (ends.newest == none ? ends.oldest : all[ends.newest].newer) = i;
        ends.newest = i;
        ++size;
    }
    void remove(std::vector<Item>& all, std::uint32_t i) {
        const Item& e = all[i];
        (e.newer == none ? ends.newest : all[e.newer].older) = e.older;
        (e.older == none ? ends.oldest : all[e.older].newer) = e.newer;
        --size;
    }
};
struct Ghosts {
    std::vector<Item> all;
    List recents, frequents, free;

    List& list(std::uint8_t which) { return which == 0 ? recents : which == 1 ? frequents : free; }
    std::uint32_t size() const { return recents.size + frequents.size; }
    void add(std::uint8_t to) {
        all.emplace_back();
        move(static_cast<std::uint32_t>(all.size() - 1), to);
    }
    void move(std::uint32_t i, std::uint8_t to) {
        all[i].list = to;
        list(to).append(all, i);
    }
    void forget(std::uint32_t i) {
        list(all[i].list).remove(all, i);
        move(i, 2);
    }
    void forget_oldest(std::uint8_t from) { forget(list(from).ends.oldest); }
};
struct Lists {
    List recents, frequents;
    Ghosts ghosts;

    [[gnu::noinline]] void bound(std::uint64_t capacity) {
        while (recents.size + ghosts.recents.size >= capacity && ghosts.recents.size)
            ghosts.forget_oldest(0);
        while (recents.size + frequents.size + ghosts.size() >= 2 * capacity &&
               ghosts.frequents.size)
            ghosts.forget_oldest(1);
    }
};

} // namespace

int main() {
    Lists lists;
    for (unsigned i = 0; i < 20; ++i) lists.ghosts.add(i & 1);
    lists.recents.size = 3;
    lists.frequents.size = 3;
    lists.bound(6);
    std::printf("%u %u %u\n", lists.ghosts.recents.size, lists.ghosts.frequents.size,
                lists.ghosts.free.size);
}
