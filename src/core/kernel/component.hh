#pragma once

#include "core/base/log.hh"
#include "core/declare/object.hh"
#include "core/kernel/handler.hh"
#include "core/kernel/port.hh"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A component is declared once, in its header:
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
/// Ports and statistics whose number depends on the machine are declared as `Optional` or `Many`
/// (core/kernel/port.hh) and `Each` (core/declare/stats.hh).
///
/// Lifecycle     The constructor receives the parameters. Ports are bound; their number is then
///               known. init() is called. start() begins a new run; State is loaded to resume one.
///               wake() is called when a message has arrived, a timer has expired, or a port can
///               send again.
/// wake()        Does everything that can be done now, and returns. Without work it changes
///               nothing. It depends on State, ports and now(), not on the cause of the call.
/// State         Contains everything that changes during a run. A vector that init() has filled
///               keeps its length; a checkpoint with another length is refused. A container that
///               grows is initially empty, or is a deque, a Fifo or a FreeList.
/// Other members are derived from Params in init() and are constant during a run.
namespace memsim {

/// What each component waits for: printed when a run stops with work left.
class WaitReport {
  public:
    void add(std::string sentence);
    std::vector<std::string> lines;
};

/// An address range of the machine's memory that a component claims exclusively.
struct MemoryUse {
    std::string what; ///< 'its page tables', 'the data of application 0'
    std::uint64_t begin = 0, bytes = 0;
};

/// The simulation of a component, for the component's parts.
class SimulationRef {
  public:
    explicit SimulationRef(Simulation* const& of) : at_(&of) {}
    operator Simulation&() const { return **at_; }
    Tick now() const { return (*at_)->now(); }
    std::uint64_t seed() const { return (*at_)->seed(); }
    Stamps& stamps() const { return (*at_)->stamps(); }
    Contents& contents() const { return (*at_)->contents(); }

  private:
    Simulation* const* at_;
};

/// Implemented, in addition to Model, by a component that uses Simulation::launches() or ends a run
/// (Simulation::request_exit()). All of them run in one partition (core/parallel/windows.hh).
class EndsRuns {
  public:
    virtual ~EndsRuns() = default;
};

class Component : public Object {
  public:
    Component();
    ~Component() override;

    /// Begins a new run, at tick 0: arms the first timers.
    virtual void start() {}
    virtual void wake() = 0;
    /// Reports what the component itself waits for. The framework reports what its ports wait for.
    virtual void waits_on(WaitReport&) const {}
    /// Called after State has been loaded, to derive the members that depend on State.
    virtual void state_loaded() {}
    /// Refuses loaded State with an index of an element that does not exist: `l.index("last",
    /// state.last, inputs)`. Indices in messages are checked by named() (device_parts/named.hh)
    /// when used.
    virtual void check_loaded(Loader&) const {}
    /// Whether work is left. It is an error if no event is pending while this is true.
    virtual bool pending() const { return false; }
    /// The files that the component reads. Results depend on their contents as on a parameter.
    virtual std::vector<std::string> inputs() const { return {}; }
    /// The address ranges that this component occupies: reserved memory of hardware, such as page
    /// tables, and data of programs. Called after init(). Overlapping ranges are refused.
    virtual std::vector<MemoryUse> memory_uses() const { return {}; }
    /// Checks the component's sums when no event is pending: a sentence if one of them is wrong.
    virtual std::optional<std::string> imbalance() const { return {}; }

    /// Not constant: a run in partitions replaces it. Parts of a component keep sim_ref() instead.
    Simulation& sim() const { return *sim_; }
    SimulationRef sim_ref() const { return SimulationRef(sim_); }
    Tick now() const { return sim_->now(); }
    /// The component and its timers belong to `part` from now on.
    void move_to(Simulation& part);

    // ---- for the framework: access to ports and State without their types ----
    struct PortRef {
        std::string name; ///< 'sm_side[3]'
        PortBase* port;
    };
    /// Before binding all ports, afterwards the bound ones.
    const std::vector<PortRef>& ports() const { return ports_; }
    void save_state(Saver&);
    void load_state(Loader&); ///< timers are armed again
    void save_stats(Saver&);
    void load_stats(Loader&);
    /// Called once by the machine, before ports are bound.
    void set_up();
    /// Called once by the machine, when all ports are bound and their number is known.
    void finish_set_up() final;
    /// A port of a vector that grows with its bindings: 'input[3]', or 'input' for the next index.
    /// Adds ports as necessary. Null if the component has no such vector.
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
    // Without a branch, which the processor would often mispredict. A component that is touched
    // already is written behind the last element, where the next one overwrites it. The list
    // therefore has one place more than there are components.
    touched_[touched_count_] = &c;
    touched_count_ += !c.touched_;
    c.touched_ = true;
}

/// holds(): whether a V contains a T. hides(): whether it contains one that for_each_inside (below)
/// does not reach, because it is in a container that archives itself.
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
        return; // without a T, neither elements are visited nor paths constructed
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

/// Base class of a component: see the example above. The code that its declaration expands to is
/// compiled with its registration (Declaration in core/declare/object.hh).
template <class Self>
class Model : public Component {};

template <class I>
I* PortBase::find_interface() const {
    I* const found = dynamic_cast<I*>(&peer()->owner());
    if constexpr (!requires { requires I::constant; })
        if (found && !calls_neighbour_) calls_neighbour_ = true;
    return found;
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
