#include "core/kernel/handler.hh"

#include "core/kernel/component.hh"

namespace memsim {

const Handler*& handlers() {
    static const Handler* first = nullptr;
    return first;
}

void touch_after_handler(Component& c) { c.sim().touch(c); }

} // namespace memsim
