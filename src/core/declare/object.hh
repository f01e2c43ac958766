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

/// The declarations of a type (Params, Ports, Stats and State) without their types. A type's table
/// is compiled only with its registration (core/kernel/registry.hh), so that including a
/// component's header costs little.
struct Declaration {
    std::vector<ParamRef> (*params)(const Object&);
    const void* (*params_address)(const Object&);
    std::vector<StatField> (*stats)(Object&);
    std::vector<PortField> (*ports)(Object&); ///< from here on: for components only
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

/// A node in the tree of a machine. It has a path, parameters and statistics, which the database
/// stores. Most objects are components (core/kernel/component.hh).
class Object {
  public:
    struct StatRef {
        std::string name; ///< 'hits' or 'hits[3]'
        const Stat* stat;
        std::string_view kind;
        void (*read)(const Stat&, StatReader&, Window);
    };
    /// The value of a parameter as the object holds it.
    struct Resolved {
        std::string name, text;
        std::optional<std::int64_t> number; ///< Param::number()
    };

    virtual ~Object();

    const std::string& path() const { return path_; } ///< 'gpu.l2[3]'
    std::uint32_t id() const { return id_; }          ///< position in the order of the tree

    /// Derives constants from parameters; a component also sizes its State. Throws ConfigError.
    virtual void init() {}

    const std::vector<StatRef>& stats() const { return stats_; }
    void reset_stats(Tick now);
    std::vector<Resolved> resolved_params() const;
    /// Called once, when all ports are bound.
    virtual void finish_set_up() = 0;

  protected:
    [[noreturn]] void refuse(const std::string& parameter, const std::string& why) const;

    /// `ports`: the object's ports, which may determine the number of its statistics.
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

/// An object that simulates nothing: it describes the machine with figures that init() computes
/// from its parameters. It has Params and Stats (all of type Figure) and neither ports nor State.
/// No run wakes it and no checkpoint holds it.
template <class Self>
class StaticModel : public Object {
  public:
    struct Ports {};
    struct State {};
    void finish_set_up() override { find_stats(nullptr); }
};

} // namespace memsim
