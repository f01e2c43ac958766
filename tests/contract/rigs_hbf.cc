#include "../unit/flash/support.hh"
#include "../unit/mem/driver.hh"
#include "oracle.hh"

/// Stacks of High Bandwidth Flash: read at random with retries and reports of read disturb, and
/// programmed and erased by a drive's FTL.
namespace memsim::test::rigs_hbf {

using test_flash::with;
using test_mem::arguments;

static const Arguments stack = arguments("channels=2 dies=2 banks=2 blocks=14 pages=4 queue=3 "
                                         "retry_chance=30% requests=6 commands=5");

static void reads(Machine& m, const std::string& more) {
    m.add("generator", "mem.TrafficGen",
          arguments("requests=300 size=32 range=800KiB period=300ns outstanding=16"));
    m.add("stack", "flash.HbfStack", with(stack, arguments(more)));
    m.add("refresher", "test_flash.Refresher", {});
    m.bind("generator", "mem_side", "stack", "cpu_side");
    m.bind("stack", "refreshes", "refresher", "blocks");
}

static const RigFor reading {"flash.HbfStack",
                             [](Machine& m) { reads(m, "disturb_limit=3 page=4KiB"); }};
static const RigFor buffering {"flash.HbfStack",
                               [](Machine& m) { reads(m, "buffer=64KiB rate=10MB/s retries=1"); }};
static const RigFor programming {
    "flash.HbfStack", [](Machine& m) {
        m.add("host", "test_flash.Checker",
              arguments("count=250 sectors=600 largest=20 writes=70%"));
        m.add("drive", "flash.Drive",
              arguments("channels=2 packages=1 dies=2 planes=2 blocks=14 pages=4 page=4KiB "
                        "over_provisioning=50% cache=64KiB write_buffer=32KiB"));
        m.add("stack", "flash.HbfStack", with(stack, arguments("written=false")));
        m.bind("host", "drive", "drive", "host[0]");
        for (const std::string c : {"[0]", "[1]"})
            m.bind("drive", "channel" + c, "stack", "host" + c);
    }};

} // namespace memsim::test::rigs_hbf
