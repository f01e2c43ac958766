#pragma once

#include "core/base/log.hh"
#include "core/declare/object.hh"
#include "core/kernel/handler.hh"
#include "core/kernel/port.hh"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a component is. Its header declares, and nowhere else does anything declare:
///
///     #include "core/kernel/component.hh"
///     #include "protocol/mem.hh"
///
///     namespace memsim::mem {
///
///     using namespace memsim::literals;
///     using protocol::Mem;
///
///     class Memory final : public Model<Memory> {
///       public:
///         struct Params {
///             Param<Bytes> size {1_GiB, {1_KiB, 1024_GiB}, "Capacity", multiple_of(1_KiB)};
///             Param<Time> access {100_ns, {1_fs, 1_ms}, "Time from a request to the answer"};
///             Param<unsigned> queue {16, {1, 65536},
///                                     "Requests waiting or in flight to the memory"};
///         };
///         struct Ports {
///             Responder<Mem> cpu_side {
///                 {.depth = from<&Params::queue>, .latency = from<&Params::access>}, "Requests"};
///         };
///         struct Stats {
///             Counter reads {Unit::count, "Reads that were answered"};
///         };
///         struct State {
///             Tick last = 0; ///< when it answered last
///         };
///
///         explicit Memory(const Params& p) : params(p) {}
///         void wake() override;
///
///         const Params params;
///         Ports port;
///         Stats stat;
///         State state;
///     };
///
///     } // namespace memsim::mem
///
/// A group of parameters, ports or statistics that is not there in every machine is declared as
/// well: `Optional` and `Many` (core/kernel/port.hh), `Each` (core/declare/stats.hh).
///
/// Lifecycle: constructed with its parameters; ports bound, so that their number is known; init();
/// then either start() (a new run) or its State is loaded (a resumed one); then wake() whenever
/// something arrived, a timer went off or a port can send again.
///
/// Contract of wake(): it does all that can be done now and returns; called with nothing to do it
/// changes nothing. It decides by State, ports and now(), never by why it was called.
/// Everything that changes during a run stands in State. A vector there that init() has filled
/// keeps its length: what grows and shrinks begins empty, or is a deque, a Fifo or a FreeList. So a
/// checkpoint whose vectors are of another length is refused. Other members are derived from Params
/// in init() and stay as they are.
namespace memsim {

/// Who waits for what, as each component tells it when a run hangs.
class WaitReport {
  public:
    void add(std::string sentence);
    std::vector<std::string> lines;
};

/// A part of the machine's addresses that somebody has for itself: from `begin`, so many bytes.
struct MemoryUse {
    std::string what; ///< 'its page tables', 'the data of application 0'
    std::uint64_t begin = 0, bytes = 0;
};

class Component : public Object {
  public:
    Component();
    ~Component() override;

    /// Schedules what happens first, at tick 0 of a new run.
    virtual void start() {}
    virtual void wake() = 0;
    /// Says what the component itself waits for; its ports are reported by the framework.
    virtual void waits_on(WaitReport&) const {}
    /// Called when State has been loaded: for what is no value and follows from it.
    virtual void state_loaded() {}
    /// Refuses loaded State by which it would look where nothing is: `l.index("last", state.last,
    /// inputs)`. What a message names is checked when it is looked up: named() in parts/named.hh.
    virtual void check_loaded(Loader&) const {}
    /// Work that must be done before a run may end by itself: it is an error if the queue of events
    /// runs empty while this is true.
    virtual bool pending() const { return false; }
    /// The files that it reads: what is in them decides the results as a parameter does.
    virtual std::vector<std::string> inputs() const { return {}; }
    /// What lies in the machine's memory because of it: what hardware keeps for itself (tables,
    /// reserves) and what programs have. Asked after init(); two that overlap are refused.
    virtual std::vector<MemoryUse> memory_uses() const { return {}; }
    /// The component's balance, checked when a run has ended by itself: a sentence if it is broken.
    virtual std::optional<std::string> imbalance() const { return {}; }

    Simulation& sim() const { return *sim_; }
    Tick now() const { return sim_->now(); }

    // ---- for the framework: ports and State, seen without their types ----
    struct PortRef {
        std::string name; ///< 'sm_side[3]'
        PortBase* port;
    };
    /// All ports until they are bound, then those that are.
    const std::vector<PortRef>& ports() const { return ports_; }
    void save_state(Saver&);
    void load_state(Loader&); ///< timers are armed again
    void save_stats(Saver&);
    void load_stats(Loader&);
    /// Called once by the machine, before ports are bound.
    void set_up();
    /// Called once, when all ports are bound: now their number is known.
    void finish_set_up() final;
    /// A port of a vector that grows with its bindings, made if it is not there yet: 'input[3]', or
    /// 'input', the next that is free. None: there is no such vector.
    PortBase* grow_port(const std::string& name);
    /// Called once, after init() has sized State.
    void seed_all() { declared().seed(*this); }

