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

    virtual const std::vector<StatRef>& stats() const = 0;
    virtual void reset_stats(Tick now) = 0;
    virtual std::vector<Resolved> resolved_params() const = 0;
    /// Called once, when all ports are bound.
    virtual void finish_set_up() = 0;

  protected:
    [[noreturn]] void refuse(const std::string& parameter, const std::string& why) const {
        throw ConfigError(path_ + "." + parameter + ": " + why);
    }

    static std::vector<Resolved> resolved(const std::vector<ParamRef>& params);
    static void add_stat(std::vector<StatRef>& all, std::string_view name, const Stat& stat,
                         std::string_view kind, void (*read)(const Stat&, StatReader&, Window));
    /// One of several of a name: 'hits[3]'.
    static void add_stat(std::vector<StatRef>& all, std::string_view name, const std::string& index,
                         const Stat& stat, std::string_view kind,
                         void (*read)(const Stat&, StatReader&, Window));

  private:
    friend class Machine;
    std::uint32_t id_ = 0;
    std::string path_;
};

/// What follows from the structs Params and Stats that Self declares: `params` and `stat`.
template <class Self, class Base>
class Declared : public Base {
  public:
    using typename Object::Resolved;
    using typename Object::StatRef;

    const std::vector<StatRef>& stats() const override { return stats_; }
    void reset_stats(Tick at) override {
        reflect::for_each_leaf(self().stat, [&](auto, auto& s) {
            if constexpr (is_each<std::remove_cvref_t<decltype(s)>>::value)
                for (unsigned i = 0; i < s.size(); ++i) s[i].reset(at);
            else
                s.reset(at);
        });
    }
    std::vector<Resolved> resolved_params() const override {
        return Object::resolved(params_of(self().params));
    }

  protected:
    Self& self() { return static_cast<Self&>(*this); }
    const Self& self() const { return static_cast<const Self&>(*this); }

    /// `ports`: the object's, by which the number of its statistics may follow.
    void find_stats(const void* ports) {
        reflect::for_each_leaf(self().stat, [&]<class S>(std::string_view name, S& s) {
            if constexpr (is_each<S>::value) {
                s.resize(&self().params, ports);
                for (unsigned i = 0; i < s.size(); ++i)
                    Object::add_stat(stats_, name, s.label(i), s[i], S::kind,
                                     &read_as<std::remove_cvref_t<decltype(s[i])>>);
            } else
                Object::add_stat(stats_, name, s, S::kind, &read_as<S>);
        });
    }

  private:
    template <class S>
    static void read_as(const Stat& stat, StatReader& reader, Window window) {
        static_cast<const S&>(stat).read(reader, window);
    }
    std::vector<StatRef> stats_;
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
