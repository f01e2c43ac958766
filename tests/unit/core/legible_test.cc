#include "core/base/legible.hh"

#include <catch2/catch.hpp>

namespace memsim::legible_test {

using memsim::legible;
using namespace std::string_literals;

TEST_CASE("UTF-8 is unchanged, and every other byte is shown as \\xff") {
    CHECK(legible("") == "");
    CHECK(legible("line 1:\n  'x'") == "line 1:\n  'x'");
    CHECK(legible("größer, 頁, 😀") == "größer, 頁, 😀");
    CHECK(legible("\xff\xfe") == "\\xff\\xfe");
    CHECK(legible("a\0b"s) == "a\\x00b");
    CHECK(legible("\x1b[31m\x7f\r\t") == "\\x1b[31m\\x7f\\x0d\\x09");
    CHECK(legible("gr\xf6\xdf"
                  "er") == "gr\\xf6\\xdfer"); // Latin-1
    CHECK(legible("\xc2\x9b"
                  "2J") == "\\xc2\\x9b2J"); // a terminal's CSI
}

TEST_CASE("invalid UTF-8 is shown byte by byte") {
    CHECK(legible("\xc3") == "\\xc3");                            // cut off
    CHECK(legible("\xe2\x82") == "\\xe2\\x82");                   // cut off
    CHECK(legible("\xc0\xaf") == "\\xc0\\xaf");                   // '/', too long
    CHECK(legible("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");          // the same
    CHECK(legible("\xed\xa0\x80") == "\\xed\\xa0\\x80");          // half of a surrogate pair
    CHECK(legible("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80"); // beyond U+10FFFF
    CHECK(legible("\xc3(") == "\\xc3(");
}

} // namespace memsim::legible_test
