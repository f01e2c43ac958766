#pragma once

#include "core/kernel/event_queue.hh"
#include "core/state/archive.hh"

#include <string>

namespace memsim {

class Component;

/// A member function that an event calls. A checkpoint identifies it by its name.
struct Handler {
    std::string name;  ///< 'flash.NandDie.sensed'
    std::string owner; ///< the component type, 'flash.NandDie'
    std::string shape; ///< of the payload
    Fire fire = nullptr;
    void (*save)(Saver&, const void* payload) = nullptr;
    void (*schedule)(EventQueue&, Tick, Component&, Loader& payload) = nullptr;
    const Handler* next = nullptr; ///< the next of the list of all handlers
};
/// The first of the list of all handlers, which is complete before main() and constant from then
/// on.
const Handler*& handlers();

template <auto M>
struct MemberFunction;
template <class C, class P, void (C::*M)(const P&)>
struct MemberFunction<M> {
    using Class = C;
    using Payload = P;
};

void touch_after_handler(Component& c);

template <auto M>
struct HandlerOf {
    using Class = typename MemberFunction<M>::Class;
    using Payload = typename MemberFunction<M>::Payload;
    static_assert(checkpointable<Payload>(),
                  "an event's payload must be checkpointable: values only, no pointers");
    static_assert(std::is_trivially_copyable_v<Payload> &&
                      sizeof(Payload) <= EventQueue::max_payload,
                  "an event's payload is trivially copyable and at most 48 bytes");

    static void fire(void* component, const void* payload) {
        auto& c = *static_cast<Component*>(component);
        touch_after_handler(c);
        (static_cast<Class&>(c).*M)(*static_cast<const Payload*>(payload));
    }
    static void save(Saver& s, const void* payload) { s(*static_cast<const Payload*>(payload)); }
    static void schedule(EventQueue& q, Tick tick, Component& c, Loader& l) {
        Payload p {};
        l(p);
        q.schedule(tick, &fire, static_cast<void*>(&c), p);
    }
    static const Handler* make() {
        static const Handler handler {reflect::type_name<Class>() + "." + reflect::member_name<M>(),
                                      reflect::type_name<Class>(),
                                      shape<Payload>(),
                                      &fire,
                                      &save,
                                      &schedule,
                                      handlers()};
        handlers() = &handler;
        return &handler;
    }
    static inline const Handler* const info = make();
};

} // namespace memsim
