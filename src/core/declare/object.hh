#pragma once

#include "core/base/error.hh"
#include "core/declare/param.hh"
#include "core/declare/stat_fields.hh"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsim {

class Object;
class Timer;
struct PortField;

/// What a type declares (its Params, Ports, Stats and State), seen without its types. The table of
/// a type is compiled with its registration alone (core/kernel/registry.hh), so that a header with
/// a component in it costs those who include it little.
struct Declaration {
    std::vector<ParamRef> (*params)(const Object&);
    const void* (*params_address)(const Object&);
    std::vector<StatField> (*stats)(Object&);
    std::vector<PortField> (*ports)(Object&); ///< this and what follows: of components alone
    const void* (*ports_address)(const Object&);
    void (*save)(Object&, Saver&);
    void (*load)(Object&, Loader&);
    std::vector<Timer*> (*timers)(Object&);
    void (*seed)(Object&);
};
namespace detail {
template <class C>
std::unique_ptr<Object> make(const void* params);
}

/// What stands in the tree of a machine: it has a path, parameters and statistics, by which it is
/// in the database. Most objects are components (core/kernel/component.hh).
class Object {
  public:
    struct StatRef {
        std::string name; ///< 'hits' or 'hits[3]'
        const Stat* stat;
        std::string_view kind;
        void (*read)(const Stat&, StatReader&, Window);
    };
    /// A parameter's value as the object holds it.
    struct Resolved {
        std::string name, text;
        std::optional<std::int64_t> number; ///< Param::number()
    };

    virtual ~Object();

    const std::string& path() const { return path_; } ///< 'gpu.l2[3]'
    std::uint32_t id() const { return id_; }          ///< place in the order of the tree

    /// Derives constants from parameters; a component sizes its State. Throws ConfigError.
    virtual void init() {}

    const std::vector<StatRef>& stats() const { return stats_; }
    void reset_stats(Tick now);
    std::vector<Resolved> resolved_params() const;
    /// Called once, when all ports are bound.
    virtual void finish_set_up() = 0;

  protected:
    [[noreturn]] void refuse(const std::string& parameter, const std::string& why) const;

    /// `ports`: the object's, by which the number of its statistics may follow.
    void find_stats(const void* ports);

    const Declaration& declared() const {
        MEMSIM_ASSERT(declared_, "an object is made by its registration");
        return *declared_;
    }

  private:
    friend class Machine;
    template <class C>
    friend std::unique_ptr<Object> detail::make(const void* params);
    const Declaration* declared_ = nullptr;
    std::uint32_t id_ = 0;
    std::string path_;
    std::vector<StatRef> stats_;
};

/// An object that simulates nothing: it says something about the machine, computed in init() from
/// its parameters at most. It has Params and Stats, of which each is a Figure, and neither ports
/// nor State; no run wakes it and no checkpoint holds it.
template <class Self>
class StaticModel : public Object {
  public:
    struct Ports {};
    struct State {};
    void finish_set_up() override { find_stats(nullptr); }
};

} // namespace memsim
