#include "core/base/heed.hh"

namespace memsim {

namespace {
void (*what_to_do)() = nullptr;
} // namespace

void heed() {
    if (what_to_do != nullptr) what_to_do();
}

void set_heed(void (*act)()) { what_to_do = act; }

} // namespace memsim
