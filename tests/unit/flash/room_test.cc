#include "flash/drive/block_traffic.hh"
#include "support.hh"

namespace memsim::room_test {

using namespace test_flash;

TEST_CASE("A page without room gets it when a collection that found no block at first finds one",
          "[flash]") {
    // Small drives with a large write buffer: every closed block has pages on their way to it.
    for (const unsigned dies : {1u, 2u})
        for (const char* stop : {"0", "5"})
            for (const char* holds : {"false", "true"})
                for (const unsigned seed : {2u, 5u}) {
                    INFO(dies << " dies, gc_stop " << stop << ", gc_holds_writes " << holds << ", "
                              << seed);
                    Machine m(seed);
                    m.add("host", "flash.BlockTraffic",
                          {{"read_share", "20%"},
                           {"sectors", "16"},
                           {"align", "16"},
                           {"outstanding", "16"},
                           {"requests", "3000"},
                           {"range", std::to_string(dies * 2 * 16 * 8 * 35 / 100 * 16)}});
                    Flash small {1, 1, dies, 2, 16, 8};
                    small.drive = {{"over_provisioning", "65%"},
                                   {"unwritten", "past"},
                                   {"keep_rewritten", "true"},
                                   {"cache", "512KiB"},
                                   {"write_buffer", "256KiB"},
                                   {"gc_moves", "64"},
                                   {"gc_stop", stop},
                                   {"gc_per_block", "true"},
                                   {"gc_holds_writes", holds}};
                    small.channel = {{"dies_at_once", "1"}, {"queue", "512"}};
                    small.package = {{"media", "mlc"}};
                    small.add(m);
                    m.bind("host", "drive", "drive", "host[0]");
                    m.build();
                    run(m); // to the end: no page waits for ever
                }
}

namespace {

/// A small drive in the state of long use under writes to all of it.
void add_used_drive(Machine& m, const Arguments& drive) {
    m.add("host", "flash.BlockTraffic",
          {{"read_share", "20%"},
           {"sectors", "8"},
           {"outstanding", "16"},
           {"requests", "2000"},
           {"range", "880"}});
    Flash small {1, 1, 2, 2, 14, 4};
    small.drive = with({{"page", "4KiB"},
                        {"over_provisioning", "50%"},
                        {"cache", "128KiB"},
                        {"write_buffer", "64KiB"},
                        {"preconditioned", "100%"},
                        {"overwritten", "100%"}},
                       drive);
    small.package = {{"media", "slc"}};
    small.add(m);
    m.bind("host", "drive", "drive", "host[0]");
}

} // namespace

TEST_CASE("A page that finds no room starts a collection if none is active", "[flash]") {
    for (const char* fixed : {"true", "false"})
        for (const char* blocks : {"1", "2"})
            for (const unsigned seed : {2u, 5u, 11u}) {
                INFO("fixed_plane " << fixed << ", gc_blocks " << blocks << ", " << seed);
                Machine m(seed);
                add_used_drive(
                    m, {{"gc_per_block", "true"}, {"fixed_plane", fixed}, {"gc_blocks", blocks}});
                m.build();
                run(m); // to the end: no page waits for ever
            }
}

TEST_CASE("Programs that wait for a collection leave space for its operations", "[flash]") {
    for (const char* queue : {"2", "3", "8"})
        for (const unsigned seed : {2u, 5u}) {
            INFO("queue_depth " << queue << ", " << seed);
            Machine m(seed);
            add_used_drive(m, {{"gc_holds_writes", "true"}, {"queue_depth", queue}});
            m.build();
            run(m); // to the end: the collection is not behind the programs that wait for it
        }
    Machine m;
    add_used_drive(m, {{"gc_holds_writes", "true"}, {"queue_depth", "1"}});
    CHECK(error_of([&] { m.build(); }) ==
          "drive.gc_holds_writes: a program that waits would occupy the only place of channel[0]: "
          "set queue_depth and the channel's queue to 2 or more");
}

} // namespace memsim::room_test
