#include "core/handler.hh"

#include "core/component.hh"

namespace memsim {

const Handler*& handlers() {
    static const Handler* first = nullptr;
    return first;
}

void touch_after_handler(Component& c) { c.sim().touch(c); }

} // namespace memsim