  protected:
    void arm(Timer& timer, Tick when) { sim_->arm(timer, when, *this); }
    void arm(Timer& timer, Time delay) { arm(timer, now() + delay.raw); }
    void cancel(Timer& timer) { sim_->cancel(timer); }
    /// Runs `handler(payload)` and then wake() after `delay`: `after<&NandDie::sensed>(t_read, s)`.
    template <auto M>
    void after(Time delay, const typename MemberFunction<M>::Payload& payload) {
        sim_->queue().schedule(now() + delay.raw, HandlerOf<M>::info->fire, this, payload);
    }
    /// A line of trace output if the flag is on: `debug(dram, "opens row ", row)`.
    template <class... Parts>
    void debug(const DebugFlag& flag, const Parts&... parts) const {
        if (sim_->debugs(flag)) [[unlikely]]
            sim_->debug(flag, path(), join(parts...));
    }

  private:
    friend class Simulation;
    friend class Machine;
    /// Of several ports of a name, that with this index.
    void add_port(std::string_view name, std::optional<unsigned> index, PortBase& p);
    void attach(std::string_view name, std::optional<unsigned> index, PortBase& p);

    Simulation* sim_ = nullptr;
    bool touched_ = false;
    std::vector<PortRef> ports_;
};

inline void Simulation::touch(Component& c) {
    // Without a branch, which would be foreseen badly: a component that is touched already is
    // written into the place behind the last one, which the next overwrites. So there is one place
    // more than there are components.
    touched_[touched_count_] = &c;
    touched_count_ += !c.touched_;
    c.touched_ = true;
}

/// Whether a T is inside a V at all, and whether it is where for_each_inside (below) does not reach
/// it: in a container that archives itself.
template <class T, class V>
constexpr bool holds();
template <class T, class V>
constexpr bool hides();
namespace detail {
template <class T, class... F>
constexpr bool any_holds(reflect::Types<F...>) {
    return (holds<T, F>() || ...);
}
template <class T, class... F>
constexpr bool any_hides(reflect::Types<F...>) {
    return (hides<T, F>() || ...);
}
} // namespace detail
template <class T, class V>
constexpr bool holds() {
    if constexpr (std::is_same_v<V, T>)
        return true;
    else if constexpr (requires { typename V::Element; } && ArchivesItself<V>)
        return holds<T, typename V::Element>();
    else if constexpr (is_number_like<V>() || std::is_same_v<V, std::string> || ArchivesItself<V>)
        return false;
    else if constexpr (is_sequence<V>::value || is_array<V>::value)
        return holds<T, typename V::value_type>();
    else
        return detail::any_holds<T>(reflect::FieldTypes<V> {});
}
template <class T, class V>
constexpr bool hides() {
    if constexpr (requires { typename V::Element; } && ArchivesItself<V>)
        return holds<T, typename V::Element>();
    else if constexpr (is_number_like<V>() || std::is_same_v<V, std::string> || ArchivesItself<V>)
        return false;
    else if constexpr (is_sequence<V>::value || is_array<V>::value)
        return hides<T, typename V::value_type>();
    else
        return detail::any_hides<T>(reflect::FieldTypes<V> {});
}

/// Calls f(value, path) for every value of type T inside v: in structs, sequences and arrays.
template <class T, class V, class F>
void for_each_inside(V& v, const std::string& path, F&& f) {
    if constexpr (std::is_same_v<V, T>)
        f(v, path);
    else if constexpr (!holds<T, V>() || ArchivesItself<V>)
        return; // nothing is walked, and no path is made, where there is none
    else if constexpr (is_sequence<V>::value || is_array<V>::value) {
        if constexpr (!is_number_like<typename V::value_type>()) {
            std::size_t i = 0;
            for (auto& e : v) for_each_inside<T>(e, path + "[" + std::to_string(i++) + "]", f);
        }
    } else
        reflect::for_each_field(v, [&](std::string_view name, auto& field) {
            for_each_inside<T>(field, path + "." + std::string(name), f);
        });
}

/// What a component derives from: see the example above. What its declaration expands to is not
/// here but with its registration (Declaration in core/declare/object.hh).
template <class Self>
class Model : public Component {};

template <class I>
I* PortBase::find_interface() const {
    return dynamic_cast<I*>(&peer()->owner());
}

template <class I>
I& PortBase::interface() const {
    I* const offered = find_interface<I>();
    MEMSIM_ASSERT(offered, "PortSpec::needs of a port names each interface that its owner uses");
    return *offered;
}

template <class I>
inline constexpr NeededInterface needs {
    [](const Component& c) { return dynamic_cast<const I*>(&c) != nullptr; },
    [] { return std::string(reflect::type_name<I>()); }};

} // namespace memsim
