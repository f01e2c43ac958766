#pragma once

#include "core/kernel/registry.hh"

#include <concepts>
#include <optional>

/// Former States: with these, memsim loads checkpoints of an older version, in which a component
/// type had another State. The type's file declares the former State and a conversion to the
/// present one, as link/pcie.cc does:
///
///     #include "core/kernel/former_state.hh"
///     #include "link/pcie.hh"
///     using namespace memsim;
///     using link::Pcie;
///
///     struct Former { // the fields as they were
///         Timer up_free, down_free;
///     };
///     const FormerState<Pcie, Former> former {[](const Former& was, Pcie::State& now) {
///         carry(was, now); // fields that have kept their names
///         carry(was.up_free, now.up.free);
///         carry(was.down_free, now.down.free);
///     }};
///
/// Requires that the ports, messages and statistics of the type have not changed since.
namespace memsim {

/// Copies a value, which may be an armed Timer. If From and To are different structs, the fields
/// whose names occur in both are copied, recursively. A field whose type has changed and is not a
/// struct is not copied.
template <class From, class To>
void carry(const From& from, To& to) {
    constexpr auto is_struct = []<class T>(const T*) {
        return std::is_class_v<T> && std::is_aggregate_v<T> && !ArchivesItself<T> &&
               !is_array<T>::value;
    };
    if constexpr (std::same_as<From, To>) {
        Saver save;
        save(from);
        Loader load(save.bytes);
        load(to);
    } else if constexpr (is_struct(static_cast<From*>(nullptr)) &&
                         is_struct(static_cast<To*>(nullptr)))
        reflect::for_each_field(from, [&](std::string_view name, const auto& f) {
            reflect::for_each_field(to, [&](std::string_view other, auto& t) {
                if (name == other) carry(f, t);
            });
        });
}

namespace detail {
/// Converts the bytes of a former State to those of the present State.
using StateConversion = std::function<std::string(std::string_view bytes, Tick now)>;
void register_former_state(const std::string& type, const std::vector<StateInfo>& state,
                           StateConversion convert);
} // namespace detail

/// Registers a former State. Stands beside the Registration of the type.
template <class C, class Former>
struct FormerState {
    explicit FormerState(void (*fill)(const Former& was, typename C::State& now)) {
        static_assert(checkpointable<Former>(), "a former State must hold only values");
        std::vector<StateInfo> fields;
        const Former none {};
        reflect::for_each_field(none, [&]<class F>(std::string_view name, const F&) {
            fields.push_back({std::string(name), shape<F>()});
        });
        detail::register_former_state(
            reflect::type_name<C>(), fields, [fill](std::string_view bytes, Tick now) {
                Former was {};
                Loader load(bytes, now);
                load(was);
                load.check(load.done(), "is followed by more than there is");
                typename C::State state {};
                fill(was, state);
                Saver save;
                save(state);
                return std::move(save.bytes);
            });
    }
};

/// The lines of a Schema's shape that describe its State.
std::string state_lines(const std::vector<StateInfo>& state);

/// The bytes of the present State, for State that was saved in another shape. Nothing if no former
/// State has that shape.
std::optional<std::string> upgraded_state(const Schema& type, const std::string& shape,
                                          std::string_view bytes, Tick now);

} // namespace memsim
