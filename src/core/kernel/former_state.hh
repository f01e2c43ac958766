#pragma once

#include "core/kernel/registry.hh"

#include <concepts>
#include <optional>

/// Checkpoints of an older memsim, in which a component type's State was another one. The type's
/// file may keep the former State and say how the present one follows from it (link/pcie.cc does):
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
///         carry(was, now); // what has its name still
///         carry(was.up_free, now.up.free);
///         carry(was.down_free, now.down.free);
///     }};
///
/// It holds for checkpoints in which the type's ports, messages and statistics are those of today.
namespace memsim {

/// Copies a value, an armed Timer too; of two structs the fields that have one name in both, to any
/// depth. A field of one name whose type is another one, and no struct, is left as it is.
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
/// The present State's bytes, out of the former one's.
using StateConversion = std::function<std::string(std::string_view bytes, Tick now)>;
void register_former_state(const std::string& type, const std::vector<StateInfo>& state,
                           StateConversion convert);
} // namespace detail

/// The registration of a former State: a constant beside the type's own.
template <class C, class Former>
struct FormerState {
    explicit FormerState(void (*fill)(const Former& was, typename C::State& now)) {
        static_assert(checkpointable<Former>(), "a former State holds only values, too");
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

/// The lines of a Schema's shape that tell of its State.
std::string state_lines(const std::vector<StateInfo>& state);

/// The State of a component that was saved under another shape, as its type has it today; nothing
/// if no former State with that shape is registered.
std::optional<std::string> upgraded_state(const Schema& type, const std::string& shape,
                                          std::string_view bytes, Tick now);

} // namespace memsim
