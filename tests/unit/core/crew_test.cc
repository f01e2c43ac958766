#include "core/parallel/crew.hh"
#include "support.hh"

#include <sys/resource.h>

/// A crew where the system refuses further threads.
namespace memsim::crew_test {

// Sanitizers reserve more addresses than the limit of this test leaves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

TEST_CASE("a crew works with the threads that the system grants", "[parallel]") {
    constexpr unsigned wanted = 1000; // whose stacks need more addresses than the limit leaves
    rlimit before {};
    REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    const rlimit small {std::min(before.rlim_max, rlim_t {2} << 30), before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &small) == 0);
    std::atomic<unsigned> done {0};
    {
        Crew crew(wanted, [&](unsigned) { ++done; });
        setrlimit(RLIMIT_AS, &before);
        crew.begin();
        crew.end();
        const unsigned threads = done;
        CHECK(threads < wanted);
        crew.begin();
        crew.end();
        CHECK(done == 2 * threads);
    }
}

#endif
#endif

} // namespace memsim::crew_test
