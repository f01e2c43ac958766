#pragma once

#include "core/error.hh"
#include "core/param.hh"
#include "core/stats.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsim {

/// What stands in the tree of a machine: it has a path, parameters and statistics, by which it is
/// in the database. Most objects are components (core/component.hh).
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

    virtual ~Object() = default;

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
    [[noreturn]] void refuse(const std::string& parameter, const std::string& why) const {
        throw ConfigError(path_ + "." + parameter + ": " + why);
    }

    /// What it declares, seen without its types.
    virtual std::vector<StatField> stat_fields() = 0;
    virtual std::vector<ParamRef> param_refs() const = 0;
    virtual const void* params_address() const = 0;
    /// `ports`: the object's, by which the number of its statistics may follow.
    void find_stats(const void* ports);

  private:
    friend class Machine;
    std::uint32_t id_ = 0;
    std::string path_;
    std::vector<StatRef> stats_;
};

/// What follows from the structs Params and Stats that Self declares: `params` and `stat`.
template <class Self, class Base>
class Declared : public Base {
  protected:
    Self& self() { return static_cast<Self&>(*this); }
    const Self& self() const { return static_cast<const Self&>(*this); }

    std::vector<StatField> stat_fields() override { return stats_of(self().stat); }
    std::vector<ParamRef> param_refs() const override {
        return params_of(const_cast<typename Self::Params&>(self().params));
    }
    const void* params_address() const override { return &self().params; }
};

/// An object that simulates nothing: it says something about the machine, computed in init() from
/// its parameters at most. It has Params and Stats, of which each is a Figure, and neither ports
/// nor State; no run wakes it and no checkpoint holds it.
template <class Self>
class StaticModel : public Declared<Self, Object> {
  public:
    struct Ports {};
    struct State {};
    void finish_set_up() override {
        reflect::for_each_leaf(this->self().stat, []<class S>(auto, const S&) {
            static_assert(std::is_same_v<S, Figure>, "what simulates nothing has Figures only");
        });
        this->find_stats(nullptr);
    }
};

} // namespace memsim
